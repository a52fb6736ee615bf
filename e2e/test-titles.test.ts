import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createTestFinder } from './test-titles';

const folder = mkdtempSync(join(tmpdir(), 'test-titles-'));
afterAll(() => rmSync(folder, { recursive: true }));

writeFileSync(
  join(folder, 'a.test.ts'),
  `
  const RANGES = ['18_20', '21_24'].map((range) => \`AGE_\${range}\`);
  const cases = RANGES.map((age) => [\`age: \${age}\`, true] as const);
  describe('the block', () => {
    it('has a plain title', () => {});
    it.each(cases)('%s → plays: %s', () => {});
    test.each<[string, object, number]>([['icon', { w: 1 }, 60_000], ['cta', { text: 'Buy' }, -5]])(
      '%s of %j has %d',
      () => {},
    );
    it.skip('is passed over', () => {});
    it.todo('is to be written');
  });
  for (const how of ['fast', 'slow']) test(\`goes \${how}, and stops\`, () => {});
  notATest('looks like one');
  `,
);
const finder = createTestFinder(folder);
const missing = (...titles: readonly string[]) => finder.missing({ file: 'a.test.ts', titles }).length;

describe('a named test', () => {
  test.each([
    'the block',
    'has a plain title',
    'age: AGE_18_20 → plays: true',
    'icon of {"w":1} has 60000',
    'cta of {"text":"Buy"} has -5',
    'goes slow, and stops',
    'has … title',
    'goes … stops',
  ])('is there by its title as a report prints it: %s', (title) => {
    expect(missing(title)).toBe(0);
  });

  test.each([
    'has another title',
    'age: AGE_25_29 → plays: true',
    'age: 18_20 → plays: perhaps',
    'banner of {"w":1} has 60000',
    'icon of {"h":1} has 60000',
    'icon of {"w":1} has 7',
    'goes backwards, and stops',
    'is passed over',
    'is to be written',
    'looks like one',
    'has … ending',
  ])('is missing where the file does not spell it, or never runs it: %s', (title) => {
    expect(missing(title)).toBe(1);
  });

  test('is missing with its file', () => {
    expect(finder.missing({ file: 'b.test.ts', titles: ['the block'] })).toEqual([
      'b.test.ts does not exist',
    ]);
  });

  test('of a row of this very table is missing once the row is', () => {
    const own = createTestFinder(__dirname);
    const title = (row: string) => `is there by its title as a report prints it: ${row}`;
    const file = 'test-titles.test.ts';
    expect(own.missing({ file, titles: [title('goes … stops'), title('the block')] })).toEqual([]);
    expect(own.missing({ file, titles: [title('the bolt'.replace('bolt', 'belt'))] })).toHaveLength(1);
  });
});
