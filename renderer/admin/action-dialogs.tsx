import { type ReactNode, useCallback, useEffect, useState } from 'react';
import type { ActionName, AdminAction } from '../../shared/admin';
import { ConnectionSteps } from './connection-steps';
import { Export } from './export-dialog';
import { type OverlayTools, useModel, useTools } from './overlay-context';
import { AskDialog, Dialog } from './parts/dialog';
import { Button, ProblemWords } from './parts/pieces';
import { ChoosePin } from './pin';
import { SetUp } from './set-up';

const AT_ONCE = ['resume', 'skip', 'refresh'] as const;

/** Opens the dialog of an action, or does it if it has none. */
export function startAction(action: ActionName, tools: OverlayTools): void {
  const { message } = tools.store.getState();
  const immediate = AT_ONCE.find((name) => name === action);
  if (immediate) {
    // Pressed again meanwhile, it would only be done twice.
    if (message?.underWay !== immediate) void perform({ action: immediate }, tools);
  } else tools.store.setState({ dialog: action, message: message?.underWay ? message : null });
}

/** Asks main to do an action; shows as a message that it is under way, then its result. */
export async function perform(
  action: AdminAction,
  { call, store, showMessage, showProblem, strings }: OverlayTools,
): Promise<void> {
  const { name } = strings.actions[action.action];
  store.setState({
    message: { text: strings.actionUnderWay(name), problem: null, underWay: action.action },
  });
  const reply = await call('act', action);
  if (!reply.ok) showProblem(name, reply);
  else if (reply.output.result === 'failed') showProblem(name, reply.output);
  else if (reply.output.result === 'done') showMessage(strings.actionDone(name));
  else {
    const { files, bytes } = reply.output;
    showMessage(strings.cleared(strings.fileCount(files), strings.bytesText(bytes)));
  }
}

const PAUSES = [5, 15, 30, 60, 120, 240, 480] as const;
const VOLUMES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, null] as const;

/** The dialog of an action; an action without one shows nothing. */
export function ActionDialog({ action, onClose }: { action: ActionName; onClose: () => void }) {
  const tools = useTools();
  const { strings } = tools;
  const volumeNow = useModel(({ home }) => home?.sound.volume ?? null);
  const { name } = strings.actions[action];
  const show = (content: ReactNode) => (
    <Dialog title={name} isForm onClose={onClose}>
      {content}
    </Dialog>
  );
  type Choice = readonly [words: string, action: AdminAction];
  const ask = (about: string | undefined, choices: readonly Choice[], isAlert = false) => (
    <AskDialog
      title={isAlert ? `${name}?` : name}
      about={about}
      isAlert={isAlert}
      choices={choices.map(([words, chosen]) => [words, () => void perform(chosen, tools)])}
      onClose={onClose}
    />
  );
  switch (action) {
    case 'connection-test':
      return <TestDialog onClose={onClose} />;
    case 'change-pin':
      return show(<ChangePin onClose={onClose} />);
    case 'export':
      return show(<Export />);
    case 'set-up':
      return show(<SetUp />);
    case 'pause': {
      const lengths = PAUSES.map((minutes) => [strings.minutesText(minutes), { action, minutes }] as const);
      return ask(strings.pauseAbout, lengths);
    }
    case 'sound': {
      const about = volumeNow === null ? undefined : `${strings.now}: ${strings.volumeText(volumeNow)}`;
      const volumes = VOLUMES.map((volume) => [strings.volumeText(volume), { action, volume }] as const);
      return ask(about, volumes);
    }
    case 'display':
      return ask(strings.displayAbout, [
        [strings.onOff.on, { action, on: true }],
        [strings.onOff.off, { action, on: false }],
        [strings.displayByHours, { action, on: null }],
      ]);
    case 'clear-media':
    case 'restart-player':
    case 'restart-kiosk':
    case 'leave':
      return ask(strings.sure[action], [[name, { action }]], true);
    default:
      return null;
  }
}

function TestDialog({ onClose }: { onClose: () => void }) {
  const { call, strings, store } = useTools();
  const steps = useModel((model) => model.steps);
  /** Null: the test runs. */
  const [reply, setReply] = useState<Awaited<ReturnType<typeof call<'testConnection'>>> | null>(null);
  const run = useCallback(async () => {
    store.setState({ steps: [] });
    setReply(null);
    setReply(await call('testConnection', null));
  }, [call, store]);
  useEffect(() => void run(), [run]);
  const result = steps.every(({ ok }) => ok) ? strings.testGood : strings.testBad;
  const ended = reply?.ok ? result : strings.actions['connection-test'].name;
  return (
    <Dialog title={reply === null ? strings.testRunning : ended} onClose={onClose}>
      {reply?.ok === false && <ProblemWords {...reply} />}
      <ConnectionSteps running={reply === null} />
      <div className="a-dialog-buttons a-wrap">
        <Button icon="refresh" disabled={reply === null} onClick={() => void run()}>
          {strings.retry}
        </Button>
        <Button kind="main" onClick={onClose}>
          {strings.done}
        </Button>
      </div>
    </Dialog>
  );
}

function ChangePin({ onClose }: { onClose: () => void }) {
  const { call, strings, showMessage, showProblem } = useTools();
  const { name } = strings.actions['change-pin'];
  const change = async (pin: string) => {
    const reply = await call('changePin', { pin });
    if (reply.ok && reply.output.result === 'weak') return true;
    onClose();
    if (reply.ok) showMessage(strings.actionDone(name));
    else showProblem(name, reply);
    return false;
  };
  return <ChoosePin onChosen={change} />;
}
