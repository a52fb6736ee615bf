import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nestsDeeperThan } from './json-depth';

/** Slow and obvious: the levels of a parsed value. */
const levels = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levels)) : 0;

it('tells of every JSON text whether it nests deeper, whatever its strings hold', () => {
  const values = fc.jsonValue({ maxDepth: 6 });
  const brackets = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\') });
  fc.assert(
    fc.property(fc.dictionary(brackets, fc.oneof(values, brackets)), fc.nat(8), (value, limit) => {
      expect(nestsDeeperThan(limit, JSON.stringify(value))).toBe(levels(value) > limit);
    }),
  );
});
