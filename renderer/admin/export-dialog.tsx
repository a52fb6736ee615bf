import { useEffect, useState } from 'react';
import type { ExportFormat, ExportState, Period } from '../../shared/admin';
import { useNow, useQuery, useTools } from './overlay-context';
import { Dialog } from './parts/dialog';
import { Alert, Button, CardButton, Choice, Meter, QueryView } from './parts/pieces';
import { PeriodPicker, usePeriod } from './period-picker';
import type { Strings } from './strings/words';
import { bytesText, joinWithDots, momentText, shareText } from './wording';

const LOOK_FOR_DRIVES_MS = 2_000;
const PROGRESS_EVERY_MS = 500;

interface Order {
  readonly format: ExportFormat;
  /** Id of the target; null: the first USB drive or, without one, the first target. */
  readonly target: string | null;
}

/** Asks what to export and where to, and shows the progress. Without the page's `period` it asks for one too. */
export function ExportDialog({ onClose, period: given }: { onClose: () => void; period?: Period | null }) {
  const { strings } = useTools();
  const answer = useQuery('export', null, PROGRESS_EVERY_MS);
  const [anew, setAnew] = useState(false);
  // A new export after an interrupted one begins with the same choices.
  const [order, setOrder] = useState<Order>({ format: 'csv', target: null });
  const picker = usePeriod();
  const onStarted = () => {
    setAnew(false);
    answer.again();
  };
  return (
    <Dialog title={strings.actions.export.name} onClose={onClose} wide>
      <QueryView answer={answer}>
        {(state) =>
          state.state === 'none' || state.state === 'cancelled' || (anew && state.state !== 'running') ? (
            <>
              {given == null && <PeriodPicker picker={picker} />}
              <ExportChoice
                period={given ?? picker.period}
                order={order}
                onOrder={setOrder}
                onStarted={onStarted}
              />
            </>
          ) : (
            <ExportProgress state={state} onClose={onClose} onAnew={() => setAnew(true)} />
          )
        }
      </QueryView>
    </Dialog>
  );
}

function ExportChoice({
  period,
  order,
  onOrder,
  onStarted,
}: {
  period: Period | null;
  order: Order;
  onOrder: (order: Order) => void;
  onStarted: () => void;
}) {
  const { calls, strings, mayAct } = useTools();
  const targets = useQuery('exportTargets', null, LOOK_FOR_DRIVES_MS);
  const [problem, setProblem] = useState<string | null>(null);
  const { format } = order;
  const target =
    targets.output?.find(({ id }) => id === order.target) ??
    targets.output?.find(({ kind }) => kind === 'usb') ??
    targets.output?.[0];
  const start = async () => {
    if (target === undefined || period === null) return;
    const reply = await calls.ask('startExport', { target: target.id, format, period });
    if (reply.ok) onStarted();
    else setProblem(strings.callErrors[reply.code]);
  };
  return (
    <>
      <h3 className="a-label">{strings.format}</h3>
      <Choice
        label={strings.format}
        value={format}
        options={strings.formats}
        onChoose={(value) => onOrder({ ...order, format: value })}
      />
      <h3 className="a-label">{strings.target}</h3>
      <QueryView answer={targets}>
        {(all) => (
          <div className="a-column" role="group" aria-label={strings.target}>
            {all.map(({ id, kind, label, freeBytes }) => (
              <CardButton
                key={id}
                className="a-target"
                icon={kind === 'usb' ? 'usb' : 'folder'}
                name={kind === 'usb' ? label : strings.targets.folder}
                about={joinWithDots(
                  kind === 'usb' ? strings.targets.usb : label,
                  freeBytes !== null && strings.freeSpace(bytesText(freeBytes, strings)),
                )}
                aria-pressed={id === target?.id}
                onClick={() => onOrder({ ...order, target: id })}
              />
            ))}
            {!all.some(({ kind }) => kind === 'usb') && <p className="a-quiet">{strings.noUsb}</p>}
          </div>
        )}
      </QueryView>
      <Alert>{problem}</Alert>
      <div className="a-dialog-buttons a-wrap">
        <Button
          kind="main"
          icon="export"
          disabled={!mayAct || target === undefined || period === null}
          onClick={() => void start()}
        >
          {strings.startExport}
        </Button>
      </div>
    </>
  );
}

type Begun = Exclude<ExportState, { state: 'none' | 'cancelled' }>;

const TONES = { running: 'plain', interrupted: 'bad', finished: 'good' } as const;

function progressWords(state: Begun, now: number, strings: Strings): readonly [title: string, words: string] {
  switch (state.state) {
    case 'running':
      return [`${strings.exportRunning} · ${shareText(state.done, strings)}`, strings.exportRows(state.rows)];
    case 'interrupted':
      return [strings.exportInterrupted, strings.exportInterruptions[state.code]];
    case 'finished':
      return [
        joinWithDots(strings.exportFinished, momentText(state.at, now, strings)),
        strings.exportFinishedWords(strings.playCount(state.rows), bytesText(state.bytes, strings)),
      ];
  }
}

function ExportProgress({
  state,
  onClose,
  onAnew,
}: {
  state: Begun;
  onClose: () => void;
  onAnew: () => void;
}) {
  const { calls, strings, mayAct } = useTools();
  const [problem, setProblem] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a problem belongs to the state it came in.
  useEffect(() => setProblem(null), [state.state]);
  const cancel = async () => {
    const reply = await calls.ask('cancelExport', null);
    if (!reply.ok) setProblem(strings.callErrors[reply.code]);
  };
  const now = useNow();
  const [title, words] = progressWords(state, now, strings);
  const tone = TONES[state.state];
  return (
    <>
      <p className="a-export-state a-title" role="status">
        {title}
      </p>
      <Meter
        value={state.state === 'finished' ? 1 : state.done}
        label={strings.actions.export.name}
        tone={tone}
      />
      <p>{words}</p>
      <p className="a-quiet a-mono a-break">{state.file}</p>
      {state.state === 'running' && <p className="a-quiet">{strings.exportGoesOn}</p>}
      {state.state === 'finished' && state.target.kind === 'usb' && <p>{strings.ejectHint}</p>}
      {state.state === 'finished' && <p className="a-quiet a-mono a-break">SHA-256 {state.sha256}</p>}
      <Alert>{problem}</Alert>
      <div className="a-dialog-buttons a-wrap">
        {state.state === 'running' ? (
          <Button disabled={!mayAct} onClick={() => void cancel()}>
            {strings.cancel}
          </Button>
        ) : (
          <Button kind={tone === 'bad' ? 'main' : 'plain'} disabled={!mayAct} onClick={onAnew}>
            {strings.anotherExport}
          </Button>
        )}
        {state.state === 'finished' && (
          <Button kind="main" onClick={onClose}>
            {strings.done}
          </Button>
        )}
      </div>
    </>
  );
}
