import { useState } from 'react';
import type { ExportFormat, ExportState, ExportTarget } from '../../shared/admin';
import { useNow, useQuery, useTools } from './overlay-context';
import { Button, Choice, Meter, QueryView } from './parts/pieces';
import { PeriodPicker, usePeriod } from './period-picker';
import { joinWithDots, type Strings } from './wording';

const LOOK_FOR_DRIVES_MS = 2_000;
const PROGRESS_EVERY_MS = 500;

/** Asks what to export and where to, and shows how far the last export is. */
export function Export() {
  const { call, strings, mayAct, showProblem } = useTools();
  const period = usePeriod();
  const [format, setFormat] = useState<ExportFormat>('csv');
  /** Id of the target; null: the first USB drive or, without one, the first target. */
  const [chosen, setChosen] = useState<string | null>(null);
  const [isStarting, setStarting] = useState(false);
  const exported = useQuery('export', null, PROGRESS_EVERY_MS);
  const targets = useQuery('exportTargets', null, LOOK_FOR_DRIVES_MS);
  const target =
    targets.output?.find(({ id, kind }) => (chosen === null ? kind === 'usb' : id === chosen)) ??
    (chosen === null ? targets.output?.[0] : undefined);
  const start = async () => {
    if (target === undefined || period === null) return;
    // A drive that is pulled out does not make the next export go elsewhere.
    if (target.kind === 'usb') setChosen(target.id);
    setStarting(true);
    const reply = await call('startExport', { target: target.id, format, period });
    setStarting(false);
    if (reply.ok) exported.again();
    else showProblem(strings.startExport, reply);
  };
  const isRunning = exported.output?.state === 'running';
  return (
    <>
      <QueryView answer={exported}>
        {(state) => state.state !== 'none' && state.state !== 'cancelled' && <Progress state={state} />}
      </QueryView>
      <PeriodPicker />
      <h3 className="a-label">{strings.format}</h3>
      <Choice label={strings.format} value={format} options={strings.formats} onChoose={setFormat} />
      <h3 className="a-label">{strings.target}</h3>
      <QueryView answer={targets}>
        {(all) => (
          <>
            <Choice
              label={strings.target}
              value={target?.id ?? ''}
              options={Object.fromEntries(all.map((one) => [one.id, targetText(one, strings)]))}
              onChoose={setChosen}
            />
            {!all.some(({ kind }) => kind === 'usb') && <p className="a-quiet">{strings.noUsb}</p>}
          </>
        )}
      </QueryView>
      <div className="a-dialog-buttons a-wrap">
        <Button
          kind="main"
          icon="export"
          disabled={!mayAct || isStarting || isRunning || target === undefined || period === null}
          onClick={() => void start()}
        >
          {strings.startExport}
        </Button>
      </div>
    </>
  );
}

function targetText({ kind, label, freeBytes }: ExportTarget, strings: Strings): string {
  const free = freeBytes !== null && strings.freeSpace(strings.bytesText(freeBytes));
  return joinWithDots(strings.targets[kind], label, free);
}

type Begun = Exclude<ExportState, { state: 'none' | 'cancelled' }>;

const TONES = { running: 'plain', interrupted: 'bad', finished: 'good' } as const;

function progressWords(state: Begun, now: number, strings: Strings): readonly [title: string, words: string] {
  switch (state.state) {
    case 'running':
      return [`${strings.exportRunning} · ${strings.shareText(state.done)}`, strings.exportRows(state.rows)];
    case 'interrupted':
      return [strings.exportInterrupted, strings.exportInterruptions[state.code]];
    case 'finished':
      return [
        joinWithDots(strings.exportFinished, strings.momentText(state.at, now)),
        strings.exportFinishedWords(strings.playCount(state.rows), strings.bytesText(state.bytes)),
      ];
  }
}

function Progress({ state }: { state: Begun }) {
  const { call, strings, mayAct, showProblem } = useTools();
  const cancel = async () => {
    const reply = await call('cancelExport', null);
    if (!reply.ok) showProblem(strings.cancel, reply);
  };
  const [title, words] = progressWords(state, useNow(), strings);
  return (
    <div className="a-card a-column">
      <p className="a-export-state a-title" role="status">
        {title}
      </p>
      <Meter
        value={state.state === 'finished' ? 1 : state.done}
        label={strings.actions.export.name}
        tone={TONES[state.state]}
      />
      <p>{words}</p>
      <p className="a-break">{targetText({ ...state.target, freeBytes: null }, strings)}</p>
      <p className="a-quiet a-mono a-break">{state.file}</p>
      {state.state === 'running' && (
        <>
          <p className="a-quiet">{strings.exportGoesOn}</p>
          <Button disabled={!mayAct} onClick={() => void cancel()}>
            {strings.cancel}
          </Button>
        </>
      )}
      {state.state === 'finished' && state.target.kind === 'usb' && <p>{strings.ejectHint}</p>}
      {state.state === 'finished' && <p className="a-quiet a-mono a-break">SHA-256 {state.sha256}</p>}
    </div>
  );
}
