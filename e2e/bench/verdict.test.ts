import { expect, it } from 'vitest';
import type { Row } from './row';
import { lineOf, verdictOf } from './verdict';

const row: Row = {
  name: 'start to first creative frame',
  unit: 'ms',
  value: 412.34,
  baseline: 300,
  ratio: 1.374,
  budgets: [{ of: 'ratio', most: 1.25 }],
  samples: {},
  details: {},
};

it.each([
  ['no budget', [], 'no budget'],
  ['a value within', [{ of: 'value', most: 413 }], 'ok'],
  ['a value over', [{ of: 'value', most: 412 }], 'over'],
  ['exactly the budget', [{ of: 'ratio', most: 1.374 }], 'ok'],
  ['a ratio over', [{ of: 'ratio', most: 1.25 }], 'over'],
  [
    'one of two over',
    [
      { of: 'value', most: 1000 },
      { of: 'ratio', most: 1.25 },
    ],
    'over',
  ],
] as const)('the verdict is right with %s', (_case, budgets, verdict) => {
  expect(verdictOf({ ...row, budgets: [...budgets] })).toBe(verdict);
});

it('a missing ratio is over its budget', () => {
  expect(verdictOf({ ...row, ratio: null })).toBe('over');
});

it('a line shows name, value, baseline, ratio, budget and verdict, and marks what is over', () => {
  expect(lineOf(row)).toMatch(/^start to first.* 412 ms +300 ms +1\.37 +≤ 1\.25 × +✗ OVER$/);
  expect(lineOf({ ...row, ratio: 1.2, details: { frames: 3 } })).toMatch(/✓ ok\n +frames 3$/);
});
