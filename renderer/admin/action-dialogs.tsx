import { type ComponentType, useEffect, useState } from 'react';
import type { ActionName, AdminAction, AdminErrorCode } from '../../shared/admin';
import { ChoosePin } from './choose-pin';
import { ConnectionSteps } from './connection-steps';
import { ExportDialog } from './export-dialog';
import { type OverlayTools, useModel, useTools } from './overlay-context';
import { ConfirmDialog, Dialog } from './parts/dialog';
import { Button } from './parts/pieces';
import { SetUpDialog } from './set-up-dialog';
import { bytesText, shareText } from './wording';

const DANGEROUS = ['clear-media', 'restart-player', 'restart-kiosk', 'leave'] as const;
const AT_ONCE = ['resume', 'skip', 'refresh'] as const;
export const immediateAction = (action: ActionName) => AT_ONCE.find((name) => name === action) ?? null;

/** Asks main to do an action, and shows the result as a message. */
export async function perform(
  action: AdminAction,
  { calls, showMessage, strings }: Pick<OverlayTools, 'calls' | 'showMessage' | 'strings'>,
): Promise<void> {
  const { name } = strings.actions[action.action];
  const reply = await calls.ask('act', action);
  if (!reply.ok) {
    showMessage({ tone: 'bad', text: strings.actionFailed(name), detail: strings.callErrors[reply.code] });
    return;
  }
  const { output } = reply;
  if (output.result === 'failed') {
    const words = strings.problems[output.code];
    showMessage({
      tone: 'bad',
      text: strings.actionFailed(name),
      detail: words ? `${words.what} ${words.todo}` : null,
      technical: words ? output.message : `${output.message} ${output.advice ?? ''}`.trim(),
    });
    return;
  }
  const text =
    output.result === 'done'
      ? strings.actionDone(name)
      : strings.cleared(strings.fileCount(output.files), bytesText(output.bytes, strings));
  showMessage({ tone: 'good', text });
}

const DIALOGS: Partial<Readonly<Record<ActionName, ComponentType<{ onClose: () => void }>>>> = {
  pause: PauseDialog,
  sound: SoundDialog,
  display: DisplayDialog,
  'connection-test': TestDialog,
  'change-pin': PinDialog,
  export: ExportDialog,
  'set-up': SetUpDialog,
};

/** The dialog that an action opens; none for one that is done at once. */
export function ActionDialog({ action, onClose }: { action: ActionName; onClose: () => void }) {
  const tools = useTools();
  const Asked = DIALOGS[action];
  if (Asked) return <Asked onClose={onClose} />;
  const dangerous = DANGEROUS.find((name) => name === action);
  if (dangerous === undefined) return null;
  return (
    <ConfirmDialog
      words={tools.strings.sure[dangerous]}
      kind="danger"
      icon={dangerous}
      onYes={() => void perform({ action: dangerous }, tools)}
      onClose={onClose}
    />
  );
}

const PAUSES = [5, 15, 30, 60, 120, 240, 480] as const;

function PauseDialog({ onClose }: { onClose: () => void }) {
  const { strings } = useTools();
  const choices = PAUSES.map((minutes) => ({
    words: minutes < 60 ? strings.minutes(minutes) : strings.hoursLong(minutes / 60),
    action: { action: 'pause', minutes } as const,
  }));
  return (
    <ChoiceDialog ask={strings.pauseFor} about={strings.pauseAbout} choices={choices} onClose={onClose} />
  );
}

function DisplayDialog({ onClose }: { onClose: () => void }) {
  const { ask, about, ...words } = useTools().strings.displaySwitch;
  const choices = ([true, false, null] as const).map((on) => ({
    words: on === null ? words.byHours : on ? words.on : words.off,
    action: { action: 'display', on } as const,
  }));
  return <ChoiceDialog ask={ask} about={about} choices={choices} onClose={onClose} />;
}

/** One button for each choice; a choice closes the dialog. */
function ChoiceDialog({
  ask,
  about,
  choices,
  onClose,
}: {
  ask: string;
  about: string;
  choices: ReadonlyArray<{ words: string; action: AdminAction }>;
  onClose: () => void;
}) {
  const tools = useTools();
  return (
    <Dialog title={ask} about={about} onClose={onClose}>
      <div className="a-pauses a-grid">
        {choices.map(({ words, action }) => (
          <Button
            key={words}
            onClick={() => {
              onClose();
              void perform(action, tools);
            }}
          >
            {words}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}

const VOLUMES = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1] as const;

function SoundDialog({ onClose }: { onClose: () => void }) {
  const { strings } = useTools();
  const wordsOf = (volume: number) => (volume === 0 ? strings.muted : shareText(volume, strings));
  const now = useModel(({ home }) => home?.sound.volume ?? 0);
  const choices = VOLUMES.map((volume) => ({
    words: wordsOf(volume),
    action: { action: 'sound', volume } as const,
  }));
  return (
    <ChoiceDialog
      ask={strings.volume}
      about={`${strings.now}: ${wordsOf(now)}`}
      choices={choices}
      onClose={onClose}
    />
  );
}

function TestDialog({ onClose }: { onClose: () => void }) {
  const { calls, strings, store } = useTools();
  const steps = useModel((model) => model.steps);
  const [running, setRunning] = useState(true);
  const [refused, setRefused] = useState<AdminErrorCode | null>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every round is a test.
  useEffect(() => {
    let gone = false;
    store.setState({ steps: [] });
    setRunning(true);
    void calls.ask('testConnection', null).then((reply) => {
      if (gone) return;
      setRunning(false);
      setRefused(reply.ok ? null : reply.code);
    });
    return () => {
      gone = true;
    };
  }, [round]);
  const result = steps.every(({ ok }) => ok) ? strings.testGood : strings.testBad;
  const ended = refused === null ? result : strings.actions['connection-test'].name;
  return (
    <Dialog
      title={running ? strings.testRunning : ended}
      {...(!running && refused !== null && { about: strings.callErrors[refused] })}
      onClose={onClose}
      wide
      buttons={
        <>
          <Button icon="refresh" disabled={running} onClick={() => setRound(round + 1)}>
            {strings.testAgain}
          </Button>
          <Button kind="main" onClick={onClose}>
            {strings.done}
          </Button>
        </>
      }
    >
      <ConnectionSteps running={running} />
    </Dialog>
  );
}

function PinDialog({ onClose }: { onClose: () => void }) {
  const { calls, strings, showMessage } = useTools();
  const { name } = strings.actions['change-pin'];
  const change = async (pin: string) => {
    const reply = await calls.ask('changePin', { pin });
    if (reply.ok && reply.output.result === 'weak') return reply.output.why;
    onClose();
    showMessage(
      reply.ok
        ? { tone: 'good', text: strings.pinChanged }
        : {
            ...{ tone: 'bad', text: strings.actionFailed(name), detail: strings.callErrors[reply.code] },
            technical: reply.message,
          },
    );
    return null;
  };
  return (
    <Dialog title={name} onClose={onClose}>
      <ChoosePin onChosen={change} />
    </Dialog>
  );
}
