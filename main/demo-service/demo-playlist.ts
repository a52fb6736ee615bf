import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/clock';
import { type DemoAd, type DemoAdInput, DemoAds } from './demo-ad';

/** Seconds an image stays; videos have their own length. */
const IMAGE_SECONDS = 8;
const VIDEO_SECONDS = 6;

const AD_SERVER = { source: 'SOURCE_TYPE_AD_SERVER', source_id: 'adserver-nord' };
const SSP = { source: 'SOURCE_TYPE_SSP', source_id: 'ssp-open-aisle' };
const CMS = { source: 'SOURCE_TYPE_CMS', source_id: 'cms-store-0417' };

const cap = (limit: number, window: string) => ({ limit, window: `FREQUENCY_CAP_WINDOW_${window}` });
const group = (...conditions: object[]) => ({ conditions });
const audience = (...targeting_groups: object[]) => ({ targeting_groups });
const sized = (gender: string, operator: string, value: number) => ({
  gender,
  group_size: { operator: `COUNT_COMPARISON_OPERATOR_${operator}`, value },
});
const instant = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

const image = (name: string, extension: 'jpg' | 'png' | 'webp') => ({
  durationSeconds: IMAGE_SECONDS,
  media: [
    { name: `${name}-landscape.${extension}`, width: 1920, height: 1080 },
    { name: `${name}-portrait.${extension}`, width: 1080, height: 1920 },
  ].map((file) => ({ ...file, type: extension === 'jpg' ? 'image/jpeg' : `image/${extension}` })),
});

const video = (name: string) => ({
  durationSeconds: VIDEO_SECONDS,
  media: [
    { name: `${name}-landscape.mp4`, width: 1280, height: 720 },
    { name: `${name}-portrait.mp4`, width: 720, height: 1280 },
  ].map((file) => ({ ...file, type: 'video/mp4', bitrate: 600, codec: 'avc1.64001f' })),
});

/**
 * The demo playlist: three sources, six flights, four ads for everybody, and ads for an age, a gender, a
 * group, a cart, a kind of weather, or two of these together.
 *
 * @param now the service's time, ms UTC: most ads expire about a day later
 * @param startedAt when the service started, ms UTC: one ad expires soon after it
 */
export function demoPlaylist(now: number, startedAt: number): DemoAd[] {
  // Whole hours, so that an unchanged playlist stays the same document (and its ETag the same).
  const expires_at = instant(Math.floor(now / HOUR_MS) * HOUR_MS + 25 * HOUR_MS);
  return DemoAds.parse([
    ...forEverybody(expires_at),
    ...forSensedShoppersAndWeather(expires_at),
    ...forCartsAndCompany(expires_at),
    {
      // Ends a quarter of an hour after the service started.
      id: 'pip-and-pocket-family',
      title: 'Pip & Pocket snack boxes, for two or more together',
      ...image('pip', 'jpg'),
      metadata: {
        expires_at: instant(startedAt + 15 * MINUTE_MS),
        audience: audience(
          group({
            demographic: {
              profiles: [
                {
                  group_size: {
                    operator: 'COUNT_COMPARISON_OPERATOR_GREATER_THAN_OR_EQUAL',
                    value: 2,
                  },
                },
              ],
            },
          }),
        ),
        ...CMS,
      },
    },
    {
      // Over since yesterday: listed, never to be shown.
      id: 'lumen-spring',
      title: 'Lumen hand cream, spring offer',
      ...image('lumen', 'jpg'),
      metadata: {
        expires_at: instant(Math.floor(now / HOUR_MS) * HOUR_MS - DAY_MS),
        ...CMS,
      },
    },
  ]);
}

const forEverybody = (expires_at: string): DemoAdInput[] => [
  {
    id: 'nordhain-pour',
    title: 'Nordhain oat drink: the pour',
    ...video('nordhain'),
    metadata: {
      campaign_id: 'cmp-nordhain-autumn',
      flight_id: 'flt-nordhain',
      expires_at,
      frequency_caps: [cap(90, 'THIRTY_MINUTES'), cap(2500, 'DAY')],
      ...AD_SERVER,
    },
  },
  {
    id: 'kiosko-cold-brew',
    title: 'Kiosko cold brew',
    ...video('kiosko'),
    metadata: {
      campaign_id: 'cmp-kiosko',
      flight_id: 'flt-kiosko',
      expires_at,
      frequency_caps: [cap(3, 'MINUTE'), cap(150, 'HOUR')],
      ...SSP,
    },
  },
  {
    // Content of the store itself: no flight, no cap, no expiry.
    id: 'brightside-mint',
    title: 'Brightside toothpaste',
    ...image('brightside', 'png'),
    // A key that this interface version does not know is ignored.
    metadata: { shelf_position: 'eye-level', ...CMS },
  },
  {
    id: 'nordhain-price',
    title: 'Nordhain oat drink: offer of the week',
    ...image('nordhain-offer', 'jpg'),
    metadata: {
      campaign_id: 'cmp-nordhain-autumn',
      flight_id: 'flt-nordhain',
      expires_at,
      frequency_caps: [cap(90, 'THIRTY_MINUTES'), cap(2500, 'DAY')],
      ...AD_SERVER,
    },
  },
];

