import { Fragment, useEffect, useState } from 'react';
import type { AdminOutput, Period, PlayRow } from '../../../../shared/admin';
import { type PlayReport, type PlayTotals, playsIn } from '../../../../shared/proof-of-play';
import { ExportDialog } from '../../export-dialog';
import { useModel, useQuery, useTools } from '../../overlay-context';
import { Button, Chip, Choice, Empty, Loading, Meter, QueryView, type Tone } from '../../parts/pieces';
import { Table, TwoLines } from '../../parts/table';
import { PeriodPicker, usePeriod } from '../../period-picker';
import type { Strings } from '../../strings/words';
import {
  clockText,
  dayText,
  endText,
  joinWithDots,
  momentText,
  numberText,
  shareText,
  spanText,
} from '../../wording';
import type { OverlayPage } from '../pages';
import { wordsOf } from './words';

const COUNT_AGAIN_MS = 5_000;
/** The same while main still counts old plays. */
const LOOK_AGAIN_MS = 1_000;
const TABS = ['flights', 'campaigns', 'sources', 'hours', 'plays'] as const;
type Tab = (typeof TABS)[number];

/** Proof of play: totals of a period, and single plays. */
function Plays() {
  const { strings } = useTools();
  const picker = usePeriod();
  const [exporting, setExporting] = useState(false);
  return (
    <div className="a-listing a-stack">
      <div className="a-plays-top a-wrap">
        <PeriodPicker picker={picker} />
        <Button kind="main" icon="export" onClick={() => setExporting(true)}>
          {wordsOf(strings).export}
        </Button>
      </div>
      {picker.period === null ? <Loading /> : <Report period={picker.period} />}
      {exporting && <ExportDialog period={picker.period} onClose={() => setExporting(false)} />}
    </div>
  );
}

function Report({ period }: { period: Period }) {
  const { strings } = useTools();
  const words = wordsOf(strings);
  const [lookMs, setLookMs] = useState(LOOK_AGAIN_MS);
  const answer = useQuery('report', period, lookMs);
  const isReady = answer.output?.state === 'ready';
  useEffect(() => setLookMs(isReady ? COUNT_AGAIN_MS : LOOK_AGAIN_MS), [isReady]);
  const [tab, setTab] = useState<Tab>('flights');
  return (
    <QueryView answer={answer}>
      {(output) => {
        if (output.state === 'counting') {
          const counting = words.counting(shareText(output.done, strings));
          return (
            <div className="a-column" role="status">
              <p>{counting}</p>
              <Meter value={output.done} label={counting} />
            </div>
          );
        }
        const { report } = output;
        return (
          <div className="a-report a-listing a-stack" data-fresh={answer.fresh}>
            <Totals report={report} />
            {playsIn(report.totals) === 0 ? (
              <Empty icon={page.icon}>{words.noPlays}</Empty>
            ) : (
              <>
                <Choice
                  label={words.by}
                  value={tab}
                  options={TABS.map((value) => ({ value, words: words.tabs[value] }))}
                  onChoose={setTab}
                />
                {tab === 'plays' ? (
                  <SinglePlays key={`${period.from} ${period.to}`} period={period} />
                ) : (
                  <Lines report={report} tab={tab} />
                )}
              </>
            )}
          </div>
        );
      }}
    </QueryView>
  );
}

/** Numbers of beacons by state; states without beacons are left out. */
function beaconCounts(
  beacons: PlayTotals['beacons'],
  states: readonly (keyof Strings['beaconStates'])[],
  strings: Strings,
): string {
  const counts = { ...beacons, open: beacons.pending, lost: beacons.failed };
  return joinWithDots(
    ...states.map(
      (state) => counts[state] > 0 && `${strings.beaconStates[state]} ${numberText(counts[state], strings)}`,
    ),
  );
}

