import { isKnownWindow } from '../../../main/decisions/frequency-caps';

/*
 * An oracle for the questions of the SQL files: slow and obvious, from the lines that arrived.
 */

export interface Row {
  readonly kind: string;
  readonly kiosk: string;
  readonly epoch: number;
  readonly seq: number;
  readonly rev: number;
  readonly id: string;
  readonly at: string;
  readonly shownAt: string | null;
  readonly outcome: string;
  readonly viewedMs: number;
  readonly durationMs: number | null;
  readonly environment: string;
  readonly flightId: string | null;
  readonly campaignId: string | null;
  readonly source: string | null;
  readonly sourceId: string | null;
  readonly caps: string;
  readonly first: number;
  readonly last: number;
  readonly setAside: string;
}

/** The distinct rows of these bodies. */
export function rowsIn(bodies: readonly string[]): Row[] {
  const lines = new Set(bodies.flatMap((body) => body.split('\n')).filter((line) => line !== ''));
  return [...lines].map((line) => JSON.parse(line) as Row);
}

/** The row with the highest revision of each play; of equal ones that of the higher epoch. */
function newestOf(rows: readonly Row[]): Row[] {
  const plays = rows.filter(({ kind }) => kind === 'play');
  const isNewer = (one: Row, other: Row) =>
    one.rev > other.rev || (one.rev === other.rev && one.epoch > other.epoch);
  return plays.filter(
    (row) => !plays.some((each) => each.kiosk === row.kiosk && each.id === row.id && isNewer(each, row)),
  );
}

const isIn = ({ at }: Row, from: string, to: string) =>
  Date.parse(at) >= Date.parse(from) && Date.parse(at) < Date.parse(to);
const counts = ({ outcome }: Row) => outcome !== 'given-back';

