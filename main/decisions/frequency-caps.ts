import type { FrequencyCap } from '../../shared/ad';
import type { CapWindowWords } from '../../shared/admin';
import { type CapWindow, KNOWN_WINDOWS } from './cap-windows';

const FLIGHT: CapWindow = { kind: 'flight' };

export type CalendarWindow = Extract<CapWindow, { kind: 'calendar' }>;

/** Names of the windows, in the order of their declaration. */
export const CAP_WINDOWS: readonly string[] = KNOWN_WINDOWS.map(({ name }) => name);

const byName = new Map(KNOWN_WINDOWS.map((window) => [window.name, window]));

const lengths = (...kinds: CapWindow['kind'][]): number[] =>
  KNOWN_WINDOWS.flatMap(({ counts }) =>
    counts.kind !== 'flight' && kinds.includes(counts.kind) ? [counts.length] : [],
  );

/** The length of the longest look-back window, ms; 0 when there is none. */
export const LONGEST_LOOK_BACK_MS = Math.max(0, ...lengths('look-back'));

/** The length of the longest window that ends, ms. */
export const LONGEST_WINDOW_MS = Math.max(0, ...lengths('look-back', 'calendar'));

/**
 * The window of a cap. An unknown one counts as the whole flight (rule 7). Without trusted time the start of a calendar
 * period is unknown, so such a window looks back over its full length instead (rule 10).
 */
export function capWindow(window: string, isTrusted = true): CapWindow {
  const known = byName.get(window)?.counts ?? FLIGHT;
  return known.kind === 'calendar' && !isTrusted ? { kind: 'look-back', length: known.length } : known;
}

export function isKnownWindow(window: string): boolean {
  return byName.has(window);
}

/** What the overlay calls a window; null: it is unknown. */
export function windowWords(window: string): CapWindowWords | null {
  return byName.get(window)?.words ?? null;
}

/** The start of the period of a calendar window that holds `at`; both in ms since the epoch. */
export function periodStart({ length, first }: CalendarWindow, at: number): number {
  return Math.floor((at - first) / length) * length + first;
}

/** The first start of a period of a calendar window at or after `at`; ms since the epoch. */
export function nextPeriodStart({ length, first }: CalendarWindow, at: number): number {
  return Math.ceil((at - first) / length) * length + first;
}

/** One cap and how much of it is used; `window` as the service names it. */
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
