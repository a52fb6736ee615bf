import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attackSequence } from './sequence';

const ATTACKS = ['a', 'b', 'c', 'd', 'e'];

function steps(seed: number, count: number) {
  const found: Array<{ number: number; attack: string; drawn: number[] }> = [];
  for (const { number, attack, random } of attackSequence(ATTACKS, seed)) {
    found.push({ number, attack, drawn: [random(), random()] });
    if (found.length === count) break;
  }
  return found;
}

describe('the sequence of attacks', () => {
  it('is the same for the same seed, random numbers of the attacks included', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        expect(steps(seed, 23)).toEqual(steps(seed, 23));
      }),
    );
  });

  it('has every attack once in each round, numbered from 1', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const found = steps(seed, 20);
        expect(found.map(({ number }) => number)).toEqual(
          Array.from({ length: 20 }, (_, index) => index + 1),
        );
        for (let round = 0; round < 20; round += 5)
          expect(
            found
              .slice(round, round + 5)
              .map(({ attack }) => attack)
              .sort(),
          ).toEqual(ATTACKS);
      }),
    );
  });

  it('differs between seeds', () => {
    const orders = Array.from({ length: 50 }, (_, seed) =>
      steps(seed, 5)
        .map(({ attack }) => attack)
        .join(''),
    );
    expect(new Set(orders).size).toBeGreaterThan(25);
  });
});
