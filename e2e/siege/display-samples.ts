import { createFrameClassifier } from '../capture/classify-frame';
import { type DisplayGrab, grabDisplay } from '../capture/grab-display';
import { PALETTE, type Sight, sightOf } from './colours';

/** Points of the display that are looked at. */
const SIZE = { width: 32, height: 18 };

/**
 * Looks at the whole X display so many times a second, from outside.
 *
 * @param look told of each picture; `at`: ms, `performance.now`
 */
export function sampleDisplay(perSecond: number, look: (sight: Sight, at: number) => void): DisplayGrab {
  const classify = createFrameClassifier(PALETTE, SIZE);
  return grabDisplay({ perSecond, points: SIZE }, (pixels, at) => look(sightOf(classify(pixels)), at));
}
