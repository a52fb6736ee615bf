import type { Sight } from './colours';

/** Bounds for what the display shows, ms. */
export interface DisplayBounds {
  /** Longest time from the start of one good ad to the start of the next. */
  readonly goodEveryMs: number;
  /** Longest time of black, white, torn or odd pictures. */
  readonly badLookMs: number;
  /** Longest time of black while odd pictures are tolerated: a hostile page may be black for its whole slot. */
  readonly blackPageMs: number;
}

export interface DisplayFigures {
  readonly longestWithoutGoodMs: number;
  readonly longestBadLookMs: number;
}

/** The display shows `sight` from `at` on (ms of the judge's clock). */
export interface DisplayChange {
  readonly sight: Sight;
  readonly at: number;
}

const MAX_CHANGES = 1_000;

export type DisplayJudge = ReturnType<typeof createDisplayJudge>;

const GOOD: ReadonlySet<Sight> = new Set(['red', 'blue', 'rose', 'sky', 'daily', 'minutely']);
const BAD: ReadonlySet<Sight> = new Set(['black', 'white', 'torn', 'odd']);

/** Checks every frame of the display against what may be shown (rules 11 and 12). */
export function createDisplayJudge({ goodEveryMs, badLookMs, blackPageMs }: DisplayBounds) {
  let current: { sight: Sight; from: number } | null = null;
  let lastGoodAt: number | null = null;
  let badSince: number | null = null;
  let tolerated = false;
  const starts = new Map<Sight, number[]>();
  let changes: DisplayChange[] = [];
  /** The last creative seen: an interruption of it is not a new start. */
  let lastCreative: Sight | null = null;
  let violations: string[] = [];
  /** Each stretch gives one violation, however long it lasts. */
  const told = { good: false, bad: false };
  let longestWithoutGoodMs = 0;
  let longestBadLookMs = 0;

  const isBad = (sight: Sight) => BAD.has(sight) && !(tolerated && sight !== 'black');

  function judge(at: number): void {
    if (lastGoodAt !== null) {
      const without = at - lastGoodAt;
      longestWithoutGoodMs = Math.max(longestWithoutGoodMs, without);
      if (without > goodEveryMs && !told.good) {
        told.good = true;
        violations.push(`no good ad has begun for ${seconds(without)}, seen last: ${current?.sight}`);
      }
    }
    if (badSince !== null && current !== null) {
      const bad = at - badSince;
      longestBadLookMs = Math.max(longestBadLookMs, bad);
      if (bad > (tolerated ? blackPageMs : badLookMs) && !told.bad) {
        told.bad = true;
        violations.push(`the display is ${current.sight} for ${seconds(bad)}`);
      }
    }
  }

  return {
    /** Adds one frame, in order of time; `at`: ms on a monotonic clock. */
    see(sight: Sight, at: number): void {
      lastGoodAt ??= at;
      judge(at);
      if (isBad(sight)) badSince ??= at;
      else {
        badSince = null;
        told.bad = false;
      }
      if (sight === current?.sight) return;
      current = { sight, from: at };
      changes = [...changes.slice(1 - MAX_CHANGES), { sight, at }];
      if (sight === 'forbidden') violations.push('a picture that must never be shown is on the display');
      if (GOOD.has(sight)) {
        lastGoodAt = at;
        told.good = false;
      }
      if (BAD.has(sight) || sight === lastCreative) return;
      lastCreative = sight;
      starts.set(sight, [...(starts.get(sight) ?? []), at]);
    },
    /**
     * While set, unknown pictures are allowed (a hostile page may blend colours), but neither the forbidden
     * colour nor long black.
     */
    tolerateOdd(wanted: boolean): void {
      tolerated = wanted;
    },
    /** When ads in this colour started, ms. */
    starts: (sight: Sight): readonly number[] => starts.get(sight) ?? [],
    /** The last thousand changes of the display, oldest first; they explain a violation. */
    changes: (): readonly DisplayChange[] => changes,
    /** Violations up to `at` that were not returned before. */
    takeViolations(at: number): string[] {
      judge(at);
      const found = violations;
      violations = [];
      return found;
    },
    figures: (): DisplayFigures => ({ longestWithoutGoodMs, longestBadLookMs }),
  };
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
