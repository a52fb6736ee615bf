import { type Context, matchAudience } from '../decisions/audience';
import { readMetadata } from '../service/ads-reading/metadata';
import { type DemoAd, metadataObject } from './demo-ad';

/**
 * The context parameters of an online request. They are this demo's own (the
 * interface shows none): `age_range`, `gender`, `group_size`, and `sku`, `item`,
 * `weather`, each of these repeated or comma-separated. Empty values are absent.
 */
export function onlineContext(query: URLSearchParams): Context {
  const one = (name: string): string | null => query.get(name) || null;
  const many = (name: string): string[] =>
    query
      .getAll(name)
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== '');
  const ageRange = one('age_range');
  const gender = one('gender');
  const people =
    ageRange === null && gender === null ? [] : [{ ageRange, gender: gender ?? 'GENDER_UNKNOWN' }];
  const counted = Number.parseInt(one('group_size') ?? '', 10);
  const groupSize = Number.isNaN(counted) ? people.length : counted;
  return {
    shopper: groupSize > 0 ? { people, groupSize } : null,
    cart: { skus: many('sku'), items: many('item') },
    weather: { types: many('weather') },
  };
}

/**
 * Whether the server would serve the ad online in this context: its audience, as the kiosk reads and judges it, and
 * its expiry at `now` (ms UTC).
 */
export function servesOnline(ad: DemoAd, context: Context, now: number): boolean {
  const { audience, expires_at } = metadataObject(ad);
  if (typeof expires_at === 'string' && now > Date.parse(expires_at)) return false;
  // The audience alone: an ad whose other metadata is wrong is served, for the kiosk to reject.
  const reading = readMetadata(JSON.stringify({ request_id: 'online', audience }));
  return reading.kind === 'metadata' && matchAudience(reading.metadata.audience, context).matches;
}
