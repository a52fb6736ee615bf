import { useCallback, useEffect, useRef, useState } from 'react';
import type { Period, PlayRow } from '../../../shared/admin';
import type { PlayReport, PlayTotals } from '../../../shared/proof-of-play';
import { ExportDialog } from '../export-dialog';
import { useAnswer, useModel, useTools } from '../overlay-context';
import { Button, Chip, Choice, Empty, Meter, Refused, Skeleton, type Tone } from '../parts/pieces';
import { PlayChart } from '../parts/play-chart';
import { VirtualRows } from '../parts/virtual-rows';
import { PeriodPicker, usePeriod } from '../period-picker';
import type { Strings } from '../strings';
import { clockText, dayText, endText, momentText, numberText, shareText, spanText } from '../wording';

const COUNT_AGAIN_MS = 5_000;
/** While what is over is still being counted. */
const LOOK_AGAIN_MS = 1_000;
const TABS = ['flights', 'campaigns', 'sources', 'hours', 'plays'] as const;
type Tab = (typeof TABS)[number];

function playsOf(totals: PlayTotals): number {
  return totals.completed + totals.interrupted + totals.failed + totals.unknown + totals.reserved;
}

/** What has played, in numbers: the proof that the operator is paid by. */
export function PlaysPage() {
  const { strings } = useTools();
  const picker = usePeriod();
  const [exporting, setExporting] = useState(false);
  return (
    <div className="a-plays">
      <div className="a-plays-top">
        <PeriodPicker picker={picker} />
        <Button kind="main" icon="export" onPress={() => setExporting(true)}>
          {strings.export}
        </Button>
      </div>
      <ExportBanner onOpen={() => setExporting(true)} />
      {picker.period === null ? <Skeleton lines={8} /> : <Report period={picker.period} />}
      {exporting && <ExportDialog period={picker.period} onClose={() => setExporting(false)} />}
    </div>
  );
}

function ExportBanner({ onOpen }: { onOpen: () => void }) {
  const { strings } = useTools();
  const state = useModel((model) => model.export);
  if (state.state !== 'running' && state.state !== 'interrupted') return null;
  return (
    <button
      type="button"
      className="a-banner"
      data-tone={state.state === 'running' ? 'plain' : 'bad'}
      onClick={onOpen}
    >
      <span>
        {state.state === 'running'
          ? `${strings.exportRunning} · ${shareText(state.done, strings)}`
          : `${strings.exportInterrupted}: ${strings.exportInterruptions[state.code]}`}
      </span>
      <Meter
        value={state.done}
        label={strings.exportTitle}
        tone={state.state === 'running' ? 'plain' : 'bad'}
      />
    </button>
  );
}

function Report({ period }: { period: Period }) {
  const { strings } = useTools();
  const [lookMs, setLookMs] = useState(LOOK_AGAIN_MS);
  const { output, refusal, again, fresh } = useAnswer('report', period, lookMs);
  const isReady = output?.state === 'ready';
  useEffect(() => setLookMs(isReady ? COUNT_AGAIN_MS : LOOK_AGAIN_MS), [isReady]);
  const [tab, setTab] = useState<Tab>('flights');
  if (output === null) {
    return refusal === null ? (
      <Skeleton lines={8} />
    ) : (
      <Refused code={refusal.code} message={refusal.message} onRetry={again} />
    );
  }
  if (output.state === 'counting') {
    const words = strings.counting(shareText(output.done, strings));
    return (
      <div className="a-counting" role="status">
        <p>{words}</p>
        <Meter value={output.done} label={words} />
      </div>
    );
  }
  const { report } = output;
  const plays = playsOf(report.totals);
  const tabWords: Record<Tab, string> = {
    flights: strings.flights,
    campaigns: strings.campaigns,
    sources: strings.sources,
    hours: strings.hours,
    plays: strings.singlePlays,
  };
  return (
    <div className="a-report" data-fresh={fresh}>
      <Totals report={report} />
      {plays === 0 ? (
        <Empty icon="plays">{strings.noPlays}</Empty>
      ) : (
        <>
          <PlayChart report={report} />
          <Choice
            label={strings.by}
            value={tab}
            options={TABS.map((value) => ({ value, words: tabWords[value] }))}
            onChoose={setTab}
          />
          {tab === 'plays' ? <SinglePlays period={period} /> : <Lines report={report} tab={tab} />}
        </>
      )}
    </div>
  );
}

function Totals({ report: { totals } }: { report: PlayReport }) {
  const { strings } = useTools();
  const count = (n: number) => numberText(n, strings);
  const plays = playsOf(totals);
  const { beacons } = totals;
  return (
    <dl className="a-totals">
      <Total name={strings.playsTotal} value={count(plays)} />
      <Total
        name={strings.outcomes.completed}
        value={count(totals.completed)}
        detail={plays === 0 ? null : shareText(totals.completed / plays, strings)}
      />
      <Total
        name={strings.outcomes.interrupted}
        value={count(totals.interrupted)}
        detail={totals.failed > 0 ? `${strings.outcomes.failed}: ${count(totals.failed)}` : null}
      />
      <Total name={strings.viewed} value={spanText(totals.viewedMs, strings)} />
      <Total
        name={strings.pages.beacons}
        value={count(beacons.sent)}
        detail={[
          beacons.pending > 0 ? `${strings.open} ${count(beacons.pending)}` : null,
          beacons.failed > 0 ? `${strings.lost} ${count(beacons.failed)}` : null,
        ]
          .filter((words) => words !== null)
          .join(' · ')}
      />
    </dl>
  );
}

