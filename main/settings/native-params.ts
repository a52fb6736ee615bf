/** Parameters of the native request that say who somebody is: sent only with leave to track (rule 20). */
const PERSONAL = ['idfa', 'gid', 'idfamd5', 'idfasha1', 'gidmd5', 'gidsha1', 'gender', 'age'] as const;
/** Where the store is: sent under `dnt=1`, and not to a service that serves children. */
const PLACE = ['lat', 'long'] as const;

/** Parameters with a setting of their own beside `native.params`. */
export const NATIVE_SETTINGS: ReadonlySet<string> = new Set(['apptoken', 'zoneid', 'al', 'adcount']);

interface Flags {
  readonly dnt?: string | undefined;
  readonly coppa?: string | undefined;
}

/** Rule 20: with `dnt=1` or `coppa=1` nothing that says who somebody is leaves the kiosk. */
export function mayTrack({ dnt, coppa }: Flags): boolean {
  return dnt === '0' && coppa !== '1';
}

/** What is configured and never sent, one sentence each (rule 20). Pure. */
export function suppressedParams(params: Flags & Readonly<Record<string, string | undefined>>): string[] {
  const isForChildren = params.coppa === '1';
  const names = [...(mayTrack(params) ? [] : PERSONAL), ...(isForChildren ? PLACE : [])];
  const flag = isForChildren ? 'native.params.coppa is "1"' : 'native.params.dnt is "1"';
  return names
    .filter((name) => params[name] !== undefined)
    .map((name) => `native.params.${name} is not sent, because ${flag}. Remove one of the two.`);
}
