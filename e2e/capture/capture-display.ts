import { createFrameClassifier, type Palette } from './classify-frame';
import { grabDisplay } from './grab-display';
import type { LabelledFrame } from './transitions';

export const FRAMES_PER_SECOND = 60;
/** Sample points: enough to see a torn picture, few enough to judge 60 pictures a second. */
const SIZE = { width: 32, height: 18 };

export type Capture = Awaited<ReturnType<typeof captureDisplay>>;

/**
 * Captures the whole X display 60 times a second from outside and classifies each picture as it arrives.
 * Resolves once the first picture is there.
 */
export async function captureDisplay(palette: Palette) {
  const classify = createFrameClassifier(palette, SIZE);
  const frames: LabelledFrame[] = [];
  let onFirst = () => {};
  const first = new Promise<void>((resolve) => {
    onFirst = resolve;
  });
  const { running, close } = grabDisplay({ perSecond: FRAMES_PER_SECOND, points: SIZE }, (pixels, at) => {
    frames.push({ at, label: classify(pixels) });
    onFirst();
  });
  await Promise.race([first, running]);
  return {
    /** Everything seen so far, oldest first. */
    frames: frames as readonly LabelledFrame[],
    /** Rejects when the display can no longer be captured; does not resolve before `stop`. */
    running,
    /** Stops the capture. Rejects when the display could not be captured until then. */
    async stop(): Promise<void> {
      await close();
      await running;
    },
  };
}
