import { describe, expect, it } from 'vitest';
import type { Sight } from './colours';
import { createDisplayJudge } from './display-judge';

const NAMES: Readonly<Record<string, Sight>> = {
  r: 'red',
  b: 'blue',
  k: 'black',
  o: 'odd',
  g: 'ground',
  f: 'forbidden',
  h: 'hostile',
  d: 'daily',
};

/** Frames every 100 ms, one letter each, such as `rrrbbb`. */
function judged(looks: string, tolerateOdd = false) {
  const judge = createDisplayJudge({ goodEveryMs: 1_000, badLookMs: 300, blackPageMs: 600 });
  judge.tolerateOdd(tolerateOdd);
  [...looks].forEach((look, index) => {
    judge.see(NAMES[look] ?? 'odd', index * 100);
  });
  return { violations: judge.takeViolations((looks.length - 1) * 100), judge };
}

describe('the judge of the display', () => {
  it.each<[string, string, RegExp[]]>([
    ['good ads in turn', 'rrrrrbbbbbrrrrrbbbbb', []],
    ['a good ad that stays', 'rrrrrrrrrrrrr', [/no good ad/]],
    ['the brand card for too long', 'rrgggggggggggggg', [/no good ad.*ground/]],
    ['a hostile ad between good ones', 'rrrhhhhhrrr', []],
    ['black for a moment', 'rrrkkbbb', []],
    ['black', 'rrrkkkkkkbbb', [/black for/]],
    ['black and odd in turn', 'rrrkokokobbb', [/for 0.4 s/]],
    ['the forbidden picture, once', 'rrrfbbb', [/must never be shown/]],
    ['one long stretch, told once', `rr${'g'.repeat(40)}`, [/no good ad/]],
  ])('%s', (_name, looks, expected) => {
    const { violations } = judged(looks);
    expect(violations).toHaveLength(expected.length);
    expected.forEach((words, index) => {
      expect(violations[index]).toMatch(words);
    });
  });

  it('tolerates wrong pictures where allowed, but neither long black nor a forbidden one', () => {
    expect(judged('rrrooooobbb', true).violations).toEqual([]);
    expect(judged('rrrkkkkkbbb', true).violations).toEqual([]);
    expect(judged('rrrkkkkkkkbbb', true).violations).toHaveLength(1);
    expect(judged('rrrofobbb', true).violations).toHaveLength(1);
  });

  it('goes on counting what was tolerated until then', () => {
    const { judge } = judged('rrroo', true);
    judge.tolerateOdd(false);
    for (let at = 500; at <= 1_000; at += 100) judge.see('odd', at);
    expect(judge.takeViolations(1_000)).toEqual([expect.stringContaining('the display is odd')]);
  });

  it('goes on counting black that began before pictures are tolerated', () => {
    const { judge } = judged('rrrkk');
    judge.tolerateOdd(true);
    for (let at = 500; at <= 1_000; at += 100) judge.see('black', at);
    expect(judge.takeViolations(1_000)).toEqual([expect.stringContaining('the display is black')]);
  });

  it('counts how often an ad was shown, without flickers', () => {
    expect(judged('rrddkddrr').judge.starts('daily')).toEqual([200]);
    expect(judged('rrdddrrbbddrr').judge.starts('daily')).toEqual([200, 900]);
  });

  it('reports each violation once', () => {
    const { judge } = judged('rrrfbbb');
    expect(judge.takeViolations(700)).toEqual([]);
  });
});
