import fc from 'fast-check';
import { expect, it } from 'vitest';
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

it('the sequence of attacks is the same for the same seed, and has every attack once in each round', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const found = steps(seed, 20);
      expect(steps(seed, 20)).toEqual(found);
      expect(found.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      for (let round = 0; round < 20; round += 5)
        expect(new Set(found.slice(round, round + 5).map(({ attack }) => attack))).toEqual(new Set(ATTACKS));
    }),
  );
  expect(steps(1, 20)).not.toEqual(steps(2, 20));
});
