import type { Context } from '../decisions/audience';
import { singlePerson } from '../service/online-params';
import {
  identifierVendor,
  maySendDemographics,
  maySendUndocumented,
  mayTrack,
} from '../settings/native-params';
import type { Settings } from '../settings/settings';
import type { NativeDevice } from './native-device';

export interface NativeRequestSource {
  /** `native` of the settings. */
  readonly settings: Settings['native'];
  readonly device: NativeDevice;
  /** `ui.language`: the locale where the settings name none. */
  readonly language: string;
}

/** Rule 20: sent in an identifier's place where one is required and tracking is not allowed. */
export const NO_ADVERTISING_ID = '00000000-0000-0000-0000-000000000000';

/** A sensed age range. The age sent is its middle, or its start if it has no end. */
const AGE_RANGE = /^AGE_RANGE_(?<from>\d{2})_(?:(?<to>\d{2})|PLUS)$/;

const ALL_META = 'points,revenuemodel,campaignid,creativeid,bundleid,contentinfo';

const SENSED_GENDERS: ReadonlyMap<string, string> = new Map([
  ['GENDER_FEMALE', 'female'],
  ['GENDER_MALE', 'male'],
  ['GENDER_OTHER', 'other'],
]);

/**
 * The parameters of `GET /api/v3/native`, in the order of the interface's table; what is unknown is left out. The
 * settings have those that are required.
 */
export function nativeQuery({ settings, device, language }: NativeRequestSource, context: Context) {
  const { params } = settings;
  const tracking = mayTrack(params);
  const os = params.os ?? device.os;
  const vendor = identifierVendor(os);
  const whenTracking = (value: string | undefined) => (tracking ? value : undefined);
  const identifier = (value: string | undefined, required: boolean) =>
    tracking ? value : required ? NO_ADVERTISING_ID : undefined;

  const values: Readonly<Record<string, string | undefined>> = {
    apptoken: settings.apptoken?.reveal(),
    os,
    osver: params.osver ?? device.osver,
    devicemodel: params.devicemodel ?? device.devicemodel,
    dnt: params.dnt,
    al: settings.al,
    zoneid: settings.zoneid ?? undefined,
    mf: params.mf ?? ALL_META,
    idfa: identifier(params.idfa, vendor === 'apple'),
    gid: identifier(params.gid, vendor === 'android'),
    idfamd5: whenTracking(params.idfamd5),
    idfasha1: whenTracking(params.idfasha1),
    gidmd5: whenTracking(params.gidmd5),
    gidsha1: whenTracking(params.gidsha1),
    srvi: params.srvi,
    ua: params.ua,
    ip: params.ip,
    adcount: String(settings.adcount),
    bundleid: params.bundleid,
    locale: params.locale ?? language,
    // The store's place, not a person's.
    lat: params.coppa === '1' ? undefined : params.lat,
    long: params.coppa === '1' ? undefined : params.long,
    gender: whenTracking(sensedGender(settings, context) ?? params.gender),
    age: whenTracking(sensedAge(settings, context) ?? params.age),
    keywords: params.keywords,
    secure: params.secure,
    coppa: params.coppa,
  };
  const query = new URLSearchParams();
  // Names that the interface does not document follow those that it does.
  for (const [name, value] of Object.entries({ ...values, ...undocumented(params, values) })) {
    if (value !== undefined && value !== '') query.set(name, value);
  }
  return query;
}

function undocumented(params: Settings['native']['params'], documented: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).flatMap(([name, value]) =>
      Object.hasOwn(documented, name) || value === undefined || !maySendUndocumented(name, params)
        ? []
        : [[name, value]],
    ),
  );
}

/** Rule 20: only if the operator allows it, and only if the shopper is alone. */
const sensedPerson = (settings: Settings['native'], context: Context) =>
  maySendDemographics(settings) ? singlePerson(context) : undefined;

function sensedGender(settings: Settings['native'], context: Context): string | undefined {
  return SENSED_GENDERS.get(sensedPerson(settings, context)?.gender ?? '');
}

function sensedAge(settings: Settings['native'], context: Context): string | undefined {
  const { from, to } = AGE_RANGE.exec(sensedPerson(settings, context)?.ageRange ?? '')?.groups ?? {};
  if (from === undefined) return undefined;
  return String(Math.floor((Number(from) + Number(to ?? from)) / 2));
}
