import { setTimeout as sleep } from 'node:timers/promises';
import { createFrameClassifier } from '../capture/classify-frame';
import { grabDisplay } from '../capture/grab-display';
import { until } from '../until';
import { searchVisible } from '../xdotool';
import { PALETTE, sightOf } from './colours';
import { createDisplayJudge, type DisplayFigures } from './display-judge';
import type { SiegeKiosk } from './siege-kiosk';

/** Bounds that hold at every moment of a siege, ms. */
export const ALWAYS = {
  /** Longest time between the starts of two good ads. */
  goodEveryMs: 15_000,
  /** Longest continuous time of black, white, torn or unknown pictures. */
  badLookMs: 1_000,
  /** Longest time of black while a hostile page of two seconds may be shown. */
  blackPageMs: 4_000,
  /** `/healthz` answers within this time. */
  healthWithinMs: 3_000,
} as const;

const LOOKS_PER_SECOND = 15;
/** Sample points of the display. */
const POINTS = { width: 32, height: 18 };
const HEALTH_EVERY_MS = 300;
const WINDOWS_EVERY_MS = 1_500;
/** Smaller windows are invisible helpers of the toolkit; px. */
const SEEN_FROM = 40;

export interface WatchFigures extends DisplayFigures {
  readonly slowestHealthMs: number;
  readonly mostWindows: number;
}

export type Watch = Awaited<ReturnType<typeof watchKiosk>>;

/**
 * Observes a kiosk from outside all the time. Resolves once the kiosk answers; rejects when it does not within
 * `startWithinMs`.
 */
export async function watchKiosk(kiosk: SiegeKiosk, startWithinMs: number) {
  const display = createDisplayJudge(ALWAYS);
  let closing = false;
  let slowestHealthMs = 0;
  let mostWindows = 0;
  let violations: string[] = [];

  const isHealthy = async () => {
    const response = await kiosk.get('/healthz', 2_000);
    return ((await response.json()) as { status: string }).status === 'ok';
  };
  await until(isHealthy, startWithinMs, () => `a start of the kiosk:\n${kiosk.output()}`);

  async function watchHealth(): Promise<void> {
    let answeredAt = performance.now();
    let told = false;
    while (!closing) {
      const asked = performance.now();
      const words = await kiosk.get('/healthz', ALWAYS.healthWithinMs).then(
        async (response) => {
          await response.text();
          return null;
        },
        (error: unknown) => String(error instanceof Error ? (error.cause ?? error.message) : error),
      );
      const now = performance.now();
      if (words === null) {
        answeredAt = now;
        slowestHealthMs = Math.max(slowestHealthMs, now - asked);
        told = false;
      } else {
        slowestHealthMs = Math.max(slowestHealthMs, now - answeredAt);
        // Restarts are reported elsewhere; a kiosk that restarts has this much time too.
        if (now - answeredAt > ALWAYS.healthWithinMs && !told && !closing) {
          told = true;
          violations.push(
            `/healthz has not answered for ${((now - answeredAt) / 1000).toFixed(1)} s (${words})`,
          );
        }
      }
      await sleep(HEALTH_EVERY_MS);
    }
  }

  async function watchWindows(): Promise<void> {
    const told = new Set<string>();
    while (!closing) {
      const sizes = visibleSizes();
      mostWindows = Math.max(mostWindows, sizes.length);
      if (sizes.length > 1 && !told.has(sizes.join())) {
        told.add(sizes.join());
        const names = searchVisible('--maxdepth', 1, '', 'getwindowname', '%@').split('\n').filter(Boolean);
        violations.push(
          `there is more than the kiosk window on the display: ${[...sizes, ...names].join(', ')}`,
        );
      }
      await sleep(WINDOWS_EVERY_MS);
    }
  }

  const classify = createFrameClassifier(PALETTE, POINTS);
  const samples = grabDisplay({ perSecond: LOOKS_PER_SECOND, points: POINTS }, (pixels, at) =>
    display.see(sightOf(classify(pixels)), at),
  );
  samples.running.catch((error: Error) => {
    violations.push(error.message);
  });
  const watching = Promise.all([watchHealth(), watchWindows()]);
  watching.catch((error: unknown) => {
    violations.push(`the watch itself failed: ${String(error)}`);
  });

  return {
    display,
    /** Violations since the last call, one sentence each. */
    take(): string[] {
      const found = [...kiosk.takeEnds(), ...violations, ...display.takeViolations(performance.now())];
      violations = [];
      return found;
    },
    figures: (): WatchFigures => ({ ...display.figures(), slowestHealthMs, mostWindows }),
    async close(): Promise<void> {
      closing = true;
      await samples.close();
      await watching.catch(() => {});
    },
  };
}

/** Sizes of the windows on the display that are large enough to be seen. More than one: a dialog is open. */
function visibleSizes(): string[] {
  const all = searchVisible('--maxdepth', 1, '', 'getwindowgeometry', '--shell', '%@');
  // The first one is the root window.
  const [, ...windows] = all.matchAll(/WIDTH=(\d+)\nHEIGHT=(\d+)/g);
  return windows
    .filter(([, ...size]) => size.every((px) => Number(px) >= SEEN_FROM))
    .map(([, width, height]) => `${width}x${height}`);
}
