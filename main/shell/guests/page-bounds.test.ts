import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blockMeter,
  countAnew,
  excessOf,
  filledSince,
  GUEST_BOUNDS,
  LINK_BOUNDS,
  MAX_IN_MAIN_KB,
  OF_ANY_PAGE_KB,
} from './page-bounds';

const MB = 1024;
/** A guest of one process for each of these sizes in MB. */
const guest = (...megabytes: number[]) => new Map(megabytes.map((size, at) => [at + 10, size * MB]));
const judge = (sizes: ReadonlyMap<number, number>, bounds = GUEST_BOUNDS) =>
  excessOf(sizes.keys(), sizes, bounds);

describe('the memory of a guest', () => {
  it.each<readonly [string, readonly number[]]>([
    ['one process of 400 MB', [400]],
    ['a banner with a few frames of other sites', [180, 120, 110, 110]],
    ['six bare processes', Array.from({ length: 6 }, () => 100)],
    ['no process at all', []],
  ])('of %s is within bounds', (_what, sizes) => expect(judge(guest(...sizes))).toBeNull());

  it.each<readonly [string, readonly number[], object]>([
    ['one process of 401 MB', [401], { megabytes: 301, processes: 1 }],
    ['20 frames of 390 MB each', Array.from({ length: 20 }, () => 390), { megabytes: 5_800, processes: 20 }],
    ['two frames that share it out', [300, 300], { megabytes: 400, processes: 2 }],
    ['seven bare processes', Array.from({ length: 7 }, () => 90), { megabytes: 0, processes: 7 }],
  ])('of %s is too much', (_what, sizes, excess) => expect(judge(guest(...sizes))).toEqual(excess));

  it('leaves out processes that have ended, and those of other guests', () => {
    const sizes = guest(390, 390, 390);
    expect(excessOf([10, 99], sizes, GUEST_BOUNDS)).toBeNull();
    expect(excessOf([10, 11, 99], sizes, GUEST_BOUNDS)).toEqual({ megabytes: 580, processes: 2 });
  });

  it('is bounded for a link page too', () => {
    expect(judge(guest(800, 300, 200, 150, 150, 120), LINK_BOUNDS)).toBeNull();
    expect(judge(guest(...Array.from({ length: 6 }, () => 390)), LINK_BOUNDS)).not.toBeNull();
  });

  it('is bounded even when it is spread over many processes', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 2_000 }), { maxLength: 40, size: 'max' });
    fc.assert(
      fc.property(sizes, (megabytes) => {
        const most = (GUEST_BOUNDS.mostKb + GUEST_BOUNDS.mostProcesses * OF_ANY_PAGE_KB) / MB;
        const total = megabytes.reduce((sum, size) => sum + size, 0);
        if (total > most) expect(judge(guest(...megabytes))).not.toBeNull();
      }),
    );
  });
});

describe('what main keeps for pages', () => {
  const BASE = 150 * MB;
  /** Pages that begin when main takes this much beside its base, MB. */
  const begun = (...megabytes: number[]) => megabytes.map((size) => ({ leastInMainKb: BASE + size * MB }));
  const filled = (levels: ReturnType<typeof begun>, megabytes: number) =>
    filledSince(levels, BASE + megabytes * MB) / MB;

  it('is too much for a small page, and is part of what the log says', () => {
    expect(excessOf([10], guest(110), GUEST_BOUNDS, MAX_IN_MAIN_KB)).toBeNull();
    const excess = excessOf([10], guest(110), GUEST_BOUNDS, MAX_IN_MAIN_KB + 1);
    expect(excess).toEqual({ megabytes: 10 + MAX_IN_MAIN_KB / MB, processes: 1 });
  });

  it('is counted from the oldest, so that pages cannot share it out by following each other', () => {
    expect(filled(begun(0, 300, 600), 700)).toBe(700);
    expect(filled(begun(300, 600), 700)).toBe(400);
    expect(filled([], 700)).toBe(0);
  });

  it('is counted anew once ended pages have freed theirs', () => {
    const levels = begun(400);
    expect(filled(levels, 10)).toBe(0);
    expect(filled(levels, 500)).toBe(490);
  });

  it('is blamed once: the memory of those that were ended is not freed at once', () => {
    const levels = begun(0, 0);
    expect(filled(levels, 600)).toBe(600);
    countAnew(levels, BASE + 600 * MB);
    expect(filled(levels.slice(1), 620)).toBe(20);
    expect(filled(levels.slice(1), 30)).toBe(0);
    expect(filled(levels.slice(1), 580)).toBe(550);
  });
});

it.each([
  {
    what: 'a busy machine with short delays',
    late: [499, 499, 499, 499],
    busy: [700, 700, 700, 700],
    blocked: 0,
  },
  { what: 'one long piece of work', late: [10, 60_000, 20], busy: [20, 60_000, 10], blocked: 0 },
  { what: 'a main that hardly runs', late: [3_000, 3_000, 3_000], busy: [150, 150, 150], blocked: 0 },
  { what: 'work between looks in time', late: [2_400, 5, 2_400], busy: [2_600, 200, 2_600], blocked: 0 },
  { what: 'work that grows', late: [10, 770, 1_820], busy: [100, 900, 1_900], blocked: 1 },
  { what: 'work that goes on', late: [900, 900, 900, 900], busy: [1_000, 1_000, 1_000, 1_000], blocked: 2 },
  {
    what: 'hard work that goes on',
    late: [900, 900, 900, 900],
    busy: [2_000, 2_000, 2_000, 2_000],
    blocked: 2,
  },
  { what: 'work that ends', late: [900, 900, 900, 900], busy: [1_000, 1_000, 100, 100], blocked: 1 },
])('$what blocks main $blocked times', ({ late, busy, blocked }) => {
  const isBlocked = blockMeter();
  expect(late.filter((lateMs, look) => isBlocked(lateMs, busy[look] ?? 0))).toHaveLength(blocked);
});
