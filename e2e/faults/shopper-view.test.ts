import { describe, expect, it } from 'vitest';
import { addFrame, disturbance, inWords, isSteady, type Sight, type Stretch } from './shopper-view';

/** Frames every 100 ms, one letter each, such as `rrrbbb`. */
const seen = (looks: string): Stretch[] => {
  const names: Readonly<Record<string, Sight>> = { r: 'red', b: 'blue', k: 'black', c: 'card' };
  return [...looks].reduce<Stretch[]>(
    (all, look, index) => addFrame(all, names[look] ?? 'card', index * 100),
    [],
  );
};

describe('the view of the shopper', () => {
  it('has no disturbance while slot follows slot', () => {
    const found = disturbance(seen('rrrrrbbbbbrrrrrbbbbb'), 600, 500);
    expect(found.healedMs).toBe(0);
    expect(inWords(found)).toBe('nothing');
  });

  it('lists a still picture, black and the card, until slots follow each other again', () => {
    const found = disturbance(seen('rrrrrbbbbbbbbbbbbkkkkcccccrrrrrbbbbb'), 700, 500);
    expect(found.healedMs).toBe(2_500 - 700);
    expect(inWords(found)).toBe('a picture stays 0.7 s longer, the brand card for 0.5 s, black for 0.4 s');
  });

  it('ignores everything before the fault', () => {
    expect(disturbance(seen('kkkkkkkkkkrrrrrbbbbb'), 1_200, 500).blackMs).toBe(0);
  });

  it('is steady after the given number of correct slots', () => {
    expect(isSteady(seen('kkkkrrrrrbbbbbrrr'), 0, 500, 3)).toBe(true);
    expect(isSteady(seen('rrrrrkbbbbbrrr'), 0, 500, 3)).toBe(false);
    expect(isSteady(seen('rrrrrbbbbbbbbbbbbrrr'), 0, 500, 3)).toBe(false);
    expect(isSteady(seen('rrrrrbbbbbrrr'), 800, 500, 3)).toBe(false);
  });
});
