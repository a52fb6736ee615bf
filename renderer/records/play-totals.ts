import type { Play } from '../../shared/play';
import {
  type HourTotals,
  MAX_REPORT_HOURS,
  MAX_REPORT_LINES,
  type PlayReport,
  type PlayTotals,
} from '../../shared/proof-of-play';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS;
export const dayOf = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;

/** What a play counts under. */
interface Origin {
  readonly flightId: string | null;
  readonly campaignId: string | null;
  readonly sourceId: string | null;
  readonly source: string | null;
}

/** The plays of one origin, counted. */
export interface OriginTotals extends Origin {
  readonly totals: PlayTotals;
}

/** Some plays, counted: by hour, and by origin. */
export interface CountedPlays {
  readonly hours: readonly HourTotals[];
  readonly origins: readonly OriginTotals[];
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

/** Adds up plays one by one, or what was added up before. */
export interface PlayCounter {
  add(play: Play, beacons: BeaconResults | null): void;
  merge(counted: CountedPlays): void;
  counted(): CountedPlays;
}

export function createPlayCounter(): PlayCounter {
  const hours = new Map<number, HourTotals>();
  const origins = new Map<string, OriginTotals>();

  function totalsOf({ flightId, campaignId, sourceId, source }: Origin): PlayTotals {
    const key = JSON.stringify([flightId, campaignId, sourceId, source]);
    const known = origins.get(key);
    if (known) return known.totals;
    const totals = noTotals();
    origins.set(key, { flightId, campaignId, sourceId, source, totals });
    return totals;
  }

  function addHour({ hour, plays, completed, viewedMs }: HourTotals): void {
    const known = hours.get(hour);
    if (known) {
      known.plays += plays;
      known.completed += completed;
      known.viewedMs += viewedMs;
    } else hours.set(hour, { hour, plays, completed, viewedMs });
  }

  return {
    add(play, beacons) {
      const totals = totalsOf(play);
      const { outcome } = play;
      if (outcome === 'given-back') {
        totals.givenBack += 1;
        return;
      }
      totals[outcome] += 1;
      totals.viewedMs += play.viewedMs;
      if (beacons) addBeacons(totals.beacons, beacons);
      addHour({
        hour: hourOf(play.at),
        plays: 1,
        completed: outcome === 'completed' ? 1 : 0,
        viewedMs: play.viewedMs,
      });
    },
    merge(counted) {
      for (const origin of counted.origins) addTotals(totalsOf(origin), origin.totals);
      for (const hour of counted.hours) addHour(hour);
    },
    counted: () => ({
      hours: [...hours.values()].sort((a, b) => a.hour - b.hour),
      origins: [...origins.values()],
    }),
  };
}

/** Whether anything of these can still change: a play on the screen, a beacon on its way. */
export function isSettled({ origins }: CountedPlays): boolean {
  return origins.every(({ totals }) => totals.reserved === 0 && totals.beacons.pending === 0);
}

/** The report of a period over all that was counted in it. */
export function reportOf(from: number, to: number, { hours, origins }: CountedPlays): PlayReport {
  const all = noTotals();
  for (const { totals } of origins) addTotals(all, totals);
  return {
    from,
    to,
    totals: all,
    hours: hours.slice(-MAX_REPORT_HOURS),
    flights: linesOf(origins, ({ flightId, campaignId }) => ({ flightId, campaignId })),
    campaigns: linesOf(origins, ({ campaignId }) => ({ campaignId })),
    sources: linesOf(origins, ({ sourceId, source }) => ({ sourceId, source })),
  };
}

function linesOf<Key extends object>(origins: readonly OriginTotals[], keyOf: (origin: Origin) => Key) {
  const found = new Map<string, Key & { totals: PlayTotals }>();
  for (const origin of origins) {
    const key = keyOf(origin);
    const name = JSON.stringify(key);
    const line = found.get(name) ?? { ...key, totals: noTotals() };
    addTotals(line.totals, origin.totals);
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

function addBeacons(to: BeaconResults, from: BeaconResults): void {
  to.sent += from.sent;
  to.unknown += from.unknown;
  to.failed += from.failed;
  to.pending += from.pending;
}
