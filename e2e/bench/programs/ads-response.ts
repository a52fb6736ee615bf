import { DemoAds } from '../../../main/demo-service/demo-ad';
import { vastAnswer } from '../../../main/demo-service/vast-answer';

const AGES = ['AGE_RANGE_18_20', 'AGE_RANGE_25_29', 'AGE_RANGE_40_44', 'AGE_RANGE_75_PLUS'];

/**
 * An ads response of `count` ads in the service's format. Each ad has two media files, seven beacons, and
 * metadata with an audience and caps; `adsPerFlight` ads share a flight.
 */
export function adsResponse(count: number, adsPerFlight: number): string {
  const ads = Array.from({ length: count }, (_, index) => {
    const flight = Math.floor(index / adsPerFlight);
    return {
      id: `ad-${index}`,
      title: `Advertisement number ${index} & its title`,
      durationSeconds: 8 + (index % 8),
      media: [
        { name: `creative-${index}-1920.mp4`, type: 'video/mp4', width: 1920, height: 1080, bitrate: 8000 },
        { name: `creative-${index}-1280.mp4`, type: 'video/mp4', width: 1280, height: 720, bitrate: 4000 },
      ],
      metadata: {
        request_id: 'request-5d1c0c52-5bb4-4d2b-a7e2-9a15c3b0f6d1',
        campaign_id: `campaign-${flight % 97}`,
        flight_id: `flight-${flight}`,
        expires_at: '2030-01-01T00:00:00Z',
        source: 'SOURCE_TYPE_CMS',
        source_id: `source-${flight % 5}`,
        audience: {
          targeting_groups: [
            {
              conditions: [
                {
                  demographic: {
                    profiles: [{ age_range: AGES[flight % 4], gender: 'GENDER_FEMALE' }],
                  },
                },
              ],
            },
          ],
        },
        frequency_caps: [
          { limit: 6, window: 'FREQUENCY_CAP_WINDOW_HOUR' },
          { limit: 40, window: 'FREQUENCY_CAP_WINDOW_DAY' },
        ],
      },
    };
  });
  return vastAnswer(DemoAds.parse(ads), {
    origin: 'http://127.0.0.1:9000',
    requestId: 'request',
  });
}
