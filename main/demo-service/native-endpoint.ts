import { type Answer, jsonAnswer, type ServiceRequest } from './http-answer';
import type { Registration } from './kiosk-settings';
import { NATIVE_ADS, type NativeAd } from './native-ads';

/** Further zones, each for the ads of one format. */
const FORMAT_ZONES: Readonly<Record<string, string>> = {
  'demo-native': 'native',
  'demo-html': 'html',
  'demo-banner': 'banner',
  'demo-vast': 'vast',
};
const NO_FILL_ZONE = 'demo-nofill';

export interface NativeService extends Pick<Registration, 'apptoken' | 'zoneid'> {
  readonly origin: string;
  readonly mintInstance: () => string;
  /** Advances with every filled request, so that successive requests see other ads first. */
  readonly turn: number;
  /** Ads to send unchanged instead of the built-in ones; null: none. */
  readonly ads: readonly unknown[] | null;
}

const REQUIRED = ['apptoken', 'os', 'osver', 'devicemodel', 'dnt', 'al', 'zoneid'];

/** `GET /api/v3/native`. Errors are `{ status: "error", error_message }`; no fill is an `ok` without ads. */
export function nativeEndpoint(request: ServiceRequest, service: NativeService): Answer {
  const complaint = complaintAbout(request.query, service);
  if (complaint !== null) {
    return jsonAnswer(complaint.status, { status: 'error', error_message: complaint.message });
  }
  const zoneid = request.query.get('zoneid') ?? '';
  if (zoneid === NO_FILL_ZONE) return jsonAnswer(200, { status: 'ok', ads: [] });
  const adcount = Number(request.query.get('adcount') ?? '1');
  if (service.ads !== null) return jsonAnswer(200, { status: 'ok', ads: service.ads.slice(0, adcount) });

  const format = FORMAT_ZONES[zoneid];
  const fitting = NATIVE_ADS.filter((ad) => format === undefined || ad.format === format);
  const wanted = new Set((request.query.get('mf') ?? '').split(',').map((name) => name.trim()));
  const ads = fitting.map((_, index) => fitting[(index + service.turn) % fitting.length]).slice(0, adcount);
  const response = ads.flatMap((ad): NativeAd[] => {
    if (ad === undefined) return [];
    const built = ad.build({ origin: service.origin, instance: service.mintInstance() });
    return [{ ...built, meta: built.meta.filter(({ type }) => wanted.has(type)) }];
  });
  return jsonAnswer(200, { status: 'ok', ads: response }, { 'Cache-Control': 'no-store' });
}

function complaintAbout(
  query: URLSearchParams,
  { apptoken, zoneid }: NativeService,
): { readonly status: number; readonly message: string } | null {
  const bad = (message: string) => ({ status: 400, message });
  const value = (name: string): string => query.get(name) ?? '';
  const missing = REQUIRED.find((name) => value(name) === '');
  if (missing !== undefined) return bad(`Missing parameter ${missing}`);
  if (value('apptoken') !== apptoken) return { status: 200, message: 'Invalid app token' };
  if (![zoneid, NO_FILL_ZONE, ...Object.keys(FORMAT_ZONES)].includes(value('zoneid'))) {
    return { status: 200, message: 'Invalid zone' };
  }
  if (!['0', '1'].includes(value('dnt'))) return bad('dnt must be 0 or 1');
  if (!/^[sml](,[sml])*$/.test(value('al'))) return bad('al must be s, m or l');
  const os = value('os').toLowerCase();
  if (os === 'android' && value('gid') === '') return bad('Missing parameter gid');
  if (os === 'ios' && value('idfa') === '') return bad('Missing parameter idfa');
  if (value('srvi') === '1') {
    const absent = ['ip', 'ua'].find((name) => value(name) === '');
    if (absent !== undefined) return bad(`Missing parameter ${absent}`);
  }
  if (query.has('coppa') && !['0', '1'].includes(value('coppa'))) return bad('coppa must be 0 or 1');
  if (query.has('gender') && !['male', 'female', 'other'].includes(value('gender'))) {
    return bad('gender must be male, female or other');
  }
  if (query.has('adcount') && !/^(?:[1-9]|1\d|20)$/.test(value('adcount'))) {
    return bad('adcount must be 1 to 20');
  }
  return null;
}
