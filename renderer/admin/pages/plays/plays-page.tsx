import { useEffect, useState } from 'react';
import type { AdminOutput, Period, PlayRow } from '../../../../shared/admin';
import { type PlayReport, type PlayTotals, playsIn } from '../../../../shared/play-report';
import { both, pageWords, plural, template } from '../../../translations';
import { startAction } from '../../action-dialogs';
import { onlyFresh, useNow, useQuery, useWords } from '../../overlay-context';
import { Button, Chip, Choice, Empty, Meter, QueryView, type Tone } from '../../parts/pieces';
import { type Column, Table } from '../../parts/table';
import { PeriodPicker, usePeriod } from '../../period-picker';
import { joinWithDots, type Strings, textForCode } from '../../wording';
import type { OverlayPage } from '../pages';

const COUNT_AGAIN_MS = 2_000;
type Tab = keyof ReturnType<typeof wordsOf>['tabs'];

/** Proof of play: totals of a period, and single plays. */
function Plays() {
  const { words, ...tools } = useWords(wordsOf);
  const period = usePeriod();
  return (
    <>
      <div className="a-wrap a-apart">
        <PeriodPicker />
        <Button kind="main" icon="export" onClick={() => startAction('export', tools)}>
          {words.export}
        </Button>
      </div>
      {period && <Report period={period} />}
    </>
  );
}

function Report({ period }: { period: Period }) {
  const { strings, words } = useWords(wordsOf);
  const answer = onlyFresh(useQuery('report', period, COUNT_AGAIN_MS));
  const [tab, setTab] = useState<Tab>('flights');
  return (
    <QueryView answer={answer}>
      {(output) => {
        if (output.state === 'counting') {
          const counting = words.counting(strings.shareText(output.done));
          return (
            <div className="a-column" role="status">
              <p>{counting}</p>
              <Meter value={output.done} label={counting} />
            </div>
          );
        }
        const { report } = output;
        if (playsIn(report.totals) === 0) return <Empty icon={page.icon}>{words.noPlays}</Empty>;
        return (
          <div className="a-report a-grow a-column">
            <Choice label={words.by} value={tab} options={words.tabs} onChoose={setTab} />
            {tab === 'plays' ? (
              <SinglePlays key={`${period.from} ${period.to}`} period={period} />
            ) : (
              <Lines report={report} tab={tab} />
            )}
          </div>
        );
      }}
    </QueryView>
  );
}

/** Numbers of beacons that were not sent, or perhaps not, by state; states without beacons are left out. */
function beaconCounts({ pending, unknown, failed }: PlayTotals['beacons'], strings: Strings): string {
  const counts = { open: pending, unknown, lost: failed };
  return joinWithDots(
    ...(['open', 'unknown', 'lost'] as const).map(
      (state) => counts[state] > 0 && `${strings.beaconStates[state]} ${strings.numberText(counts[state])}`,
    ),
  );
}

type Line = Partial<PlayTotals> &
  Pick<PlayTotals, 'completed' | 'viewedMs'> & {
    readonly name: string;
    readonly below: string | null;
    readonly plays: number;
  };

function linesOf(report: PlayReport, tab: Exclude<Tab, 'plays'>, strings: Strings): readonly Line[] {
  const words = wordsOf(strings);
  const line = (name: string, totals: PlayTotals, below: string | null = null): Line => ({
    ...totals,
    name,
    below,
    plays: playsIn(totals),
  });
  if (tab === 'hours') {
    return report.hours.toReversed().map((hour) => ({
      ...hour,
      name: strings.clockText(hour.hour).slice(0, 5),
      below: strings.dayText(hour.hour),
    }));
  }
  const { more } = report[tab];
  const all = line(strings.all, report.totals);
  const lines = {
    flights: report.flights.lines.map((one) =>
      line(one.flightId ?? strings.noFlight, one.totals, one.campaignId),
    ),
    campaigns: report.campaigns.lines.map((one) => line(one.campaignId ?? words.noCampaign, one.totals)),
    sources: report.sources.lines.map(({ source, sourceId, totals }) =>
      line(source ?? sourceId ?? words.noSource, totals, source === null ? null : sourceId),
    ),
  }[tab];
  const others = line(words.otherLines(more.lines), more.totals);
  return more.lines === 0 ? [all, ...lines] : [all, ...lines, others];
}

function Lines({ report, tab }: { report: PlayReport; tab: Exclude<Tab, 'plays'> }) {
  const { strings, words } = useWords(wordsOf);
  const lines = linesOf(report, tab, strings);
  const most = Math.max(1, ...lines.map(({ plays }) => plays));
  const { flight: flights, campaign: campaigns, source: sources } = strings;
  const first = { flights, campaigns, sources, hours: words.hour }[tab];
  const count = (n: number) => strings.numberText(n);
  const columns: ReadonlyArray<Column<Line>> = [
    { kind: 'name', head: first, cell: ({ name }) => name, below: ({ below }) => below },
    {
      head: words.playsTotal,
      cell: ({ plays }) => (
        <>
          <span className="a-strong">{count(plays)}</span>
          <div aria-hidden="true">
            <Meter value={plays / most} label={words.playsTotal} />
          </div>
        </>
      ),
    },
    {
      head: strings.outcomes.completed,
      cell: ({ plays, completed }) => (plays === 0 ? '—' : strings.shareText(completed / plays)),
      wraps: true,
      // A line for each: joined, they would be torn apart where the display is upright.
      below: ({ interrupted = 0, failed = 0 }) => (
        <>
          {interrupted > 0 && <div>{strings.interruptedCount(interrupted)}</div>}
          {failed > 0 && <div>{strings.failedCount(failed)}</div>}
        </>
      ),
    },
    { head: words.viewed, cell: ({ viewedMs }) => strings.spanText(viewedMs) },
    {
      head: strings.operations.beacons,
      cell: ({ beacons }) => (beacons === undefined ? '—' : count(beacons.sent)),
      wraps: true,
      below: ({ beacons }) => beacons && beaconCounts(beacons, strings),
    },
  ];
  return <Table key={tab} label={`${words.by} ${first}`} rows={lines} columns={columns} />;
}