const forSensedShoppersAndWeather = (expires_at: string): DemoAdInput[] => [
  {
    id: 'volt-spark',
    title: 'Volt Sparkling, for shoppers of 18 to 29',
    ...video('volt'),
    metadata: {
      campaign_id: 'cmp-volt',
      flight_id: 'flt-volt',
      expires_at,
      frequency_caps: [cap(4, 'MINUTE'), cap(60, 'HOUR')],
      audience: audience(
        group({
          demographic: {
            profiles: ['AGE_RANGE_18_20', 'AGE_RANGE_21_24', 'AGE_RANGE_25_29'].map((age_range) => ({
              age_range,
            })),
          },
        }),
      ),
      ...AD_SERVER,
    },
  },
  {
    id: 'solara-sun',
    title: 'Solara peach iced tea, when it is sunny or warm',
    ...video('solara'),
    metadata: {
      campaign_id: 'cmp-solara',
      flight_id: 'flt-solara',
      expires_at,
      frequency_caps: [cap(8000, 'WEEK')],
      audience: audience(
        // An unknown kind of weather is kept, and matches if a sensor reports it.
        group({
          store: {
            weather_types: ['WEATHER_TYPE_SUNNY', 'WEATHER_TYPE_ABOVE_20_CELSIUS', 'WEATHER_TYPE_HEAT_WAVE'],
          },
        }),
      ),
      ...SSP,
    },
  },
  {
    id: 'hearth-soup',
    title: 'Hearth & Pot tomato soup, when it is wet or cold',
    ...image('hearth', 'jpg'),
    metadata: {
      campaign_id: 'cmp-hearth',
      flight_id: 'flt-hearth',
      expires_at,
      frequency_caps: [cap(40, 'HOUR'), cap(400, 'DAY')],
      audience: audience(
        group({ store: { weather_types: ['WEATHER_TYPE_RAINY', 'WEATHER_TYPE_SNOW'] } }),
        group({ store: { weather_types: ['WEATHER_TYPE_BELOW_10_CELSIUS'] } }),
      ),
      ...SSP,
    },
  },
];

const forCartsAndCompany = (expires_at: string): DemoAdInput[] => [
  {
    id: 'papperi-basket',
    title: 'Papperi pasta, with tomatoes or parmesan in the cart',
    ...image('papperi', 'webp'),
    metadata: {
      campaign_id: 'cmp-papperi',
      flight_id: 'flt-papperi',
      expires_at,
      frequency_caps: [cap(50_000, 'FLIGHT')],
      audience: audience(
        group({
          device: { basket: { skus: ['4006381333931'], items: ['tomatoes', 'parmesan', 'basil'] } },
        }),
      ),
      ...CMS,
    },
  },
  {
    // Both conditions of the group have to hold.
    id: 'nordhain-barista',
    title: 'Nordhain oat drink, with milk in the cart on a cloudy day',
    ...image('nordhain-offer', 'jpg'),
    metadata: {
      campaign_id: 'cmp-nordhain-autumn',
      flight_id: 'flt-nordhain',
      expires_at,
      audience: audience(
        group(
          { device: { basket: { items: ['milk'] } } },
          { store: { weather_types: ['WEATHER_TYPE_CLOUDY'] } },
        ),
      ),
      ...AD_SERVER,
    },
  },
  {
    id: 'hearth-for-one',
    title: 'Hearth & Pot for one, or for a whole party',
    ...image('hearth', 'jpg'),
    metadata: {
      campaign_id: 'cmp-hearth',
      flight_id: 'flt-hearth',
      expires_at,
      audience: audience(
        group({
          demographic: {
            profiles: [
              sized('GENDER_FEMALE', 'EQUAL', 1),
              sized('GENDER_MALE', 'LESS_THAN', 2),
              sized('GENDER_OTHER', 'LESS_THAN_OR_EQUAL', 1),
              sized('GENDER_FEMALE', 'GREATER_THAN', 4),
            ],
          },
        }),
      ),
      ...SSP,
    },
  },
];
