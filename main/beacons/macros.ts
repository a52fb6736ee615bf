import { instant } from '../../shared/clock';

/** Values for a beacon's macros, fixed at the time of the event and not of the sending (rule 15). */
export interface BeaconEvent {
  /** When the event happened, ms since the epoch, UTC. */
  readonly at: number;
  /** Number for `[CACHEBUSTING]`, 0 to 99,999,999. */
  readonly cacheBuster: number;
  /** VAST error code, for error URLs only. */
  readonly errorCode: number | null;
  /** Values of further macros (`ad-macros.ts`); absent: none. */
  readonly macros?: ReadonlyMap<string, string>;
}

/**
 * The URL that is sent. Fills the VAST macros `[TIMESTAMP]` (RFC 3339), `[CACHEBUSTING]` (eight digits), for
 * error URLs `[ERRORCODE]`, and those of the event, percent-encoded, and appends the deployment's event-time
 * parameter, if it has one. Everything else stays verbatim, unknown macros included, and so do macros in a value.
 */
export function resolveBeaconUrl(url: string, event: BeaconEvent, eventTimeParam: string | null): string {
  const values = new Map([
    ...(event.macros ?? []),
    ['TIMESTAMP', instant(event.at)],
    ['CACHEBUSTING', String(event.cacheBuster).padStart(8, '0')],
  ]);
  if (event.errorCode !== null) values.set('ERRORCODE', String(event.errorCode));
  const filled = fillMacros(url, values);
  return eventTimeParam === null ? filled : withEventTime(filled, eventTimeParam, event.at);
}

/** Replaces the macros in `values`, percent-encoded; all other characters stay. */
function fillMacros(url: string, values: ReadonlyMap<string, string>): string {
  return url.replace(/(?:\[|%5B)([A-Z]+)(?:\]|%5D)/gi, (macro: string, name: string) => {
    const value = values.get(name);
    return value === undefined ? macro : encodeURIComponent(value);
  });
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