/** The results of a play's scripts, with the number of each. */
function scriptsText(results: PlayRow['scripts'], strings: Strings): string {
  const words = [...new Set(results)].map((result) => {
    const count = results.filter((each) => each === result).length;
    return `${count === 1 ? '' : `${strings.numberText(count)} `}${textForCode(strings.scriptResults, result)}`;
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
  const { strings, words } = useWords(wordsOf);
  const now = useNow();
  const [known, setKnown] = useState<PlaysPage | null>(null);
  const [before, setBefore] = useState<PlaysPage['next']>(null);
  const answer = useQuery('plays', { period, before, limit: PLAYS_PER_PAGE }, null);
  const loaded = answer.fresh ? answer.output : null;
  useEffect(() => {
    if (loaded) setKnown((now) => ({ rows: [...(now?.rows ?? []), ...loaded.rows], next: loaded.next }));
  }, [loaded]);
  const columns: ReadonlyArray<Column<PlayRow>> = [
    {
      head: joinWithDots(words.time, words.viewed),
      cell: ({ at }) => strings.momentText(at, now),
      below: ({ viewedMs }) => strings.spanText(viewedMs),
    },
    {
      kind: 'name',
      head: strings.kinds.ad,
      cell: ({ adId }) => adId,
      below: ({ sourceId, guestErrors }) => (
        <>
          {sourceId ?? words.noSource}
          {guestErrors.length > 0 && (
            <div className="a-cut a-problem">{words.guestErrorsLine(guestErrors)}</div>
          )}
        </>
      ),
    },
    {
      head: strings.flight,
      cell: ({ flightId }) => flightId ?? strings.noFlight,
      below: ({ campaignId }) => campaignId,
    },
    {
      wraps: true,
      head: words.outcome,
      cell: ({ outcome }) => <Chip tone={TONES[outcome]}>{strings.outcomes[outcome]}</Chip>,
      below: ({ endReason }) => strings.endText(endReason),
    },
    {
      wraps: true,
      head: strings.operations.beacons,
      cell: ({ beacons }) => (beacons === null ? '—' : strings.numberText(beacons.sent)),
      below: ({ beacons, scripts }) => (
        <>
          {beacons && beaconCounts(beacons, strings)}
          {scripts.length > 0 && <div>{scriptsText(scripts, strings)}</div>}
        </>
      ),
    },
  ];
  return (
    <QueryView answer={{ ...answer, output: known, fresh: true }}>
      {({ rows, next }) => (
        <Table label={words.tabs.plays} rows={rows} onEnd={() => next && setBefore(next)} columns={columns} />
      )}
    </QueryView>
  );
}

const wordsOf = pageWords({
  name: both('Proof of play', 'Abspielnachweis'),
  tab: both('Proof', 'Nachweis'),
  /** `results`: of the scripts, with the number of each. */
  scriptsLine: template('JavaScript: {results}', 'JavaScript: {results}'),
  /** Errors in the banner or page that a play showed; at least one. */
  guestErrorsLine: both(
    (errors: readonly string[]) => `Script errors: ${errors.join(' · ')}`,
    (errors) => `Skriptfehler: ${errors.join(' · ')}`,
  ),
  playsTotal: both('Plays', 'Einblendungen'),
  viewed: both('Viewed', 'Gezeigt'),
  by: both('Totals by', 'Summen nach'),
  tabs: {
    flights: both('Flights', 'Flights'),
    campaigns: both('Campaigns', 'Kampagnen'),
    sources: both('Sources', 'Quellen'),
    hours: both('Hours', 'Stunden'),
    plays: both('Plays', 'Einzeln'),
  },
  hour: both('Hour', 'Stunde'),
  outcome: both('Outcome', 'Ergebnis'),
  time: both('Time', 'Zeit'),
  noCampaign: both('Without a campaign', 'Ohne Kampagne'),
  noSource: both('Without a source', 'Ohne Quelle'),
  otherLines: plural(['1 other', '{n} others'], ['1 andere', '{n} andere']),
  noPlays: both('No plays in this period.', 'Keine Einblendungen in diesem Zeitraum.'),
  counting: template(
    'Older plays are counted for the first time: {share}',
    'Ältere Einblendungen werden erstmals gezählt: {share}',
  ),
  export: both('Export', 'Export'),
});

export const page: OverlayPage = {
  icon: 'M4.5 20V4M4.5 20H20M8.5 16.5v-4M12.5 16.5V8M16.5 16.5V11',
  words: wordsOf,
  Page: Plays,
};
