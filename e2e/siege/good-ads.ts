import type { DemoAdInput } from '../../main/demo-service/demo-ad';
import type { Cap } from '../kills/cap-recount';
import { solidImage } from '../solid-image';
import { fixture } from '../two-creatives';
import { COLOURS, type ColourName } from './colours';
import type { HostileService } from './hostile-service';

/** Flights with caps; the limits hold for a whole siege. */
export const CAPS: Readonly<Record<'daily' | 'minutely', readonly Cap[]>> = {
  daily: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 3 }],
  minutely: [{ window: 'FREQUENCY_CAP_WINDOW_MINUTE', limit: 4 }],
};

/** An ad whose URLs all lead to the hostile service. `id` also names its flight and its beacons. */
export function adAt(origin: string, id: string, media: string, type: string, seconds = 1): DemoAdInput {
  const collect = (what: string) => `${origin}/collect/${what}?ad=${id}`;
  return {
    id,
    durationSeconds: seconds,
    media: [{ url: media, type, width: 1280, height: 720 }],
    metadata: { flight_id: `flight-${id}`, source: 'SOURCE_TYPE_CMS', source_id: 'cms' },
    impressions: [collect('impression')],
    tracking: [{ event: 'complete', url: collect('complete') }],
    errors: [`${collect('error')}&code=[ERRORCODE]`],
  };
}

const image = (colour: ColourName) => solidImage(COLOURS[colour]);

/** Puts the creatives of the good ads on the service; the result makes its playlist. */
export function goodAds({ demo, origin }: HostileService) {
  const still = (colour: ColourName) => {
    demo.setMedia(`${colour}.png`, image(colour), 'image/png');
    return adAt(origin, colour, `${origin}/media/${colour}.png`, 'image/png');
  };
  demo.setMedia('blue.mp4', fixture('blue-2s.mp4'), 'video/mp4');
  const capped = (colour: 'daily' | 'minutely'): DemoAdInput => ({
    ...still(colour),
    metadata: { flight_id: colour, frequency_caps: CAPS[colour], source_id: 'cms' },
  });
  const lasting: DemoAdInput[] = [
    still('red'),
    adAt(origin, 'blue', `${origin}/media/blue.mp4`, 'video/mp4', 2),
    capped('daily'),
    capped('minutely'),
  ];
  return {
    /** Serves the good ads and `more`. */
    serve: (more: readonly DemoAdInput[] = []) => demo.setAds([...lasting, ...more]),
    /** A new ad for the recovery after step `number`. Its file is removed two steps later. */
    fresh(number: number): { ad: DemoAdInput; colour: ColourName } {
      const colour = number % 2 === 0 ? 'rose' : 'sky';
      demo.removeMedia(`fresh-${number - 2}.png`);
      demo.setMedia(`fresh-${number}.png`, image(colour), 'image/png');
      const ad = adAt(origin, `fresh-${number}`, `${origin}/media/fresh-${number}.png`, 'image/png');
      return { ad, colour };
    },
  };
}
