import type { DemoAdInput } from '../../main/demo-service/demo-ad';
import type { DemoService } from '../../main/demo-service/demo-service';
import { solidImage } from '../solid-image';
import type { Cap } from './cap-recount';
import type { Impression } from './judgement';

const cap = (window: string, limit: number): Cap => ({ window: `FREQUENCY_CAP_WINDOW_${window}`, limit });

/** Flights that last for the whole run; their caps are reached sooner or later. */
const LASTING: Readonly<Record<string, readonly Cap[]>> = {
  'by-the-minute': [cap('MINUTE', 4)],
  'by-the-half-hour': [cap('THIRTY_MINUTES', 30), cap('MINUTE', 6)],
  'by-the-hour': [cap('HOUR', 40)],
  'by-the-day': [cap('DAY', 50), cap('MINUTE', 7)],
  'by-the-week': [cap('WEEK', 60)],
  never: [cap('DAY', 0)],
};

/** New flights for each life, so that a kill often comes near their last allowed play. */
function freshFlights(life: number): Record<string, readonly Cap[]> {
  return {
    [`once-${life}`]: [cap('FLIGHT', 1)],
    [`thrice-${Math.floor(life / 2)}`]: [cap('FLIGHT', 3), cap('MINUTE', 2)],
  };
}

const MEDIA = 'accelerated.png';

/** Serves many short ads with tight caps; reads the beacons that the collector received. */
export function acceleratedPlaylist(service: DemoService) {
  service.setMedia(MEDIA, solidImage([16, 48, 208], 320, 180), 'image/png');
  const capsOf = new Map<string, readonly Cap[]>();

  function ad(id: string, flightId: string, caps: readonly Cap[], number: number): DemoAdInput {
    capsOf.set(flightId, caps);
    const query = `ad=${id}&flight=${flightId}&shown=[TIMESTAMP]&cb=[CACHEBUSTING]`;
    return {
      id,
      durationSeconds: 0.2 + (number % 3) * 0.1,
      media: [{ name: MEDIA, type: 'image/png', width: 320, height: 180 }],
      metadata: { flight_id: flightId, frequency_caps: caps, source_id: `source-${number % 2}` },
      impressions: [`${service.origin}/collect/impression?${query}`],
      tracking: [{ event: 'complete', url: `${service.origin}/collect/complete?${query}` }],
    };
  }

  return {
    capsOf: capsOf as ReadonlyMap<string, readonly Cap[]>,
    /** Serves the playlist of a life, counted from 0. */
    serve(life: number): void {
      const flights = { ...freshFlights(life), ...LASTING };
      service.setAds([
        ...Object.entries(flights).map(([flightId, caps], number) => ad(flightId, flightId, caps, number)),
        // Two ads that share a flight share its caps.
        ad('by-the-minute-too', 'by-the-minute', LASTING['by-the-minute'] ?? [], 1),
        ad('open-0', 'open', [], 0),
        ad('open-1', 'open', [], 1),
      ]);
    },
    impressions: (): Impression[] =>
      service
        .beacons()
        .filter(({ path }) => path === '/collect/impression')
        .map(({ query, url }) => ({
          adId: String(query.ad),
          flightId: String(query.flight),
          shownAt: Date.parse(String(query.shown)),
          url,
        })),
    /** Every beacon as it was requested; each URL is unique. */
    beaconUrls: (): string[] => service.beacons().map(({ url }) => url),
  };
}