function Total({ name, value, detail }: { name: string; value: string; detail?: string | null }) {
  return (
    <div className="a-total">
      <dt>{name}</dt>
      <dd>
        <span className="a-total-value">{value}</span>
        {detail !== undefined && detail !== null && detail !== '' && (
          <span className="a-total-detail">{detail}</span>
        )}
      </dd>
    </div>
  );
}

interface Line {
  readonly key: string;
  readonly name: string;
  readonly below: string | null;
  readonly plays: number;
  readonly completed: number;
  readonly viewedMs: number;
  readonly beacons: PlayTotals['beacons'] | null;
}

function useLines(report: PlayReport, tab: Exclude<Tab, 'plays'>): readonly Line[] {
  const { strings } = useTools();
  const line = (key: string, name: string, below: string | null, totals: PlayTotals): Line => ({
    key,
    name,
    below,
    plays: playsOf(totals),
    completed: totals.completed,
    viewedMs: totals.viewedMs,
    beacons: totals.beacons,
  });
  const withMore = (lines: readonly Line[], more: { lines: number; totals: PlayTotals }) =>
    more.lines === 0
      ? lines
      : [...lines, line('more', strings.otherLines(numberText(more.lines, strings)), null, more.totals)];
  switch (tab) {
    case 'flights':
      return withMore(
        report.flights.lines.map(({ flightId, campaignId, totals }) =>
          line(`${flightId} ${campaignId}`, flightId ?? strings.noFlight, campaignId, totals),
        ),
        report.flights.more,
      );
    case 'campaigns':
      return withMore(
        report.campaigns.lines.map(({ campaignId, totals }) =>
          line(`${campaignId}`, campaignId ?? strings.noCampaign, null, totals),
        ),
        report.campaigns.more,
      );
    case 'sources':
      return withMore(
        report.sources.lines.map(({ sourceId, source, totals }) =>
          line(
            `${sourceId} ${source}`,
            source ?? sourceId ?? strings.noSource,
            source === null ? null : sourceId,
            totals,
          ),
        ),
        report.sources.more,
      );
    case 'hours':
      return report.hours
        .map(({ hour, plays, completed, viewedMs }) => ({
          key: String(hour),
          name: clockText(hour, strings).slice(0, 5),
          below: dayText(hour, strings),
          plays,
          completed,
          viewedMs,
          beacons: null,
        }))
        .reverse();
  }
}

function Lines({ report, tab }: { report: PlayReport; tab: Exclude<Tab, 'plays'> }) {
  const { strings } = useTools();
  const lines = useLines(report, tab);
  const most = Math.max(1, ...lines.map(({ plays }) => plays));
  const first = {
    flights: strings.flight,
    campaigns: strings.campaign,
    sources: strings.source,
    hours: strings.hour,
  }[tab];
  const heads = [
    first,
    strings.playsTotal,
    strings.outcomes.completed,
    strings.viewed,
    strings.pages.beacons,
  ];
  const count = (n: number) => numberText(n, strings);
  return (
    <VirtualRows
      key={tab}
      label={`${strings.by} ${first}`}
      columns="lines"
      count={lines.length}
      head={heads.map((words) => (
        <span key={words} role="columnheader" className="a-cell">
          {words}
        </span>
      ))}
      row={(index) => {
        const line = lines[index];
        if (line === undefined) return null;
        return (
          <div key={line.key} className="a-row" role="row" aria-rowindex={index + 2}>
            <span role="cell" className="a-cell" data-cell="name">
              <span className="a-cut a-strong">{line.name}</span>
              {line.below !== null && <span className="a-cell-below">{line.below}</span>}
            </span>
            <span role="cell" className="a-cell" data-cell="plays">
              <span className="a-number">{count(line.plays)}</span>
              <span className="a-share">
                <span style={{ width: `${(100 * line.plays) / most}%` }} />
              </span>
            </span>
            <span role="cell" className="a-cell" data-cell="completed">
              <span>{line.plays === 0 ? '—' : shareText(line.completed / line.plays, strings)}</span>
              <span className="a-cell-below">{count(line.completed)}</span>
            </span>
            <span role="cell" className="a-cell" data-cell="viewed">
              {spanText(line.viewedMs, strings)}
            </span>
            <span role="cell" className="a-cell" data-cell="beacons">
              {line.beacons === null ? (
                '—'
              ) : (
                <>
                  <span>{count(line.beacons.sent)}</span>
                  {line.beacons.failed + line.beacons.pending > 0 && (
                    <span className="a-cell-below">
                      {[
                        line.beacons.pending > 0 ? `${strings.open} ${count(line.beacons.pending)}` : null,
                        line.beacons.failed > 0 ? `${strings.lost} ${count(line.beacons.failed)}` : null,
                      ]
                        .filter((words) => words !== null)
                        .join(' · ')}
                    </span>
                  )}
                </>
              )}
            </span>
          </div>
        );
      }}
    />
  );
}

