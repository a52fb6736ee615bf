import type { CapWindowWords } from '../../shared/admin';

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How a cap's window counts (rule 7). None has an upper bound, so plays stamped in the future count. */
export type CapWindow =
  /** Plays at t > now − `length` (ms). */
  | { readonly kind: 'look-back'; readonly length: number }
  /**
   * Plays at t ≥ the start of the UTC calendar period that holds now. Every period is `length` ms long, and one begins
   * at `first`, ms since the epoch; both are whole hours.
   */
  | { readonly kind: 'calendar'; readonly length: number; readonly first: number }
  /** Every play. */
  | { readonly kind: 'flight' };

export interface DeclaredWindow {
  /** As the service names it. */
  readonly name: string;
  readonly counts: CapWindow;
  readonly words: CapWindowWords;
}

const lookBack = (length: number): CapWindow => ({ kind: 'look-back', length });
const calendar = (length: number, first = 0): CapWindow => ({ kind: 'calendar', length, first });
const named = (name: string, counts: CapWindow, words: DeclaredWindow['words']) => ({ name, counts, words });

/** 1 January 1970 was a Thursday. */
const A_MONDAY = -3 * DAY;

/**
 * The windows that this player knows (rule 7). Add a new window as the last line, because carried counts are stored in
 * this order. Judging, counting, storing, pruning, the overlay and the audit of caps in SQL are derived from it.
 */
export const KNOWN_WINDOWS: readonly DeclaredWindow[] = [
  named('FREQUENCY_CAP_WINDOW_MINUTE', lookBack(60 * SECOND), { en: 'minute', de: 'Minute' }),
  named('FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', lookBack(1800 * SECOND), { en: '30 min', de: '30 min' }),
  named('FREQUENCY_CAP_WINDOW_HOUR', calendar(HOUR), { en: 'hour', de: 'Stunde' }),
  named('FREQUENCY_CAP_WINDOW_DAY', calendar(DAY), { en: 'day', de: 'Tag' }),
  named('FREQUENCY_CAP_WINDOW_WEEK', calendar(7 * DAY, A_MONDAY), { en: 'week', de: 'Woche' }),
  named('FREQUENCY_CAP_WINDOW_FLIGHT', { kind: 'flight' }, { en: 'flight', de: 'Flight' }),
];
