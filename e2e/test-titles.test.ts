import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { missingTests } from './test-titles';

// A temporary project whose tests the real runners list.
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'test-titles-')));
afterAll(() => rmSync(folder, { recursive: true }));
symlinkSync(join(__dirname, '../node_modules'), join(folder, 'node_modules'));
mkdirSync(join(folder, 'e2e'));
writeFileSync(
  join(folder, 'playwright.config.ts'),
  "export default { testDir: 'e2e', testMatch: '*.e2e.ts' };",
);
writeFileSync(
  join(folder, 'e2e/b.e2e.ts'),
  `
  import { test } from 'playwright/test';
  test.describe('journeys', () => {
    for (const where of ['here', 'there']) test(\`go \${where}\`, () => {});
    test.skip('stay at home', () => {});
  });
  `,
);
writeFileSync(
  join(folder, 'a.test.ts'),
  `
  import { describe, it, test } from 'vitest';
  const RANGES = ['18_20', '21_24'].map((range) => \`AGE_\${range}\`);
  const cases = [...RANGES.map((age) => [\`age: \${age}\`, true] as const), ['nobody', false] as const];
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
  const notATest = (_title: string) => {};
  notATest('looks like one');
  `,
);

const THERE = [
  'the block',
  'has a plain title',
  'age: AGE_18_20 → plays: true',
  'nobody → plays: false',
  'icon of {"w":1} has 60000',
  'cta of {"text":"Buy"} has -5',
  'goes slow, and stops',
  'has … title',
  'goes … stops',
  '%s of %j has %d',
];
const NOT_THERE = [
  'has another title',
  'age: AGE_25_29 → plays: true',
  // Both parts are in the file, but no row combines them.
  'age: AGE_18_20 → plays: false',
  'nobody → plays: true',
  'icon of {"w":1} has -5',
  'goes backwards, and stops',
  'is passed over',
  'is to be written',
  'looks like one',
  'has … ending',
];

describe('a named test', () => {
  test('is found by its printed title, and missing if no row of the file produces it', async () => {
    const missing = await missingTests(folder, [
      { file: 'a.test.ts', titles: [...THERE, ...NOT_THERE] },
      { file: 'e2e/b.e2e.ts', titles: ['journeys', 'go there', 'go nowhere', 'stay at home'] },
      { file: 'c.test.ts', titles: ['the block'] },
    ]);
    expect(missing).toEqual([
      'c.test.ts does not exist',
      ...NOT_THERE.map((title) => `a.test.ts has no test "${title}"`),
      ...['go nowhere', 'stay at home'].map((title) => `e2e/b.e2e.ts has no test "${title}"`),
    ]);
  });
});
