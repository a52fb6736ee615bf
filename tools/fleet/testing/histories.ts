import * as fc from 'fast-check';
import { CAP_WINDOWS } from '../../../main/decisions/frequency-caps';
import type { SimplePlay } from './plays';

/*
 * Random histories of kiosks: what was played, which rows the sequence has, how it was cut into segments
 * and which of those arrived. Few flights, short gaps and low limits, so that caps are reached and exceeded.
 */

/** A row of the sequence: a revision of a play. Its sequence number is its place in the list, from 1. */
interface HistoryRow {
  readonly play: SimplePlay;
  readonly rev: number;
}

export interface EpochHistory {
  readonly epoch: number;
  readonly rows: readonly HistoryRow[];
  /** Number of rows of each segment, and its fate. */
  readonly segments: readonly { readonly size: number; readonly fate: Fate }[];
}
/**
 * `dropped`: the kiosk could not keep these rows, and never made a segment of them. `late`: set aside, and delivered
 * after the next segment was made. `late-lost`: the same, and lost by the receiver.
 */
export type Fate = 'arrived' | 'repeated' | 'lost' | 'set-aside' | 'late' | 'late-lost' | 'dropped';

export interface KioskHistory {
  readonly epochs: readonly EpochHistory[];
}

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** A Sunday evening: the hour, the day and the week change soon. */
export const START = Date.parse('2026-11-22T22:30:00.000Z');

const WINDOWS = [
  ...CAP_WINDOWS,
  // An unknown window that is hard to parse: counts as the whole flight.
  'ODD "}{" \\ WINDOW',
];

const caps = fc.array(fc.record({ window: fc.constantFrom(...WINDOWS), limit: fc.nat(6) }), { maxLength: 3 });

/** Time from one play to the next, ms; the longest ones reach into the next hour, day or week. */
const gap = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 40_000 }) },
  { weight: 2, arbitrary: fc.constantFrom(MINUTE, 30 * MINUTE, HOUR, DAY, MINUTE - 1, MINUTE + 1) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * DAY }) },
);

const step = fc.record({
  gap,
  flight: fc.constantFrom(null, 'f1', 'f1', 'f2', "f'3\\"),
  environment: fc.constantFrom('books', 'books', 'books', 'others'),
  outcome: fc.constantFrom('completed', 'completed', 'interrupted', 'failed', 'unknown', 'given-back'),
  source: fc.constantFrom(null, 'cms', 'ssp'),
  viewedMs: fc.nat(12_000),
  durationMs: fc.constantFrom(null, 5_000, 10_000),
  caps,
  /** Adds a revision of an earlier play: `back` plays ago, with its time moved by `moved` ms. */
  revision: fc.option(
    fc.record({ back: fc.nat(5), moved: fc.constantFrom(0, 0, 0, -HOUR, 5 * MINUTE, -2 * DAY) }),
    { freq: 4 },
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const fate = fc.constantFrom<Fate>(
  'arrived',
  'arrived',
  'arrived',
  'repeated',
  'lost',
  'set-aside',
  'late',
  'late-lost',
  'dropped',
);

const arrived = fc.constantFrom<Fate>('arrived', 'repeated');

/**
 * @param clockIsSteady whether no clock is ever corrected and no segment is missing: the times of plays never move,
 *   and never decrease along the sequence
 */
export function histories(clockIsSteady: boolean): fc.Arbitrary<KioskHistory[]> {
  const cut = fc.record({ size: fc.integer({ min: 1, max: 8 }), fate: clockIsSteady ? arrived : fate });
  const epoch = fc.record({
    steps: fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
    cuts: fc.array(cut, { minLength: 1, maxLength: 8 }),
    setBack: clockIsSteady
      ? fc.constant(null)
      : fc.option(fc.record({ after: fc.nat(30), by: fc.integer({ min: 1, max: 3 * HOUR }) })),
  });
  const kiosk = fc.array(epoch, { minLength: 1, maxLength: 2 });
  return fc.array(kiosk, { minLength: 1, maxLength: 3 }).map((kiosks) =>
    kiosks.map((epochs, number) => {
      let now = START;
      return {
        epochs: epochs.map(({ steps, cuts, setBack }, index) => {
          const plays: { play: SimplePlay; rev: number }[] = [];
          const rows: HistoryRow[] = [];
          for (const [place, each] of steps.entries()) {
            now += each.gap - (setBack?.after === place ? setBack.by : 0);
            const play = playOf(each, `k${number}-e${index}-p${place}`, now);
            plays.push({ play, rev: 0 });
            rows.push({ play, rev: 0 });
            const earlier = each.revision === null ? undefined : plays[plays.length - 1 - each.revision.back];
            if (!earlier || each.revision === null) continue;
            const moved = clockIsSteady ? 0 : each.revision.moved;
            earlier.play = {
              ...earlier.play,
              at: earlier.play.at + moved,
              viewedMs: earlier.play.viewedMs + 1,
            };
            earlier.rev += 1;
            rows.push({ play: earlier.play, rev: earlier.rev });
          }
          return { epoch: START - DAY + index, rows, segments: cuts };
        }),
      };
    }),
  );
}

function playOf(
  { flight, environment, outcome, source, viewedMs, durationMs, caps }: Step,
  id: string,
  at: number,
): SimplePlay {
  return {
    id,
    at,
    isShown: outcome !== 'given-back',
    outcome,
    viewedMs,
    durationMs,
    environment,
    flightId: flight,
    campaignId: flight === null ? null : `campaign of ${flight}`,
    source: source === null ? null : 'SOURCE_TYPE_CMS',
    sourceId: source,
    caps,
  };
}
