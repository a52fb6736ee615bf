import type { Kiosk } from '../kiosk';
import { report } from './report';
import type { Row } from './row';

/** Longer than two frames at 60 frames/s: a person may notice it. */
const LATE_MS = 34;

/** How many of these gaps are too long. */
const late = (gaps: readonly number[]): number => gaps.filter((gap) => gap > LATE_MS).length;

/** Times between the frames of the kiosk's page during `forMs`, ms. */
export const frameGaps = (kiosk: Kiosk, forMs: number): Promise<number[]> =>
  kiosk.screen.evaluate(
    (watched) =>
      new Promise<number[]>((done) => {
        const gaps: number[] = [];
        let first = 0;
        let last = 0;
        const tick = (now: number) => {
          if (last > 0) gaps.push(now - last);
          first ||= now;
          last = now;
          if (now - first < watched) requestAnimationFrame(tick);
          else done(gaps);
        };
        requestAnimationFrame(tick);
      }),
    forMs,
  );

/** Reports how many frames of the stage were late: none may be. `before`: the same kiosk without the cause. */
export const reportLateFrames = (
  name: string,
  frames: readonly number[],
  before: readonly number[],
  details: Row['details'] = {},
): Promise<void> =>
  report({
    name: `frames late on the stage ${name}`,
    unit: 'frames',
    value: late(frames),
    baseline: late(before),
    budgets: [{ of: 'value', most: 0 }],
    samples: { frames: [...frames], before: [...before] },
    details: { 'longest ms': Math.max(...frames), 'longest before ms': Math.max(...before), ...details },
  });
