import type { FrequencyCap } from '../../shared/ad';

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/**
 * How a cap's window counts (rule 7). None has an upper bound, so plays stamped
 * in the future count. `flight` is also how an unknown window is kept.
 */
export type CapWindow =
  /** Plays at t > now − `length` (ms). */
  | { readonly kind: 'look-back'; readonly length: number }
  /** Plays at t ≥ the start of the UTC calendar period that holds now; `length`: of a period, ms. */
  | { readonly kind: 'calendar'; readonly period: CalendarPeriod; readonly length: number }
  /** Every play. */
  | { readonly kind: 'flight' };

export type CalendarPeriod = 'hour' | 'day' | 'week';

const FLIGHT: CapWindow = { kind: 'flight' };

const KNOWN_WINDOWS: ReadonlyMap<string, CapWindow> = new Map<string, CapWindow>([
  ['FREQUENCY_CAP_WINDOW_MINUTE', { kind: 'look-back', length: 60 * SECOND }],
  ['FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', { kind: 'look-back', length: 1800 * SECOND }],
  ['FREQUENCY_CAP_WINDOW_HOUR', { kind: 'calendar', period: 'hour', length: HOUR }],
  ['FREQUENCY_CAP_WINDOW_DAY', { kind: 'calendar', period: 'day', length: DAY }],
  ['FREQUENCY_CAP_WINDOW_WEEK', { kind: 'calendar', period: 'week', length: 7 * DAY }],
  ['FREQUENCY_CAP_WINDOW_FLIGHT', FLIGHT],
]);

/** The windows known by name, shortest first. */
export const CAP_WINDOWS: readonly string[] = [...KNOWN_WINDOWS.keys()];

/**
 * The window of a cap; an unknown one is kept as the whole flight (rule 7). Without trusted time
 * nobody knows when a calendar period ends: it looks back over its whole length then (rule 10).
 */
export function capWindow(window: string, isTrusted = true): CapWindow {
  const known = KNOWN_WINDOWS.get(window) ?? FLIGHT;
  return known.kind === 'calendar' && !isTrusted ? { kind: 'look-back', length: known.length } : known;
}

/** Whether `window` is one this player knows by name. */
export function isKnownWindow(window: string): boolean {
  return KNOWN_WINDOWS.has(window);
}

/** Start of the UTC hour, day or ISO week (Monday) that holds `at`; ms since the epoch. */
export function periodStart(period: CalendarPeriod, at: number): number {
  switch (period) {
    case 'hour':
      return Math.floor(at / HOUR) * HOUR;
    case 'day':
      return Math.floor(at / DAY) * DAY;
    case 'week': {
      // 1 January 1970 was a Thursday, so Mondays lie three days before multiples of seven.
      const day = Math.floor(at / DAY);
      return (Math.floor((day + 3) / 7) * 7 - 3) * DAY;
    }
  }
}

/** The first start of a period at or after `at`; ms since the epoch. */
export function nextPeriodStart(period: CalendarPeriod, at: number): number {
  const start = periodStart(period, at);
  if (start === at) return start;
  return start + (period === 'hour' ? HOUR : period === 'day' ? DAY : 7 * DAY);
}

/** One cap and how much of it is used; `window` as it came. */
export interface CapUse {
  readonly window: string;
  readonly limit: number;
  readonly used: number;
}

/** A cap is reached when its plays are as many as its limit; a limit of 0 always is (rule 7). */
export function isReached(use: CapUse): boolean {
  return use.used >= use.limit;
}

/** Caps that belong to no flight cannot be counted, so their ad does not play (rule 7). */
export function isUncountable(flightId: string | null, caps: readonly FrequencyCap[]): boolean {
  return flightId === null && caps.length > 0;
}
