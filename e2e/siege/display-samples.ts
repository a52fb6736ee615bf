import { createFrameClassifier } from '../capture/classify-frame';
import { type DisplayGrab, grabDisplay } from '../capture/grab-display';
import { PALETTE, type Sight, sightOf } from './colours';

/** Sample points of the display. */
const SIZE = { width: 32, height: 18 };

/**
 * Captures the whole X display `perSecond` times a second from outside.
 *
 * @param look receives what each picture showed; `at`: ms, `performance.now`
 */
export function sampleDisplay(perSecond: number, look: (sight: Sight, at: number) => void): DisplayGrab {
  const classify = createFrameClassifier(PALETTE, SIZE);
  return grabDisplay({ perSecond, points: SIZE }, (pixels, at) => look(sightOf(classify(pixels)), at));
}
