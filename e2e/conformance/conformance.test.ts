import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTestFinder } from '../test-titles';
import { conformanceDocument } from './document';
import { AREAS, OPEN } from './rows';

const finder = createTestFinder(join(__dirname, '../..'));
const rows = AREAS.flatMap(({ rows }) => rows);

describe('what the interface says', () => {
  test('is shown by tests that exist, by file and title', () => {
    const missing = rows.flatMap(({ id, shownBy }) =>
      shownBy.flatMap((named) => finder.missing(named)).map((what) => `${id}: ${what}`),
    );
    expect(missing).toEqual([]);
  });

  test('has no row without a test', () => {
    const isShown = (shownBy: (typeof rows)[number]['shownBy']) =>
      shownBy.length > 0 && shownBy.every(({ titles }) => titles.length > 0);
    expect(rows.filter(({ shownBy }) => !isShown(shownBy)).map(({ id }) => id)).toEqual([]);
    expect(rows.length).toBeGreaterThan(200);
  });

  test('has each row once', () => {
    const ids = rows.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test(`is open in a handful of places at most: ${OPEN.join('; ') || 'in none'}`, () => {
    expect(OPEN.length).toBeLessThanOrEqual(5);
  });
});

test('docs/conformance.md is the page that these rows make', async () => {
  await expect(
    conformanceDocument(),
    'docs/conformance.md is stale; write it anew with: npx vitest run e2e/conformance -u',
  ).toMatchFileSnapshot('../../docs/conformance.md');
});
