const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How a cap's window counts (rule 7). None has an upper bound, so plays stamped in the future count. */
export type CapWindow =
  /** Plays at t > now − `length` (ms). */
  | { readonly kind: 'look-back'; readonly length: number }
  /** Plays at t ≥ the start of the UTC calendar period that holds now. */
  | {
      readonly kind: 'calendar';
      /** The length of the longest such period, ms. None is shorter than half of it. */
      readonly length: number;
      /** The start of the period that holds `at`: a whole UTC hour. Both in ms since the epoch. */
      readonly startOf: (at: number) => number;
    }
  /** Every play. */
  | { readonly kind: 'flight' };

/** A calendar period of `length` ms; one of them begins at `first`, ms since the epoch. */
const every = (length: number, first = 0): CapWindow => ({
  kind: 'calendar',
  length,
  startOf: (at) => Math.floor((at - first) / length) * length + first,
});

/** 1 January 1970 was a Thursday. */
const A_MONDAY = -3 * DAY;

/**
 * The windows that this player knows, by name (rule 7). Add a new window as the last line, because carried counts are
 * stored in this order. Judging, counting, storing and pruning are derived from it.
 */
export const CAP_WINDOWS_BY_NAME: ReadonlyMap<string, CapWindow> = new Map<string, CapWindow>([
  ['FREQUENCY_CAP_WINDOW_MINUTE', { kind: 'look-back', length: 60 * SECOND }],
  ['FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', { kind: 'look-back', length: 1800 * SECOND }],
  ['FREQUENCY_CAP_WINDOW_HOUR', every(HOUR)],
  ['FREQUENCY_CAP_WINDOW_DAY', every(DAY)],
  ['FREQUENCY_CAP_WINDOW_WEEK', every(7 * DAY, A_MONDAY)],
  ['FREQUENCY_CAP_WINDOW_FLIGHT', { kind: 'flight' }],
]);
