import { useEffect, useState } from 'react';
import type { ActionName, AdminAction } from '../../shared/admin';
import { ChoosePin } from './choose-pin';
import { ConnectionSteps } from './connection-steps';
import { ExportDialog } from './export-dialog';
import { type OverlayTools, useModel, useTools } from './overlay-context';
import { Dialog } from './parts/dialog';
import { Button, Meter } from './parts/pieces';
import { SetUpDialog } from './set-up-form';
import { bytesText, numberText, shareText } from './wording';

/** What an action asks or shows before, or while, it is done. */
export type Undertaking =
  | { readonly kind: 'sure'; readonly action: DangerousAction }
  | { readonly kind: 'pause' | 'sound' | 'connection-test' | 'change-pin' | 'set-up' | 'export' };

const DANGEROUS = ['clear-media', 'restart-player', 'restart-kiosk', 'leave'] as const;
export type DangerousAction = (typeof DANGEROUS)[number];

/** What has to be asked first; null: nothing, it is done at once. */
export function undertakingOf(action: ActionName): Undertaking | null {
  const dangerous = DANGEROUS.find((name) => name === action);
  if (dangerous !== undefined) return { kind: 'sure', action: dangerous };
  switch (action) {
    case 'pause':
    case 'sound':
    case 'connection-test':
    case 'change-pin':
    case 'set-up':
    case 'export':
      return { kind: action };
    default:
      return null;
  }
}

/** Does an action and says what came of it. */
export async function perform(
  action: AdminAction,
  { calls, say, strings }: Pick<OverlayTools, 'calls' | 'say' | 'strings'>,
): Promise<void> {
  const { name } = strings.actions[action.action];
  const reply = await calls.ask('act', action);
  if (!reply.ok) {
    say({ tone: 'bad', text: strings.actionFailed(name), detail: strings.faults[reply.code] });
    return;
  }
  const { output } = reply;
  switch (output.result) {
    case 'done':
      say({ tone: 'good', text: strings.actionDone(name), detail: null });
      break;
    case 'cleared':
      say({
        tone: 'good',
        text: strings.cleared(numberText(output.files, strings), bytesText(output.bytes, strings)),
        detail: null,
      });
      break;
    case 'failed': {
      const words = strings.problems[output.code];
      say({
        tone: 'bad',
        text: strings.actionFailed(name),
        detail: words ? `${words.what} ${words.todo}` : null,
        technical: [output.message, words ? null : output.advice].filter((text) => text !== null).join(' '),
      });
      break;
    }
  }
}

export function UndertakingDialog({
  undertaking,
  onClose,
}: {
  undertaking: Undertaking;
  onClose: () => void;
}) {
  switch (undertaking.kind) {
    case 'sure':
      return <SureDialog action={undertaking.action} onClose={onClose} />;
    case 'pause':
      return <PauseDialog onClose={onClose} />;
    case 'sound':
      return <SoundDialog onClose={onClose} />;
    case 'connection-test':
      return <TestDialog onClose={onClose} />;
    case 'change-pin':
      return <PinDialog onClose={onClose} />;
    case 'export':
      return <ExportDialog onClose={onClose} period={null} />;
    case 'set-up':
      return <SetUpDialog onClose={onClose} />;
  }
}

function SureDialog({ action, onClose }: { action: DangerousAction; onClose: () => void }) {
  const tools = useTools();
  const words = tools.strings.sure[action];
  return (
    <Dialog
      alert
      title={words.ask}
      about={words.about}
      onClose={onClose}
      buttons={
        <>
          <Button onPress={onClose}>{tools.strings.cancel}</Button>
          <Button
            kind="danger"
            icon={action}
            onPress={() => {
              onClose();
              void perform({ action }, tools);
            }}
          >
            {words.yes}
          </Button>
        </>
      }
    />
  );
}

const PAUSES = [5, 15, 30, 60, 120, 240, 480] as const;

