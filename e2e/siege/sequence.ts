import { seededRandom } from '../seeded-random';

/** One attack of a siege, with its number (from 1) and random numbers of its own. */
export interface Step<Attack> {
  readonly number: number;
  readonly attack: Attack;
  /** Numbers in [0, 1). They depend on seed and step alone, so a replay does not depend on timing. */
  readonly random: () => number;
}

/**
 * The endless sequence of attacks of a seed, in shuffled rounds: every attack comes once before any repeats.
 * The same seed gives the same sequence.
 *
 * @param seed an integer
 */
export function* attackSequence<Attack>(attacks: readonly Attack[], seed: number): Generator<Step<Attack>> {
  const random = seededRandom(seed);
  for (let number = 1; attacks.length > 0; ) {
    for (const attack of shuffled(attacks, random)) {
      yield { number, attack, random: seededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ number) };
      number += 1;
    }
  }
}

/** Fisher-Yates shuffle. */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const left = [...items];
  return items.flatMap(() => left.splice(Math.floor(random() * left.length), 1));
}
