import { instant } from '../../shared/clock';

/** Values for the macros of an event that a caller may know; absent: not known. */
export interface MacroValues {
  /** VAST error code, for error URLs only. */
  readonly errorCode?: number;
  /** Values of further macros (`ad-macros.ts`). */
  readonly macros?: ReadonlyMap<string, string>;
}

/** Values for a beacon's macros, fixed at the time of the event and not of the sending (rule 15). */
export interface BeaconEvent extends Pick<MacroValues, 'macros'> {
  /** When the event happened, ms since the epoch, UTC. */
  readonly at: number;
  /** Number for `[CACHEBUSTING]`, 0 to 99,999,999. */
  readonly cacheBuster: number;
  /** VAST error code, for error URLs only. */
  readonly errorCode: number | null;
}

/**
 * The URL that is sent. Fills the VAST macros `[TIMESTAMP]` (RFC 3339), `[CACHEBUSTING]` (eight digits), for
 * error URLs `[ERRORCODE]`, and those of the event, percent-encoded, and appends the deployment's event-time
 * parameter, if it has one. Everything else stays verbatim, unknown macros included, and so do macros in a value.
 */
export function resolveBeaconUrl(url: string, event: BeaconEvent, eventTimeParam: string | null): string {
  const filled = fillMacros(url, event);
  return eventTimeParam === null ? filled : withEventTime(filled, eventTimeParam, event.at);
}

/** Replaces the macros whose value is known, percent-encoded; all other characters stay. */
function fillMacros(url: string, event: BeaconEvent): string {
  return url.replace(/(?:\[|%5B)([A-Z]+)(?:\]|%5D)/gi, (macro: string, name: string) => {
    const value = macroValue(name, event);
    return value === undefined ? macro : encodeURIComponent(value);
  });
}

function macroValue(name: string, { at, cacheBuster, errorCode, macros }: BeaconEvent): string | undefined {
  if (name === 'TIMESTAMP') return instant(at);
  if (name === 'CACHEBUSTING') return String(cacheBuster).padStart(8, '0');
  if (name === 'ERRORCODE' && errorCode !== null) return String(errorCode);
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
