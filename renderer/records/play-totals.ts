import type { BeaconResults, PlayBeacons } from '../../shared/beacon';
import { HOUR_MS } from '../../shared/clock';
import type { Play } from '../../shared/play';
import {
  type HourTotals,
  MAX_REPORT_HOURS,
  MAX_REPORT_LINES,
  PLAY_COUNTS,
  type PlayReport,
  type PlayTotals,
  type ProvenPlay,
  playsIn,
} from '../../shared/play-report';

export const hourOf = (at: number) => Math.floor(at / HOUR_MS) * HOUR_MS;

/** The keys that a play is counted under. */
type Origin = Pick<Play, 'flightId' | 'campaignId' | 'sourceId' | 'source'>;

export function originKey({ flightId, campaignId, sourceId, source }: Origin): string {
  return JSON.stringify([flightId, campaignId, sourceId, source]);
}

function originOf(key: string): Origin {
  const [flightId, campaignId, sourceId, source] = JSON.parse(key);
  return { flightId, campaignId, sourceId, source };
}

const RESULTS = ['sent', 'unknown', 'failed', 'pending'] as const;

export const noResults = (): BeaconResults => ({ sent: 0, unknown: 0, failed: 0, pending: 0 });

const SUMS = [...PLAY_COUNTS, 'givenBack', 'viewedMs'] as const;

export function noTotals(): PlayTotals {
  const outcomes = { completed: 0, interrupted: 0, failed: 0, unknown: 0, reserved: 0, givenBack: 0 };
  return { ...outcomes, viewedMs: 0, beacons: noResults() };
}

/** Adds a play to totals; a void play counts as none, and its beacons are not counted (rule 8). */
export function addPlay(
  totals: PlayTotals,
  { outcome, viewedMs }: Play,
  beacons: BeaconResults | undefined,
): void {
  if (outcome === 'given-back') totals.givenBack += 1;
  else {
    totals[outcome] += 1;
    totals.viewedMs += viewedMs;
    if (beacons) addBeacons(totals.beacons, beacons);
  }
}

/** Adds up totals to a report. */
export function createPlayCounter() {
  const hours = new Map<number, HourTotals>();
  const origins = new Map<string, PlayTotals>();

  return {
    /** `hour` as in `HourTotals`; `origin` as `originKey` writes it. */
    add(hour: number, origin: string, totals: PlayTotals): void {
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
    },
    report(from: number, to: number): PlayReport {
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
  for (const name of SUMS) to[name] += from[name];
  addBeacons(to.beacons, from.beacons);
}

function addBeacons(to: BeaconResults, from: BeaconResults): void {
  for (const name of RESULTS) to[name] += from[name];
}

/** The beacons and scripts of a play, as its proof states them. */
export function provenOf(row: PlayBeacons | undefined): Omit<ProvenPlay, 'play'> {
  if (!row) return { beacons: null };
  const { sent, unknown, failed, pending, scripts } = row;
  return { beacons: { sent, unknown, failed, pending }, ...(scripts ? { scripts } : {}) };
}
