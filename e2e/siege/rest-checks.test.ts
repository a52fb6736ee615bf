import { describe, expect, it } from 'vitest';
import { createDisplayJudge } from './display-judge';
import { AT_REST, capViolations, type PlayRow, restViolations } from './rest-checks';

const pssMbByKind = { browser: 250, renderer: 150 };
const quiet = { cores: 0.3, pssMb: 400, pssMbByKind, connections: 3, processes: 8, dataFolderMb: 9 };

describe('a kiosk at rest', () => {
  it('is accepted within its bounds', () => {
    expect(restViolations(quiet, 400)).toEqual([]);
    expect(restViolations({ ...quiet, pssMb: 400 + AT_REST.memoryGrowthMb }, 400)).toEqual([]);
  });

  it('is reported with the memory of each kind of process', () => {
    expect(restViolations({ ...quiet, pssMb: 701 }, 400)).toEqual([
      'memory at rest (browser 250, renderer 150): 701.0 MB where 700.0 MB is the bound',
    ]);
  });

  it.each(['cores', 'pssMb', 'connections', 'processes', 'dataFolderMb'] as const)(
    'is reported for its %s',
    (what) => {
      expect(restViolations({ ...quiet, [what]: 10_000 }, 400)).toHaveLength(1);
    },
  );
});

const DAY = 86_400_000;
const noon = Date.parse('2026-11-30T12:00:00Z');
const play = (flightId: string, at: number, outcome = 'completed'): PlayRow => ({
  at: new Date(at).toISOString(),
  outcome,
  adId: flightId,
  flightId,
});
/** A display that showed the ad `times` times, `apartMs` apart, with another ad in between. */
function shown(ad: 'daily' | 'minutely', times: number, apartMs: number) {
  const judge = createDisplayJudge({ goodEveryMs: 1e9, badLookMs: 1e9, blackPageMs: 1e9 });
  for (let time = 0; time < times; time += 1) {
    judge.see(ad, time * apartMs);
    judge.see('red', time * apartMs + apartMs / 2);
  }
  return judge;
}
const empty = shown('daily', 0, 1);

describe('caps by real time', () => {
  it('hold for three plays a day, and three more after midnight', () => {
    expect(capViolations(shown('daily', 3, 1_000), [], noon, noon + 1)).toEqual([]);
    expect(capViolations(shown('daily', 4, 1_000), [], noon, noon + 1)).toHaveLength(1);
    expect(capViolations(shown('daily', 6, 1_000), [], noon, noon + DAY)).toEqual([]);
  });

  it('hold for four plays in any minute, as far as samples of the display show', () => {
    expect(capViolations(shown('minutely', 20, 15_000), [], noon, noon)).toEqual([]);
    expect(capViolations(shown('minutely', 20, 10_000), [], noon, noon)).toHaveLength(1);
  });

  it('hold in the books too, whatever their time stamps; a void play does not count', () => {
    const plays = [0, 1, 2].map((day) => play('daily', noon + day * DAY));
    expect(capViolations(empty, plays, noon, noon)).toEqual([]);
    expect(capViolations(empty, [...plays, play('daily', noon, 'given-back')], noon, noon)).toEqual([]);
    expect(capViolations(empty, [...plays, play('daily', noon + 9 * DAY)], noon, noon)).toHaveLength(1);
  });
});
