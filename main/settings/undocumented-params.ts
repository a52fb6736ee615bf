import { foldedName, nearestName } from './nearest-name';

/** What rule 20 is about: who somebody is, or where. */
export type Sensitive = 'person' | 'place';

/** Names that other interfaces have for what rule 20 suppresses, folded. */
const SENSITIVE: Readonly<Record<Sensitive, ReadonlySet<string>>> = {
  person: new Set([
    // Advertising identifiers and those of devices and users (OpenRTB, SDKs).
    ...['ifa', 'idfv', 'gaid', 'aaid', 'adid', 'maid', 'rida', 'tifa', 'advertisingid', 'advertiserid'],
    ...['gpsadid', 'fireadid', 'oaid', 'afai', 'msai', 'lgudid', 'vida'],
    ...['googleadid', 'googleaid', 'googleadvertisingid', 'appleadid', 'androidid', 'androidadid'],
    ...['did', 'dpid', 'udid', 'devid', 'deviceid', 'uid', 'userid', 'buyeruid', 'visitorid'],
    ...['imei', 'mac', 'macaddress'],
    // Age.
    ...['yob', 'dob', 'birthyear', 'yearofbirth', 'birthday', 'birthdate', 'dateofbirth'],
    ...['agerange', 'agegroup', 'userage'],
    // Gender.
    ...['sex', 'usergender', 'gnd'],
  ]),
  place: new Set([
    'lon',
    'lng',
    'latitude',
    'longitude',
    'latlon',
    'latlong',
    'latlng',
    'geo',
    'gps',
    'coordinates',
  ]),
};
/** Documented names of restricted data that are long enough to be recognised when misspelt. */
const PERSONAL_NAMES = ['gender', 'idfamd5', 'idfasha1', 'gidmd5', 'gidsha1'];
const HASH = /(?:md5|sha1|sha256)$/;

/**
 * The kind of restricted data that an undocumented parameter of the native request carries, judged by its
 * name; null: none. Pure.
 */
export function sensitiveByName(name: string): Sensitive | null {
  const folded = foldedName(name);
  for (const kind of ['person', 'place'] as const)
    if (SENSITIVE[kind].has(folded) || SENSITIVE[kind].has(folded.replace(HASH, ''))) return kind;
  return folded.length >= 5 && nearestName(name, PERSONAL_NAMES) !== null ? 'person' : null;
}

/**
 * The documented name that an undocumented one must be corrected to; null: it is accepted. A name must be
 * corrected if it is a documented one in another spelling, or resembles `coppa`, without which children would
 * not be protected. Pure.
 */
export function misspeltParam(name: string, documented: readonly string[]): string | null {
  const meant = nearestName(name, documented);
  if (meant === null) return null;
  return foldedName(meant) === foldedName(name) || meant === 'coppa' ? meant : null;
}

/** One sentence for each name that is sent as it is but may be a misspelt documented one. Pure. */
export function undocumentedParams(sent: readonly string[], documented: readonly string[]): string[] {
  return sent.flatMap((name) => {
    const meant = documented.includes(name) ? null : nearestName(name, documented);
    return meant === null
      ? []
      : [
          `native.params.${name} is not a documented parameter; the kiosk sends it unchanged. If you meant "${meant}", correct the name.`,
        ];
  });
}
