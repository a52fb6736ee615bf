import { grabDisplay } from '../capture/grab-display';
import { type Colour, isColour } from '../two-creatives';

/** A captured frame: the middle of the display, and when it was seen (ms, `performance.now`). */
export interface SeenFrame {
  readonly at: number;
  readonly colour: Colour;
}

export interface DisplayWatch {
  /** Resolves with the first frame from now on that `wanted` accepts; rejects after `withinMs`. */
  first(wanted: (colour: Colour) => boolean, withinMs: number): Promise<SeenFrame>;
  /** Calls `listener` with every frame from now on. */
  each(listener: (frame: SeenFrame) => void): void;
  close(): Promise<void>;
}

const SCREEN = { width: 1280, height: 720 };
const SIDE = 16;

/**
 * Watches the middle of the X display from outside, so that every program is timed in the same way: by what
 * is on the display, not by what it reports.
 *
 * @param framerate frames per second; a change is seen up to one frame late
 */
export async function watchDisplay(framerate = 120): Promise<DisplayWatch> {
  const area = { x: (SCREEN.width - SIDE) / 2, y: (SCREEN.height - SIDE) / 2, width: SIDE, height: SIDE };
  const listeners = new Set<(frame: SeenFrame) => void>();
  const { running, close } = grabDisplay({ perSecond: framerate, area }, (pixels, at) => {
    const colour = meanColour(pixels);
    for (const listener of [...listeners]) listener({ at, colour });
  });

  const watch: DisplayWatch = {
    first: (wanted, withinMs) =>
      new Promise((resolve, reject) => {
        const seen: Colour[] = [];
        const stop = () => {
          clearTimeout(deadline);
          listeners.delete(look);
        };
        const look = (frame: SeenFrame) => {
          if (!wanted(frame.colour)) {
            seen.push(frame.colour);
            return;
          }
          stop();
          resolve(frame);
        };
        const deadline = setTimeout(() => {
          stop();
          reject(
            new Error(
              `not seen within ${withinMs} ms; ${seen.length} looks, the last one at ${seen.at(-1)?.map(Math.round)}`,
            ),
          );
        }, withinMs);
        listeners.add(look);
        running.catch((error: unknown) => {
          stop();
          reject(error);
        });
      }),
    each: (listener) => void listeners.add(listener),
    close,
  };
  // Waits for the first frame, so that nothing is timed before the capture runs.
  await watch.first(() => true, 30_000);
  return watch;
}

function meanColour(pixels: Buffer): Colour {
  const sums: [number, number, number] = [0, 0, 0];
  for (let offset = 0; offset < pixels.length; offset += 3) {
    sums[0] += pixels[offset] ?? 0;
    sums[1] += pixels[offset + 1] ?? 0;
    sums[2] += pixels[offset + 2] ?? 0;
  }
  const count = pixels.length / 3;
  return [sums[0] / count, sums[1] / count, sums[2] / count];
}

/** Accepts colours near the expected one: video compression changes them slightly. */
export const near = (expected: Colour) => (seen: Colour) => isColour(expected, seen);
