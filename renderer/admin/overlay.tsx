import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { type AdminNews, type OverlayLanguage, overlayContract } from '../../shared/admin';
import { createRpcClient, type RpcPort } from '../../shared/rpc';
import { stringsFor as shopperStrings } from '../kiosk/native-card/strings';
import type { View } from '../kiosk/view';
import './admin.css';
import { ActionDialog } from './action-dialogs';
import { LockWarning, OpenView } from './open-view';
import { OverlayTools, type OverlayTools as Tools } from './overlay-context';
import { afterNews, INITIAL_MODEL, type OverlayModel } from './overlay-model';
import { DIALOGS, ignoreTouches } from './parts/dialog';
import { Icon } from './parts/icon';
import { OnScreenKeyboard, useTypedField } from './parts/on-screen-keyboard';
import { Button, ProblemWords } from './parts/pieces';
import { LockedView } from './pin';
import { FirstSetUp } from './set-up';
import { stringsFor } from './wording';

/** What covers the stage: nothing, the card for shoppers, or the overlay. */
export type Cover = 'nothing' | 'card' | 'overlay';

export interface OverlayProps {
  readonly port: RpcPort;
  readonly rotation: View['rotation'];
  /** Whether an announcement is shown to shoppers, which replaces the card of a pause. */
  readonly isAnnounced: boolean;
  /** What shoppers read: `ui.language`, whatever staff chose for the overlay. */
  readonly language: string;
  /** Called when the cover of the stage changes. */
  readonly onCover: (cover: Cover) => void;
}

const SAID_FOR_MS = 6_000;
/**
 * Touches are ignored for this long after the overlay opened, ms: the last one of the gesture is not over, more may
 * follow, and a way out may lie below them.
 */
const OPENING_MS = 600;
const SCHEMES = { system: 'light dark', light: 'light', dark: 'dark' } as const;

function modelOf(line: RpcPort) {
  const store = createStore<OverlayModel>(() => INITIAL_MODEL);
  const hear = (news: AdminNews) => store.setState((model) => afterNews(model, news));
  const { connect, call } = createRpcClient(overlayContract, { received: { news: hear } });
  connect(line);
  void call('overlay', null).then((reply) => {
    if (reply.ok) hear({ kind: 'overlay', state: reply.output });
  });
  return { store, call };
}

/** Shows the view that main chose: nothing, the PIN pad, the pages or the first set-up. */
export function Overlay({ port, rotation, isAnnounced, language: shopperLanguage, onCover }: OverlayProps) {
  const [{ store, call }] = useState(() => modelOf(port));
  const { state, home, dialog, message } = useStore(store);
  const [field, hideKeyboard] = useTypedField();

  const view = state?.overlay.view ?? 'closed';
  const language: OverlayLanguage = state?.preferences.language ?? 'en';
  const strings = stringsFor(language, home?.clock.timeZone);
  const mayAct = state?.overlay.view === 'open' && state.overlay.mayAct;
  const isPaused = (state?.maintenanceUntil ?? null) !== null;
  const cover: Cover = view !== 'closed' ? 'overlay' : isPaused && !isAnnounced ? 'card' : 'nothing';

  const ground = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (cover === 'overlay') ignoreTouches(ground.current, OPENING_MS);
  }, [cover]);
  const reportCover = useEffectEvent(onCover);
  useEffect(() => reportCover(cover), [cover]);
  useEffect(() => {
    // What went wrong takes longer to read, and stays until somebody closes it.
    if (message === null || message.problem !== null || message.underWay) return;
    const timer = setTimeout(() => store.setState({ message: null }), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [store, message]);
  const tools: Tools = {
    call,
    store,
    strings,
    mayAct,
    showMessage: (text) => store.setState({ message: { text, problem: null } }),
    showProblem: (name, problem) =>
      store.setState({ message: { text: strings.actionFailed(name), problem } }),
  };

  if (state === null || cover === 'nothing') return null;
  return (
    <OverlayTools value={tools}>
      <div
        className="screen a-screen"
        data-rotation={rotation}
        style={{ colorScheme: cover === 'card' ? 'dark' : SCHEMES[state.preferences.theme] }}
        lang={language}
      >
        {cover === 'card' ? (
          <MaintenanceCard language={shopperLanguage} />
        ) : (
          <div
            className="a-frame a-fill a-stack"
            role="dialog"
            aria-modal="true"
            aria-label={strings.overlay}
          >
            <div className="a-view a-grow" data-keyboard={field !== null}>
              <div ref={ground} className="a-page-ground a-fill">
                {state.overlay.view === 'locked' && <LockedView view={state.overlay} />}
                {state.overlay.view === 'open' && <OpenView />}
                {state.overlay.view === 'set-up' && <FirstSetUp />}
              </div>
              <div id={DIALOGS}>
                {dialog !== null && (
                  <ActionDialog action={dialog} onClose={() => store.setState({ dialog: null })} />
                )}
              </div>
              {/* Outside of the page, which is inert below a dialog. */}
              <div className="a-status-lines a-centre">
                <div role="status">
                  {/* Of an action that ended after the lock, the PIN pad says nothing. */}
                  {message !== null && view !== 'locked' && (
                    <div
                      className="a-saying a-line"
                      data-tone={message.underWay ? undefined : message.problem ? 'bad' : 'good'}
                    >
                      <Icon name={message.underWay ?? (message.problem ? 'warning' : 'check')} />
                      <div>
                        <p className="a-strong">{message.text}</p>
                        {message.problem && <ProblemWords {...message.problem} />}
                      </div>
                      {message.problem && (
                        <Button
                          icon="close"
                          aria-label={strings.close}
                          kind="ghost"
                          onClick={() => store.setState({ message: null })}
                        />
                      )}
                    </div>
                  )}
                </div>
                {view === 'open' && <LockWarning />}
              </div>
            </div>
            {field !== null && <OnScreenKeyboard field={field} onHide={hideKeyboard} />}
          </div>
        )}
      </div>
    </OverlayTools>
  );
}

/** What shoppers see while staff have paused the kiosk. */
function MaintenanceCard({ language }: { language: string }) {
  const strings = shopperStrings(language);
  return (
    <div className="a-maintenance card brand-card" role="status" lang={strings.language}>
      <p className="brand-greeting">{strings.maintenanceTitle}</p>
      <p className="brand-signature">{strings.maintenanceLine}</p>
    </div>
  );
}