function Totals({ report: { totals } }: { report: PlayReport }) {
  const { strings } = useTools();
  const words = wordsOf(strings);
  const { completed, interrupted, failed, viewedMs, beacons } = totals;
  const count = (n: number) => numberText(n, strings);
  const plays = playsIn(totals);
  const { outcomes } = strings;
  const shown: ReadonlyArray<readonly [name: string, value: string, detail: string | false]> = [
    [words.playsTotal, count(plays), false],
    [outcomes.completed, count(completed), plays > 0 && shareText(completed / plays, strings)],
    [outcomes.interrupted, count(interrupted), failed > 0 && `${outcomes.failed}: ${count(failed)}`],
    [words.viewed, spanText(viewedMs, strings), false],
    [strings.beacons, count(beacons.sent), beaconCounts(beacons, ['open', 'lost'], strings)],
  ];
  return (
    <dl className="a-totals a-grid">
      {shown.map(([name, value, detail]) => (
        <div key={name} className="a-total a-card">
          <dt className="a-note">{name}</dt>
          <dd className="a-wrap">
            <span className="a-title">{value}</span>
            {detail && <span className="a-note">{detail}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface Line extends Pick<PlayTotals, 'completed' | 'viewedMs'> {
  readonly name: string;
  readonly below: string | null;
  readonly plays: number;
  readonly beacons: PlayTotals['beacons'] | null;
}

function linesOf(report: PlayReport, tab: Exclude<Tab, 'plays'>, strings: Strings): readonly Line[] {
  const words = wordsOf(strings);
  const line = (name: string, below: string | null, totals: PlayTotals): Line => ({
    ...totals,
    name,
    below,
    plays: playsIn(totals),
  });
  if (tab === 'hours') {
    return report.hours.toReversed().map((hour) => ({
      ...hour,
      name: clockText(hour.hour, strings).slice(0, 5),
      below: dayText(hour.hour, strings),
      beacons: null,
    }));
  }
  const { more } = report[tab];
  const lines = {
    flights: () =>
      report.flights.lines.map((one) => line(one.flightId ?? strings.noFlight, one.campaignId, one.totals)),
    campaigns: () =>
      report.campaigns.lines.map((one) => line(one.campaignId ?? words.noCampaign, null, one.totals)),
    sources: () =>
      report.sources.lines.map(({ source, sourceId, totals }) =>
        line(source ?? sourceId ?? words.noSource, source === null ? null : sourceId, totals),
      ),
  }[tab]();
  const others = line(words.otherLines(more.lines), null, more.totals);
  return more.lines === 0 ? lines : [...lines, others];
}

function Lines({ report, tab }: { report: PlayReport; tab: Exclude<Tab, 'plays'> }) {
  const { strings } = useTools();
  const words = wordsOf(strings);
  const lines = linesOf(report, tab, strings);
  const most = Math.max(1, ...lines.map(({ plays }) => plays));
  const { flight: flights, campaign: campaigns, source: sources } = strings;
  const first = { flights, campaigns, sources, hours: words.hour }[tab];
  const count = (n: number) => numberText(n, strings);
  return (
    <Table
      key={tab}
      label={`${words.by} ${first}`}
      rows={lines}
      heads={{
        name: first,
        plays: words.playsTotal,
        completed: strings.outcomes.completed,
        viewed: words.viewed,
        beacons: strings.beacons,
      }}
      cells={({ name, below, plays, completed, viewedMs, beacons }) => [
        <TwoLines key="name" below={below}>
          <span className="a-cut a-strong">{name}</span>
        </TwoLines>,
        <TwoLines key="plays" below={null}>
          <span className="a-strong">{count(plays)}</span>
          <Meter value={plays / most} label={words.playsTotal} />
        </TwoLines>,
        <TwoLines key="completed" below={count(completed)}>
          {plays === 0 ? '—' : shareText(completed / plays, strings)}
        </TwoLines>,
        spanText(viewedMs, strings),
        beacons === null ? (
          '—'
        ) : (
          <TwoLines key="beacons" below={beaconCounts(beacons, ['open', 'lost'], strings)}>
            {count(beacons.sent)}
          </TwoLines>
        ),
      ]}
    />
  );
}

/** The results of a play's scripts, with the number of each. */
function scriptsText(results: PlayRow['scripts'], strings: Strings): string {
  const words = [...new Set(results)].map((result) => {
    const count = results.filter((each) => each === result).length;
    return `${count === 1 ? '' : `${numberText(count, strings)} `}${strings.scriptResults[result]}`;
  });
  return wordsOf(strings).scriptsLine(words.join(', '));
}

const PLAYS_PER_PAGE = 100;
type PlaysPage = AdminOutput<'plays'>;
const TONES: Readonly<Record<PlayRow['outcome'], Tone>> = {
  reserved: 'plain',
  completed: 'good',
  interrupted: 'warn',
  failed: 'bad',
  'given-back': 'quiet',
  unknown: 'quiet',
};

/** Single plays, newest first; scrolling to the end loads more. */
function SinglePlays({ period }: { period: Period }) {
  const { strings } = useTools();
  const words = wordsOf(strings);
  const now = useModel(({ home }) => home?.clock.now ?? period.to);
  const [known, setKnown] = useState<PlaysPage | null>(null);
  const [before, setBefore] = useState<PlaysPage['next']>(null);
  const answer = useQuery('plays', { period, before, limit: PLAYS_PER_PAGE }, null);
  const loaded = answer.fresh ? answer.output : null;
  useEffect(() => {
    if (loaded) setKnown((now) => ({ rows: [...(now?.rows ?? []), ...loaded.rows], next: loaded.next }));
  }, [loaded]);
  const missing = answer.refusal !== null && (
    <QueryView answer={{ ...answer, output: null }}>{() => null}</QueryView>
  );
  if (known === null) return missing || <Loading />;
  const { rows, next } = known;
  return (
    <>
      <Table
        label={words.tabs.plays}
        rows={rows}
        onEnd={() => next && setBefore(next)}
        heads={{
          time: words.time,
          name: strings.ad,
          flight: strings.flight,
          outcome: words.outcome,
          beacons: strings.beacons,
        }}
        cells={({ beacons, scripts, guestErrors, ...play }) => [
          <TwoLines key="time" below={`${words.viewed} ${spanText(play.viewedMs, strings)}`}>
            {momentText(play.at, now, strings)}
          </TwoLines>,
          <Fragment key="name">
            <TwoLines below={play.sourceId ?? words.noSource}>
              <span className="a-cut a-strong">{play.adId}</span>
            </TwoLines>
            {guestErrors.length > 0 && (
              <span className="a-note a-cut a-problem">{words.guestErrorsLine(guestErrors)}</span>
            )}
          </Fragment>,
          <TwoLines key="flight" below={play.campaignId}>
            {play.flightId ?? strings.noFlight}
          </TwoLines>,
          <TwoLines key="outcome" below={endText(play.endReason, strings)}>
            <Chip tone={TONES[play.outcome]}>{strings.outcomes[play.outcome]}</Chip>
          </TwoLines>,
          <TwoLines key="beacons" below={scripts.length > 0 && scriptsText(scripts, strings)}>
            {beacons === null
              ? '—'
              : `${strings.beaconStates.sent} ${joinWithDots(
                  numberText(beacons.sent, strings),
                  beaconCounts(beacons, ['open', 'unknown', 'lost'], strings),
                )}`}
          </TwoLines>,
        ]}
      />
      {missing}
    </>
  );
}

export const page: OverlayPage = {
  icon: 'M4.5 20V4M4.5 20H20M8.5 16.5v-4M12.5 16.5V8M16.5 16.5V11',
  words: wordsOf,
  Page: Plays,
};
