import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useGo, useModel, useTools } from './overlay-context';
import { PAGES, type PageName } from './overlay-model';
import { ActionsPage } from './pages/actions-page';
import { AdsPage } from './pages/ads-page';
import { BeaconsPage } from './pages/beacons-page';
import { HomePage } from './pages/home-page';
import { LogPage } from './pages/log-page';
import { PlaysPage } from './pages/plays-page';
import { SettingsPage } from './pages/settings-page';
import { SignalsPage } from './pages/signals-page';
import { BrandMark } from './parts/brand-mark';
import { isDialogOpen } from './parts/dialog';
import { Icon } from './parts/icon';
import { Button } from './parts/pieces';
import { clockText } from './wording';

/** Without a touch or a key for this long, it locks itself (rule 24). */
const LOCK_AFTER_MS = 60_000;
const WARN_MS = 10_000;

const PAGE: Readonly<Record<PageName, ComponentType>> = {
  home: HomePage,
  ads: AdsPage,
  plays: PlaysPage,
  beacons: BeaconsPage,
  signals: SignalsPage,
  log: LogPage,
  actions: ActionsPage,
  settings: SettingsPage,
};

/** The pages, and the way between them and out. */
export function OpenView() {
  const { calls, strings, mayAct } = useTools();
  const go = useGo();
  const page = useModel((model) => model.page);
  const now = useModel(({ home }) => home?.clock.now ?? null);
  const state = useModel(({ home }) => home?.state ?? null);
  const Page = PAGE[page];
  const heading = useRef<HTMLHeadingElement>(null);
  const secondsLeft = useLocking();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page is read from its heading on.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [page]);
  const leave = useRef(() => {});
  leave.current = () => {
    if (isDialogOpen()) return;
    if (page === 'home') void calls.ask('close', null);
    else go('home');
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) leave.current();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <div className="a-open">
      <header className="a-head">
        <h1 ref={heading} className="a-head-title" tabIndex={-1}>
          {strings.pages[page]}
        </h1>
        {state !== null && page !== 'home' && (
          <span className="a-head-state" data-state={state}>
            {strings.states[state]}
          </span>
        )}
        {now !== null && <span className="a-head-clock">{clockText(now, strings)}</span>}
        {mayAct && (
          <Button
            kind="ghost"
            icon="lock"
            label={strings.lock}
            onPress={() => void calls.ask('lock', null)}
          />
        )}
        <Button
          kind="ghost"
          icon="close"
          label={strings.backToPlaying}
          onPress={() => void calls.ask('close', null)}
        />
      </header>
      <nav className="a-nav" aria-label={strings.navigation}>
        <span className="a-nav-mark">
          <BrandMark />
        </span>
        {PAGES.map((name) => (
          <button
            key={name}
            type="button"
            className="a-nav-item"
            aria-current={name === page ? 'page' : undefined}
            onClick={() => go(name)}
          >
            <Icon name={name} />
            <span className="a-nav-words">{strings.tabs[name]}</span>
          </button>
        ))}
      </nav>
      <div className="a-page" data-page={page} key={page}>
        {!mayAct && page === 'home' && <p className="a-notice">{strings.readOnly}</p>}
        <Page />
      </div>
      {secondsLeft !== null && (
        <p className="a-locking" role="alert">
          {strings.lockingIn(secondsLeft)}
        </p>
      )}
    </div>
  );
}

/** Locks after a while without a touch or key; returns the seconds left when there are few. */
function useLocking(): number | null {
  const { calls, monotonic } = useTools();
  const [secondsLeft, setSecondsLeft] = useState<number | null>(null);
  useEffect(() => {
    let touchedAt = monotonic();
    let locked = false;
    const onTouch = () => {
      touchedAt = monotonic();
      setSecondsLeft(null);
    };
    const timer = setInterval(() => {
      const left = touchedAt + LOCK_AFTER_MS - monotonic();
      setSecondsLeft(left <= WARN_MS ? Math.max(0, Math.ceil(left / 1_000)) : null);
      if (left > 0 || locked) return;
      locked = true;
      void calls.ask('lock', null);
    }, 500);
    const events = ['pointerdown', 'keydown', 'wheel'] as const;
    for (const name of events) addEventListener(name, onTouch, { capture: true, passive: true });
    return () => {
      clearInterval(timer);
      for (const name of events) removeEventListener(name, onTouch, { capture: true });
    };
  }, [calls, monotonic]);
  return secondsLeft;
}