function PauseDialog({ onClose }: { onClose: () => void }) {
  const tools = useTools();
  const { strings } = tools;
  return (
    <Dialog title={strings.pauseFor} about={strings.pauseAbout} onClose={onClose}>
      <div className="a-pauses">
        {PAUSES.map((minutes) => (
          <Button
            key={minutes}
            onPress={() => {
              onClose();
              void perform({ action: 'pause', minutes }, tools);
            }}
          >
            {minutes < 60 ? strings.minutes(minutes) : strings.hoursLong(minutes / 60)}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}

const VOLUME_STEP = 0.1;

function SoundDialog({ onClose }: { onClose: () => void }) {
  const { calls, strings, say } = useTools();
  const told = useModel(({ home }) => home?.sound.volume ?? 0);
  const [chosen, setChosen] = useState<number | null>(null);
  const volume = chosen ?? told;
  const choose = async (wanted: number) => {
    const next = Math.min(1, Math.max(0, Math.round(wanted * 10) / 10));
    setChosen(next);
    const reply = await calls.ask('act', { action: 'sound', volume: next });
    if (!reply.ok)
      say({
        tone: 'bad',
        text: strings.actionFailed(strings.actions.sound.name),
        detail: strings.faults[reply.code],
      });
  };
  return (
    <Dialog
      title={strings.volume}
      onClose={onClose}
      buttons={
        <>
          <Button icon="muted" onPress={() => void choose(0)} disabled={volume === 0}>
            {strings.muted}
          </Button>
          <Button kind="main" onPress={onClose}>
            {strings.done}
          </Button>
        </>
      }
    >
      <div className="a-volume">
        <Button
          icon="minus"
          label={strings.quieter}
          disabled={volume <= 0}
          onPress={() => void choose(volume - VOLUME_STEP)}
        />
        <div className="a-volume-shown">
          <output className="a-volume-number">
            {volume === 0 ? strings.muted : shareText(volume, strings)}
          </output>
          <Meter value={volume} label={strings.volume} />
        </div>
        <Button
          icon="plus"
          label={strings.louder}
          disabled={volume >= 1}
          onPress={() => void choose(volume + VOLUME_STEP)}
        />
      </div>
    </Dialog>
  );
}

function TestDialog({ onClose }: { onClose: () => void }) {
  const { calls, strings, tell } = useTools();
  const steps = useModel((model) => model.steps);
  const [state, setState] = useState<'running' | 'over' | string>('running');
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: every round is a test.
  useEffect(() => {
    let gone = false;
    tell({ kind: 'test-begins' });
    setState('running');
    void calls.ask('testConnection', null).then((reply) => {
      if (!gone) setState(reply.ok ? 'over' : strings.faults[reply.code]);
    });
    return () => {
      gone = true;
    };
  }, [round]);
  const title =
    state === 'running'
      ? strings.testRunning
      : steps.every(({ ok }) => ok)
        ? strings.testGood
        : strings.testBad;
  return (
    <Dialog
      title={state === 'running' || state === 'over' ? title : strings.actions['connection-test'].name}
      {...(state === 'running' || state === 'over' ? {} : { about: state })}
      onClose={onClose}
      wide
      buttons={
        <>
          <Button icon="refresh" disabled={state === 'running'} onPress={() => setRound(round + 1)}>
            {strings.testAgain}
          </Button>
          <Button kind="main" onPress={onClose}>
            {strings.done}
          </Button>
        </>
      }
    >
      <ConnectionSteps steps={steps} running={state === 'running'} />
    </Dialog>
  );
}

function PinDialog({ onClose }: { onClose: () => void }) {
  const { calls, strings, say } = useTools();
  const [refused, setRefused] = useState<Parameters<typeof ChoosePin>[0]['refused']>(null);
  const [tries, setTries] = useState(0);
  const change = async (pin: string) => {
    const reply = await calls.ask('changePin', { pin });
    if (reply.ok && reply.output.result === 'weak') {
      setRefused(reply.output.why);
      setTries(tries + 1);
      return;
    }
    onClose();
    say(
      reply.ok
        ? { tone: 'good', text: strings.pinChanged, detail: null }
        : { tone: 'bad', text: strings.actionFailed(strings.changePin), detail: strings.faults[reply.code] },
    );
  };
  return (
    <Dialog title={strings.changePin} onClose={onClose}>
      <ChoosePin key={tries} refused={refused} onChosen={(pin) => void change(pin)} onEscape={null} />
    </Dialog>
  );
}
