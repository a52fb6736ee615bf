import type { Play } from '../../shared/play';
import {
  type HourTotals,
  MAX_REPORT_HOURS,
  MAX_REPORT_LINES,
  type PlayReport,
  type PlayTotals,
} from '../../shared/proof-of-play';

export const HOUR_MS = 3_600_000;

export const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS;

/** What a play counts under. */
interface Origin {
  readonly flightId: string | null;
  readonly campaignId: string | null;
  readonly sourceId: string | null;
  readonly source: string | null;
}

/** An origin as one value, for a key. */
export function originKey({ flightId, campaignId, sourceId, source }: Origin): string {
  return JSON.stringify([flightId, campaignId, sourceId, source]);
}

function originOf(key: string): Origin {
  const [flightId, campaignId, sourceId, source] = JSON.parse(key);
  return { flightId, campaignId, sourceId, source };
}

export type BeaconResults = PlayTotals['beacons'];

export function noTotals(): PlayTotals {
  return {
    completed: 0,
    interrupted: 0,
    failed: 0,
    unknown: 0,
    reserved: 0,
    givenBack: 0,
    viewedMs: 0,
    beacons: { sent: 0, unknown: 0, failed: 0, pending: 0 },
  };
}

/** How many plays these are: all but those given back (rule 8). */
export function playsIn(totals: PlayTotals): number {
  const { completed, interrupted, failed, unknown, reserved } = totals;
  return completed + interrupted + failed + unknown + reserved;
}

/** Adds a play to totals; one given back is no play, and its beacons are not counted (rule 8). */
export function addPlay(
  totals: PlayTotals,
  { outcome, viewedMs }: Play,
  beacons: BeaconResults | undefined,
): void {
  if (outcome === 'given-back') {
    totals.givenBack += 1;
    return;
  }
  totals[outcome] += 1;
  totals.viewedMs += viewedMs;
  if (beacons) addBeacons(totals.beacons, beacons);
}

/** Adds up plays one by one, and what was added up before, to a report. */
export interface PlayCounter {
  add(play: Play, beacons: BeaconResults | undefined): void;
  /** `hour` is its start, ms since the epoch; `origin` as `originKey` writes it. */
  merge(hour: number, origin: string, totals: PlayTotals): void;
  report(from: number, to: number): PlayReport;
}

export function createPlayCounter(): PlayCounter {
  const hours = new Map<number, HourTotals>();
  const origins = new Map<string, PlayTotals>();

  function merge(hour: number, origin: string, totals: PlayTotals): void {
    const known = origins.get(origin) ?? noTotals();
    addTotals(known, totals);
    origins.set(origin, known);
    const plays = playsIn(totals);
    if (plays === 0) return;
    const line = hours.get(hour) ?? { hour, plays: 0, completed: 0, viewedMs: 0 };
    line.plays += plays;
    line.completed += totals.completed;
    line.viewedMs += totals.viewedMs;
    hours.set(hour, line);
  }

  return {
    add(play, beacons) {
      const totals = noTotals();
      addPlay(totals, play, beacons);
      merge(hourOf(play.at), originKey(play), totals);
    },
    merge,
    report(from, to) {
      const all = noTotals();
      for (const totals of origins.values()) addTotals(all, totals);
      return {
        from,
        to,
        totals: all,
        hours: [...hours.values()].sort((a, b) => a.hour - b.hour).slice(-MAX_REPORT_HOURS),
        flights: linesOf(origins, ({ flightId, campaignId }) => ({ flightId, campaignId })),
        campaigns: linesOf(origins, ({ campaignId }) => ({ campaignId })),
        sources: linesOf(origins, ({ sourceId, source }) => ({ sourceId, source })),
      };
    },
  };
}

function linesOf<Key extends object>(
  origins: ReadonlyMap<string, PlayTotals>,
  keyOf: (origin: Origin) => Key,
) {
  const found = new Map<string, Key & { totals: PlayTotals }>();
  for (const [origin, totals] of origins) {
    const key = keyOf(originOf(origin));
    const name = JSON.stringify(key);
    const line = found.get(name) ?? { ...key, totals: noTotals() };
    addTotals(line.totals, totals);
    found.set(name, line);
  }
  const lines = [...found.values()].sort((a, b) => playsIn(b.totals) - playsIn(a.totals));
  const rest = noTotals();
  for (const { totals } of lines.slice(MAX_REPORT_LINES)) addTotals(rest, totals);
  return {
    lines: lines.slice(0, MAX_REPORT_LINES),
    more: { lines: Math.max(0, lines.length - MAX_REPORT_LINES), totals: rest },
  };
}

function addTotals(to: PlayTotals, from: PlayTotals): void {
  to.completed += from.completed;
  to.interrupted += from.interrupted;
  to.failed += from.failed;
  to.unknown += from.unknown;
  to.reserved += from.reserved;
  to.givenBack += from.givenBack;
  to.viewedMs += from.viewedMs;
  addBeacons(to.beacons, from.beacons);
}

export function addBeacons(to: BeaconResults, from: BeaconResults): void {
  to.sent += from.sent;
  to.unknown += from.unknown;
  to.failed += from.failed;
  to.pending += from.pending;
}
