import { useEffect, useRef } from 'react';
import { LOCKS_AFTER_MS, type OverlayPageName } from '../../shared/admin';
import { BrandMark } from '../kiosk/cards';
import { startAction } from './action-dialogs';
import { useKeys, useModel, useQuery, useTick, useTools } from './overlay-context';
import { PAGES } from './pages/pages';
import { isDialogOpen } from './parts/dialog';
import { Icon } from './parts/icon';
import { Button, Loading, RefusalNotice } from './parts/pieces';

const HOME_EVERY_MS = 1_000;

export function OpenView() {
  const tools = useTools();
  const { call, strings, mayAct, store } = tools;
  const close = () => void call('close', null);
  const go = (to: OverlayPageName) => store.setState({ page: to });
  const page = useModel((model) => model.page);
  const { output: home, refusal } = useQuery('home', null, HOME_EVERY_MS);
  useEffect(() => store.setState({ home }), [store, home]);
  const shown = PAGES.get(page);
  const heading = useRef<HTMLHeadingElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page is read from its heading on.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [page]);
  useKeys((event) => {
    if (event.key !== 'Escape' || event.defaultPrevented || isDialogOpen()) return;
    if (page === 'home') close();
    else go('home');
  });

  return (
    <div className="a-fill a-stack">
      <header className="a-head a-line">
        <BrandMark />
        <h1 ref={heading} className="a-head-title a-title a-grow" tabIndex={-1}>
          {shown?.words(strings).name}
        </h1>
        {home && !refusal && <span className="a-quiet">{strings.clockText(home.clock.now)}</span>}
        {mayAct && (
          <Button
            kind="ghost"
            icon="lock"
            aria-label={strings.lock}
            onClick={() => void call('lock', null)}
          />
        )}
        <Button kind="ghost" icon="close" aria-label={strings.backToPlaying} onClick={close} />
      </header>
      <nav className="a-nav" aria-label={strings.navigation}>
        {[...PAGES].map(([name, { icon, words }]) => (
          <button
            key={name}
            type="button"
            className="a-nav-item a-middle a-stack a-quiet"
            aria-current={name === page ? 'page' : undefined}
            onClick={() => go(name)}
          >
            <Icon name={icon} />
            <span className="a-nav-words">{words(strings).tab ?? words(strings).name}</span>
          </button>
        ))}
      </nav>
      <div className="a-page a-grow a-column a-scroll" data-page={page} key={page}>
        {refusal && (
          <RefusalNotice code="no-home" message={refusal.message}>
            {mayAct && (
              <Button icon="restart-player" onClick={() => startAction('restart-player', tools)}>
                {strings.actions['restart-player'].name}
              </Button>
            )}
          </RefusalNotice>
        )}
        {!mayAct && page === 'home' && (
          <p className="a-card a-strong" data-tone="warn">
            {strings.readOnly}
          </p>
        )}
        {home === null && !refusal && <Loading />}
        {shown && <shown.Page />}
      </div>
    </div>
  );
}

/** Time to extend it, as people need it who move slowly (EN 301 549, 11.2.2.1). */
const WARN_MS = 20_000;
const INPUTS = ['pointerdown', 'keydown', 'wheel'] as const;

/** In the last `WARN_MS` before main locks the pages: how many seconds are left. */
export function LockWarning() {
  const { strings } = useTools();
  const now = useTick(500);
  const touchedAt = useRef(now);
  useEffect(() => {
    const onInput = () => {
      touchedAt.current = performance.now();
    };
    for (const name of INPUTS) addEventListener(name, onInput, { capture: true, passive: true });
    return () => {
      for (const name of INPUTS) removeEventListener(name, onInput, { capture: true });
    };
  }, []);
  const left = touchedAt.current + LOCKS_AFTER_MS - now;
  if (left > WARN_MS) return null;
  return (
    <p className="a-saying a-strong" role="alert">
      {/* Said once, not each second. */}
      <span aria-live="off">{strings.lockingIn(Math.max(0, Math.ceil(left / 1_000)))}</span>
    </p>
  );
}
