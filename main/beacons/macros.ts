import { instant } from '../../shared/clock';
import { MAX_URL_LENGTH } from './beacon-budget';

/** Values for the macros of an event that a caller may know; absent: not known. */
export interface MacroValues {
  /** VAST error code, for error URLs only. */
  readonly errorCode?: number | null;
  /** Values of further macros (`ad-macros.ts`). */
  readonly macros?: ReadonlyMap<string, string>;
  /** When the event happened, ms since the epoch, UTC; absent: now. */
  readonly at?: number;
}

/** Values for a beacon's macros, fixed at the time of the event and not of the sending (rule 15). */
export interface BeaconEvent extends MacroValues {
  readonly at: number;
  /** Number for `[CACHEBUSTING]`, 0 to 99,999,999. */
  readonly cacheBuster: number;
}

/**
 * The URLs of one event that are sent, whose values are encoded only once. Fills the VAST macros `[TIMESTAMP]` (RFC
 * 3339), `[CACHEBUSTING]` (eight digits), for error URLs `[ERRORCODE]`, and those of the event, percent-encoded, and
 * appends the deployment's event-time parameter, if it has one. `=[timestamp]` in small letters, older than VAST, gets
 * the digits of `[CACHEBUSTING]`. Everything else stays verbatim, unknown macros included, and so do macros in a value.
 *
 * @returns a function of a URL and its longest length before the event time, UTF-16 code units. A URL that its
 *   macros would make longer stays unfilled: an ad chooses how often it repeats a long value (rule 31)
 */
export function beaconUrls(
  event: BeaconEvent,
  eventTimeParam: string | null,
): (url: string, longest?: number) => string {
  const encoded = new Map<string, string>();
  const encodedOf = (name: string): string | null => {
    const known = encoded.get(name);
    if (known !== undefined) return known;
    const value = macroValue(name, event);
    if (value === undefined) return null;
    // It throws for half a surrogate pair, which JSON can hold.
    const text = encodeURIComponent(value.toWellFormed());
    encoded.set(name, text);
    return text;
  };
  return (url, longest = MAX_URL_LENGTH) => {
    const filled = fillMacros(url, encodedOf, longest);
    return eventTimeParam === null ? filled : withEventTime(filled, eventTimeParam, event.at);
  };
}

/** Replaces the macros whose value is known; all other characters stay. */
function fillMacros(url: string, encodedOf: (name: string) => string | null, longest: number): string {
  let { length } = url;
  const filled = url.replace(/(?:\[|%5B)([A-Z]+)(?:\]|%5D)/gi, (macro: string, name: string, at: number) => {
    // Not the key of a list, as in `data[timestamp]=1`.
    const isOldCacheBuster = name === 'timestamp' && url[at - 1] === '=';
    const value = length > longest ? null : encodedOf(isOldCacheBuster ? 'CACHEBUSTING' : name);
    if (value === null) return macro;
    length += value.length - macro.length;
    return length > longest ? macro : value;
  });
  return length > longest ? url : filled;
}

function macroValue(name: string, { at, cacheBuster, errorCode, macros }: BeaconEvent): string | undefined {
  if (name === 'TIMESTAMP') return instant(at);
  if (name === 'CACHEBUSTING') return String(cacheBuster).padStart(8, '0');
  if (name === 'ERRORCODE' && errorCode != null) return String(errorCode);
  return macros?.get(name);
}

/** Appends the time of the event to the query; all other characters stay. */
function withEventTime(url: string, param: string, at: number): string {
  const fragmentAt = url.indexOf('#');
  const address = fragmentAt < 0 ? url : url.slice(0, fragmentAt);
  const fragment = fragmentAt < 0 ? '' : url.slice(fragmentAt);
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&';
  const time = encodeURIComponent(instant(at));
  return `${address}${joint}${encodeURIComponent(param)}=${time}${fragment}`;
}

/** A number for `[CACHEBUSTING]`. @param random uniform in [0, 1) */
export function eightDigits(random: () => number): number {
  return Math.floor(random() * 100_000_000);
}