function groupBy<T>(items: readonly T[], key: (item: T) => readonly unknown[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = JSON.stringify(key(item));
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return [...groups.values()];
}

export function billing(rows: readonly Row[], from: string, to: string) {
  const asked = newestOf(rows).filter((row) => isIn(row, from, to));
  return groupBy(asked, (row) => [row.campaignId, row.flightId, row.source, row.sourceId]).map((plays) => {
    const [{ campaignId, flightId, source, sourceId }] = plays as [Row];
    const counted = plays.filter(counts);
    return {
      campaign: campaignId,
      flight: flightId,
      sourceName: source,
      sourceKey: sourceId,
      plays: counted.length,
      shown: counted.filter(({ shownAt }) => shownAt !== null).length,
      completed: plays.filter(({ outcome }) => outcome === 'completed').length,
      withinTolerance: counted.filter(
        ({ durationMs, viewedMs }) => durationMs !== null && Math.abs(viewedMs - durationMs) <= 500,
      ).length,
      voided: plays.length - counted.length,
      viewedSeconds: counted.reduce((sum, { viewedMs }) => sum + viewedMs, 0) / 1000,
      kiosks: new Set(counted.map(({ kiosk }) => kiosk)).size,
    };
  });
}

export function sourceMix(rows: readonly Row[], from: string, to: string) {
  const asked = newestOf(rows).filter((row) => counts(row) && isIn(row, from, to));
  return groupBy(asked, ({ sourceId }) => [sourceId]).map((plays) => ({
    sourceKey: plays[0]?.sourceId ?? null,
    plays: plays.length,
    share: plays.length / asked.length,
  }));
}

export function completeness(rows: readonly Row[]) {
  return groupBy(rows, ({ kiosk, epoch }) => [kiosk, epoch]).map((group) => {
    const [{ kiosk, epoch }] = group as [Row];
    const expected = expectedNumbers(group);
    const present = new Set(group.filter(({ kind }) => kind === 'play').map(({ seq }) => seq));
    return {
      kiosk,
      epoch,
      firstSeq: Math.min(...expected),
      lastSeq: Math.max(...expected),
      present: present.size,
      missing: expected.length - present.size,
      complete: present.size / expected.length,
      segments: group.filter(({ kind }) => kind === 'segment').length,
    };
  });
}

/** Each missing number on its own. */
export function missingNumbers(rows: readonly Row[]) {
  return groupBy(rows, ({ kiosk, epoch }) => [kiosk, epoch]).flatMap((group) => {
    const [{ kiosk, epoch }] = group as [Row];
    const present = new Set(group.filter(({ kind }) => kind === 'play').map(({ seq }) => seq));
    const [newest] = group.filter(({ kind }) => kind === 'segment').sort((a, b) => b.last - a.last);
    const told = newest ? setAsideIn(newest) : [];
    return expectedNumbers(group)
      .filter((seq) => !present.has(seq))
      .map((seq) => ({
        kiosk,
        epoch,
        seq,
        reason: reasonFor(seq, told),
      }));
  });
}

function reasonFor(seq: number, told: ReturnType<typeof setAsideIn>): string {
  const range = told.find(({ first, last }) => seq >= first && seq <= last);
  if (range === undefined) return 'missing';
  return range.digest === null ? 'dropped' : 'set aside';
}

function expectedNumbers(group: readonly Row[]): number[] {
  const told = group.flatMap((row) => (row.kind === 'segment' ? [row, ...setAsideIn(row)] : []));
  const first = Math.min(...told.map((range) => range.first), ...group.map(({ seq }) => seq));
  const last = Math.max(...group.map(({ seq }) => seq));
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const setAsideIn = ({ setAside }: Row) =>
  JSON.parse(setAside) as { first: number; last: number; digest: string | null }[];

const HOUR = 3_600_000;
const LENGTHS: Readonly<Record<string, number>> = {
  FREQUENCY_CAP_WINDOW_MINUTE: 60_000,
  FREQUENCY_CAP_WINDOW_THIRTY_MINUTES: 1_800_000,
  FREQUENCY_CAP_WINDOW_HOUR: HOUR,
  FREQUENCY_CAP_WINDOW_DAY: 24 * HOUR,
  FREQUENCY_CAP_WINDOW_WEEK: 7 * 24 * HOUR,
};

/** Whether a play at `then` still counts in a window at `now` (rule 7); ms. */
function isInside(window: string, then: number, now: number): boolean {
  const date = new Date(now);
  switch (window) {
    case 'FREQUENCY_CAP_WINDOW_MINUTE':
    case 'FREQUENCY_CAP_WINDOW_THIRTY_MINUTES':
      return then > now - (LENGTHS[window] ?? 0);
    case 'FREQUENCY_CAP_WINDOW_HOUR':
      return then >= date.setUTCMinutes(0, 0, 0);
    case 'FREQUENCY_CAP_WINDOW_DAY':
      return then >= date.setUTCHours(0, 0, 0, 0);
    case 'FREQUENCY_CAP_WINDOW_WEEK':
      date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
      return then >= date.setUTCHours(0, 0, 0, 0);
    case 'FREQUENCY_CAP_WINDOW_FLIGHT':
      return true;
    default:
      // A window that the player knows must be added here by hand: what is counted otherwise shows that it is right.
      if (isKnownWindow(window)) throw new Error(`The oracle of cap-audit.sql does not know ${window}.`);
      return true;
  }
}

/**
 * Plays that a cap did not allow, judged as a kiosk does: all plays earlier in the sequence count that lie inside the
 * window, also those with a later time (rule 7).
 */
export function overDeliveries(rows: readonly Row[]) {
  const played = inSequence(rows).filter(counts);
  return played.flatMap((play, place) => {
    const { kiosk, flightId, environment, id } = play;
    if (flightId === null) return [];
    const before = played
      .slice(0, place)
      .filter(
        (each) => each.kiosk === kiosk && each.flightId === flightId && each.environment === environment,
      );
    const now = Date.parse(play.at);
    const exceeded = (JSON.parse(play.caps) as { window: string; limit: number }[]).filter(
      ({ window, limit }) => before.filter(({ at }) => isInside(window, Date.parse(at), now)).length >= limit,
    );
    const distinct = new Map(exceeded.map((cap) => [JSON.stringify(cap), cap]));
    return [...distinct.values()].map(({ window, limit }) => ({
      kiosk,
      flight: flightId,
      capWindow: window,
      capLimit: limit,
      playId: id,
      playMs: now,
      nearCorrection: isNearCorrection(rows, play, LENGTHS[window] ?? 0),
    }));
  });
}

/** Newest revisions in the order in which the plays were first numbered. */
function inSequence(rows: readonly Row[]): Row[] {
  const first = (row: Row) =>
    rows
      .filter(({ kind, kiosk, id }) => kind === 'play' && kiosk === row.kiosk && id === row.id)
      .sort((a, b) => a.rev - b.rev)[0] ?? row;
  return newestOf(rows)
    .map((row) => ({ row, place: first(row) }))
    .sort((a, b) => a.place.epoch - b.place.epoch || a.place.seq - b.place.seq)
    .map(({ row }) => row);
}

/** Whether the clock was corrected within one window of the play: a play's time moved, or times do not ascend. */
function isNearCorrection(rows: readonly Row[], play: Row, length: number): boolean {
  if (length === 0) return false;
  const ofKiosk = rows.filter(({ kind, kiosk }) => kind === 'play' && kiosk === play.kiosk);
  const moved = groupBy(ofKiosk, ({ id }) => [id]).map((revisions) =>
    revisions.map(({ at }) => Date.parse(at)),
  );
  const order = inSequence(ofKiosk).map(({ at }) => Date.parse(at));
  const setBack = order.map((at, place) => [at, Math.max(at, order[place - 1] ?? at)]);
  const now = Date.parse(play.at);
  return [...moved, ...setBack].some((times) => {
    const low = Math.min(...times);
    const high = Math.max(...times);
    return low < high && now >= low - length && now <= high + length;
  });
}
