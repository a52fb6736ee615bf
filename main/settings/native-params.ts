import { sensitiveByName } from './undocumented-params';

/** Parameters of the native request about a person: sent only if tracking is allowed (rule 20). */
const PERSONAL = ['idfa', 'gid', 'idfamd5', 'idfasha1', 'gidmd5', 'gidsha1', 'gender', 'age'] as const;
/** The store's place: sent under `dnt=1` too, but not under `coppa=1` (services for children). */
const PLACE = ['lat', 'long'] as const;

/** Parameters with a setting of their own beside `native.params`. */
export const NATIVE_SETTINGS: ReadonlySet<string> = new Set(['apptoken', 'zoneid', 'al', 'adcount']);

/** Printable ASCII, which every server and browser accepts in a header. */
const HEADER_VALUE = /^[\x20-\x7e]+$/;

interface Flags {
  readonly dnt?: unknown;
  readonly coppa?: unknown;
}

/** Rule 20: with `dnt=1` or `coppa=1` no data about a person leaves the kiosk. */
export function mayTrack({ dnt, coppa }: Flags): boolean {
  return dnt === '0' && coppa !== '1';
}

/** Whether the sensed age and gender of a single person may leave the kiosk (rule 20). */
export function maySendDemographics(native: {
  readonly sendSensorDemographics: boolean;
  readonly params: Flags;
}): boolean {
  return native.sendSensorDemographics && mayTrack(native.params);
}

/** Whether a parameter that the interface does not document may be sent, judged by its name (rule 20). */
export function maySendUndocumented(name: string, flags: Flags): boolean {
  const sensitive = sensitiveByName(name);
  return sensitive === null || (sensitive === 'person' ? mayTrack(flags) : flags.coppa !== '1');
}

/** One sentence for each parameter that is configured but never sent (rule 20), or not used. Pure. */
export function suppressedParams(params: Flags & Readonly<Record<string, string | undefined>>): string[] {
  const isForChildren = params.coppa === '1';
  const { ua } = params;
  const known: readonly string[] = [...PERSONAL, ...PLACE];
  const names = [
    ...(mayTrack(params) ? [] : PERSONAL),
    ...(isForChildren ? PLACE : []),
    ...Object.keys(params).filter((name) => !known.includes(name) && !maySendUndocumented(name, params)),
  ];
  const flag = isForChildren ? 'native.params.coppa is "1"' : 'native.params.dnt is "1"';
  const unsent = names
    .filter((name) => params[name] !== undefined)
    .map((name) => `native.params.${name} is not sent, because ${flag}. Remove one of the two.`);
  if (ua === undefined || sendable(ua) !== null) return unsent;
  return [
    ...unsent,
    'native.params.ua is not used as user agent, because a header takes printable ASCII only. Correct it.',
  ];
}

/**
 * The one user agent of native requests, of all beacons of their ads and of the
 * pages that run them (rule 19): that of the settings, else the browser's own.
 */
export function nativeUserAgent({ ua }: { readonly ua?: string | undefined }, browser: string): string {
  return (ua === undefined ? null : sendable(ua)) ?? browser;
}

function sendable(ua: string): string | null {
  const trimmed = ua.trim();
  return HEADER_VALUE.test(trimmed) ? trimmed : null;
}

/** Which advertising identifier a device of this operating system has, or null for neither (rule 20). */
export function identifierVendor(os: string): 'android' | 'apple' | null {
  const name = os.trim().toLowerCase();
  if (name.startsWith('android')) return 'android';
  return /^(ios|ipados|tvos|watchos|apple)/.test(name) ? 'apple' : null;
}
