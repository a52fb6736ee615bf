import { useEffect, useState } from 'react';
import type { ExportFormat, Period } from '../../shared/admin';
import { useAnswer, useModel, useTools } from './overlay-context';
import { Dialog } from './parts/dialog';
import { Icon } from './parts/icon';
import { Button, Choice, Meter, Skeleton } from './parts/pieces';
import { PeriodPicker, type PickedPeriod, usePeriod } from './period-picker';
import { bytesText, numberText, shareText } from './wording';

const LOOK_FOR_DRIVES_MS = 2_000;

/** Asks what to export and where to, and shows how it goes. `period`: what is on the page; null: to be chosen. */
export function ExportDialog({ onClose, period }: { onClose: () => void; period: Period | null }) {
  const { strings } = useTools();
  const state = useModel((model) => model.export);
  const [anew, setAnew] = useState(false);
  // Who broke one off and tries again meant the same.
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [chosen, setChosen] = useState<string | null>(null);
  const picker = usePeriod();
  const choosing =
    state.state === 'none' || state.state === 'cancelled' || (anew && state.state !== 'running');
  return (
    <Dialog title={strings.exportTitle} onClose={onClose} wide>
      {choosing ? (
        <ExportChoice
          given={period}
          order={{ format, setFormat, chosen, setChosen, picker }}
          onStarted={() => setAnew(false)}
        />
      ) : (
        <ExportProgress onClose={onClose} onAnew={() => setAnew(true)} />
      )}
    </Dialog>
  );
}

interface Order {
  readonly format: ExportFormat;
  readonly setFormat: (format: ExportFormat) => void;
  /** Id of the target; null: the likeliest. */
  readonly chosen: string | null;
  readonly setChosen: (id: string) => void;
  readonly picker: PickedPeriod;
}

function ExportChoice({
  given,
  order: { format, setFormat, chosen, setChosen, picker },
  onStarted,
}: {
  given: Period | null;
  order: Order;
  onStarted: () => void;
}) {
  const { calls, strings, mayAct, tell, monotonic } = useTools();
  const { output: targets } = useAnswer('exportTargets', null, LOOK_FOR_DRIVES_MS);
  const [problem, setProblem] = useState<string | null>(null);
  const period = given ?? picker.period;
  const target =
    targets?.find(({ id }) => id === chosen) ??
    targets?.find(({ kind }) => kind === 'usb') ??
    targets?.[0] ??
    null;
  const start = async () => {
    if (target === null || period === null) return;
    const reply = await calls.ask('startExport', { target: target.id, format, period });
    if (!reply.ok) {
      setProblem(strings.faults[reply.code]);
      return;
    }
    tell({ kind: 'told', message: { kind: 'export', export: reply.output }, at: monotonic() });
    onStarted();
  };
  return (
    <>
      {given === null && <PeriodPicker picker={picker} />}
      <h3 className="a-label">{strings.format}</h3>
      <Choice
        label={strings.format}
        value={format}
        options={(['csv', 'ndjson'] as const).map((value) => ({ value, words: strings.formats[value] }))}
        onChoose={setFormat}
      />
      <h3 className="a-label">{strings.target}</h3>
      {targets === null ? (
        <Skeleton lines={2} />
      ) : (
        <div className="a-targets" role="group" aria-label={strings.target}>
          {targets.map(({ id, kind, label, freeBytes }) => (
            <button
              key={id}
              type="button"
              className="a-target"
              aria-pressed={id === target?.id}
              onClick={() => setChosen(id)}
            >
              <Icon name={kind === 'usb' ? 'usb' : 'folder'} />
              <span className="a-target-words">
                <span className="a-target-name">{kind === 'usb' ? label : strings.targets.folder}</span>
                <span className="a-quiet a-cut">
                  {[
                    kind === 'folder' ? label : strings.targets.usb,
                    freeBytes === null ? null : strings.freeSpace(bytesText(freeBytes, strings)),
                  ]
                    .filter((words) => words !== null)
                    .join(' · ')}
                </span>
              </span>
            </button>
          ))}
          {!targets.some(({ kind }) => kind === 'usb') && <p className="a-quiet">{strings.noUsb}</p>}
        </div>
      )}
      {problem !== null && (
        <p className="a-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="a-dialog-buttons">
        <Button
          kind="main"
          icon="export"
          disabled={!mayAct || target === null || period === null}
          onPress={() => void start()}
        >
          {strings.startExport}
        </Button>
      </div>
    </>
  );
}

function ExportProgress({ onClose, onAnew }: { onClose: () => void; onAnew: () => void }) {
  const { calls, strings, mayAct, tell, monotonic } = useTools();
  const state = useModel((model) => model.export);
  const [problem, setProblem] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a problem is of the state it came in.
  useEffect(() => setProblem(null), [state.state]);
  const cancel = async () => {
    const reply = await calls.ask('cancelExport', null);
    if (reply.ok) tell({ kind: 'told', message: { kind: 'export', export: reply.output }, at: monotonic() });
    else setProblem(strings.faults[reply.code]);
  };
  if (state.state === 'none' || state.state === 'cancelled') return null;
  const rows = numberText(state.rows, strings);
  return (
    <>
      <div className="a-export" data-state={state.state}>
        <p className="a-export-state" role="status">
          {state.state === 'running'
            ? `${strings.exportRunning} · ${shareText(state.done, strings)}`
            : state.state === 'finished'
              ? strings.exportFinished
              : strings.exportInterrupted}
        </p>
        <Meter
          value={state.state === 'finished' ? 1 : state.done}
          label={strings.exportTitle}
          tone={state.state === 'finished' ? 'good' : state.state === 'interrupted' ? 'bad' : 'plain'}
        />
        <p>
          {state.state === 'finished'
            ? strings.exportFinishedWords(rows, bytesText(state.bytes, strings))
            : state.state === 'interrupted'
              ? strings.exportInterruptions[state.code]
              : strings.exportRows(rows)}
        </p>
        <p className="a-quiet a-mono a-break">{state.file}</p>
        {state.state === 'running' && <p className="a-quiet">{strings.exportGoesOn}</p>}
        {state.state === 'finished' && state.target.kind === 'usb' && <p>{strings.ejectHint}</p>}
        {state.state === 'finished' && <p className="a-quiet a-mono a-break">SHA-256 {state.sha256}</p>}
      </div>
      {problem !== null && (
        <p className="a-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="a-dialog-buttons">
        {state.state === 'running' && (
          <Button disabled={!mayAct} onPress={() => void cancel()}>
            {strings.cancel}
          </Button>
        )}
        {state.state === 'interrupted' && (
          <Button kind="main" disabled={!mayAct} onPress={onAnew}>
            {strings.anotherExport}
          </Button>
        )}
        {state.state === 'finished' && (
          <>
            <Button onPress={onAnew}>{strings.anotherExport}</Button>
            <Button kind="main" onPress={onClose}>
              {strings.done}
            </Button>
          </>
        )}
      </div>
    </>
  );
}