/** What became of a play's beacons: what was sent, and whatever else there is. */
function beaconsText({ sent, pending, unknown, failed }: PlayTotals['beacons'], strings: Strings): string {
  const rest = [
    [strings.open, pending],
    [strings.doubtful, unknown],
    [strings.lost, failed],
  ] as const;
  const words = rest.flatMap(([name, count]) => (count > 0 ? [`${name} ${numberText(count, strings)}`] : []));
  return [`${strings.sent} ${numberText(sent, strings)}`, ...words].join(' · ');
}

/** How many of a play's scripts came to which end. */
function scriptsText(results: PlayRow['scripts'], strings: Strings): string {
  const words = [...new Set(results)].map((result) => {
    const count = results.filter((each) => each === result).length;
    return `${count === 1 ? '' : `${numberText(count, strings)} `}${strings.scriptResults[result]}`;
  });
  return strings.scriptsLine(words.join(', '));
}

const PLAYS_PER_PAGE = 100;
const TONES: Readonly<Record<PlayRow['outcome'], Tone>> = {
  reserved: 'plain',
  completed: 'good',
  interrupted: 'warn',
  failed: 'bad',
  'given-back': 'quiet',
  unknown: 'quiet',
};

/** Play by play, newest first; more are asked for as the end comes into sight. */
function SinglePlays({ period }: { period: Period }) {
  const { calls, strings } = useTools();
  const now = useModel(({ home }) => home?.clock.now ?? period.to);
  const [rows, setRows] = useState<readonly PlayRow[] | null>(null);
  const next = useRef<{ at: number; id: string } | null>(null);
  const asking = useRef(false);
  const { from, to } = period;

  const more = useCallback(
    async (before: { at: number; id: string } | null, gone: () => boolean) => {
      asking.current = true;
      const reply = await calls.ask('plays', {
        period: { from, to },
        flightId: null,
        before,
        limit: PLAYS_PER_PAGE,
      });
      if (gone()) return;
      asking.current = false;
      const page = reply.ok ? reply.output : { rows: [], next: null };
      next.current = page.next;
      setRows((known) => [...(known ?? []), ...page.rows]);
    },
    [calls, from, to],
  );
  const life = useRef(0);
  useEffect(() => {
    life.current += 1;
    const mine = life.current;
    setRows(null);
    void more(null, () => mine !== life.current);
    return () => {
      life.current += 1;
    };
  }, [more]);
  const length = rows?.length ?? 0;
  const onRange = useCallback(
    ({ last }: { last: number }) => {
      const mine = life.current;
      if (last >= length && next.current !== null && !asking.current)
        void more(next.current, () => mine !== life.current);
    },
    [length, more],
  );
  if (rows === null) return <Skeleton lines={6} />;
  return (
    <VirtualRows
      label={strings.singlePlays}
      columns="plays"
      count={rows.length}
      onRange={onRange}
      head={[strings.time, strings.ad, strings.flight, strings.outcome, strings.pages.beacons].map(
        (words) => (
          <span key={words} role="columnheader" className="a-cell">
            {words}
          </span>
        ),
      )}
      row={(index) => {
        const play = rows[index];
        if (play === undefined) return null;
        return (
          <div key={play.id} className="a-row" role="row" aria-rowindex={index + 2}>
            <span role="cell" className="a-cell" data-cell="time">
              <span>{momentText(play.at, now, strings)}</span>
              <span className="a-cell-below">
                {strings.viewed} {spanText(play.viewedMs, strings)}
              </span>
            </span>
            <span role="cell" className="a-cell" data-cell="name">
              <span className="a-cut a-strong">{play.adId}</span>
              <span className="a-cell-below">{play.sourceId ?? strings.noSource}</span>
              {play.guestErrors.length > 0 && (
                <span className="a-cell-below" data-tone="bad">
                  {strings.guestErrorsLine(play.guestErrors)}
                </span>
              )}
            </span>
            <span role="cell" className="a-cell" data-cell="flight">
              <span className="a-cut">{play.flightId ?? strings.noFlight}</span>
              <span className="a-cell-below">{play.campaignId ?? ''}</span>
            </span>
            <span role="cell" className="a-cell" data-cell="outcome">
              <Chip tone={TONES[play.outcome]}>{strings.outcomes[play.outcome]}</Chip>
              <span className="a-cell-below">{endText(play.endReason, strings)}</span>
            </span>
            <span role="cell" className="a-cell" data-cell="beacons">
              <span className="a-cut">
                {play.beacons === null ? '—' : beaconsText(play.beacons, strings)}
              </span>
              {play.scripts.length > 0 && (
                <span className="a-cell-below">{scriptsText(play.scripts, strings)}</span>
              )}
            </span>
          </div>
        );
      }}
    />
  );
}
