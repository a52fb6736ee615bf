import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import type { OverlayLanguage } from '../../shared/admin';
import type { RpcPort } from '../../shared/rpc';
import './admin.css';
import { adminCalls } from './admin-calls';
import { FirstSetUp } from './first-set-up';
import { LockedView } from './locked-view';
import { MaintenanceCard } from './maintenance-card';
import { OpenView } from './open-view';
import { OverlayTools, type Saying, type OverlayTools as Tools } from './overlay-context';
import { afterEvent, NOTHING_TOLD, type OverlayEvent, type OverlayModel } from './overlay-model';
import { DIALOGS } from './parts/dialog';
import { Icon } from './parts/icon';
import { OnScreenKeyboard, useTypedField } from './parts/on-screen-keyboard';
import { stringsFor } from './strings';
import { perform, type Undertaking, UndertakingDialog, undertakingOf } from './undertakings';

/** What lies on the stage: nothing, the card for shoppers, or the overlay. */
export type Cover = 'nothing' | 'card' | 'overlay';

export interface OverlayProps {
  readonly line: RpcPort;
  readonly onCover: (cover: Cover) => void;
}

const SAID_FOR_MS = 6_000;
const monotonic = () => performance.now();

function connect(line: RpcPort) {
  const store = createStore<OverlayModel>(() => NOTHING_TOLD);
  const tell = (event: OverlayEvent) => store.setState((model) => afterEvent(model, event));
  const calls = adminCalls(line, (message) => tell({ kind: 'told', message, at: monotonic() }));
  void calls.ask('overlay', null).then((reply) => {
    if (reply.ok) tell({ kind: 'told', message: { kind: 'overlay', state: reply.output }, at: monotonic() });
  });
  return { store, tell, calls };
}

/** The overlay, as main says it is: nothing, the PIN pad, the pages or the first set-up. */
export function Overlay({ line, onCover }: OverlayProps) {
  const [{ store, tell, calls }] = useState(() => connect(line));
  const state = useStore(store, (model) => model.state);
  const [undertaking, setUndertaking] = useState<Undertaking | null>(null);
  const [saying, setSaying] = useState<Saying | null>(null);
  const [field, hideKeyboard] = useTypedField();

  const view = state?.overlay.view ?? 'closed';
  const language: OverlayLanguage = state?.preferences.language ?? 'en';
  const strings = stringsFor(language);
  const mayAct = state?.overlay.view === 'open' && state.overlay.mayAct;
  const cover: Cover =
    view !== 'closed' ? 'overlay' : (state?.maintenanceUntil ?? null) !== null ? 'card' : 'nothing';

  const covering = useRef(onCover);
  covering.current = onCover;
  useEffect(() => covering.current(cover), [cover]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was begun ends with the view it was begun in.
  useEffect(() => {
    setUndertaking(null);
    setSaying(null);
  }, [view]);
  useEffect(() => {
    if (saying === null) return;
    const timer = setTimeout(() => setSaying(null), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [saying]);

  const tools = useMemo<Tools>(() => {
    const said = { calls, strings, say: setSaying };
    return {
      ...said,
      store,
      tell,
      mayAct,
      monotonic,
      begin(action) {
        const first = undertakingOf(action);
        if (first !== null) setUndertaking(first);
        else if (action === 'resume' || action === 'skip' || action === 'refresh')
          void perform({ action }, said);
      },
    };
  }, [store, tell, calls, strings, mayAct]);

  if (state === null || cover === 'nothing') return null;
  return (
    <OverlayTools value={tools}>
      <div
        className="screen a-screen"
        data-rotation={state.rotation}
        data-theme={cover === 'card' ? 'dark' : state.preferences.theme}
        lang={language}
      >
        {cover === 'card' ? (
          <MaintenanceCard strings={strings} />
        ) : (
          <div className="a-frame" role="dialog" aria-modal="true" aria-label={strings.overlay}>
            <div className="a-view" data-keyboard={field !== null}>
              <div className="a-page-ground">
                {state.overlay.view === 'locked' && <LockedView view={state.overlay} />}
                {state.overlay.view === 'open' && <OpenView />}
                {state.overlay.view === 'set-up' && <FirstSetUp />}
              </div>
              <div id={DIALOGS} className="a-dialogs">
                {undertaking !== null && (
                  <UndertakingDialog undertaking={undertaking} onClose={() => setUndertaking(null)} />
                )}
              </div>
              <div className="a-sayings" role="status">
                {saying !== null && (
                  <div className="a-saying" data-tone={saying.tone}>
                    <Icon name={saying.tone === 'good' ? 'check' : 'warning'} />
                    <span>
                      {saying.text}
                      {saying.detail !== null && <span className="a-saying-detail">{saying.detail}</span>}
                      {saying.technical !== undefined && (
                        <span className="a-saying-technical" lang="en">
                          {saying.technical}
                        </span>
                      )}
                    </span>
                  </div>
                )}
              </div>
            </div>
            {field !== null && <OnScreenKeyboard field={field} onHide={hideKeyboard} />}
          </div>
        )}
      </div>
    </OverlayTools>
  );
}
