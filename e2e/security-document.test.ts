import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedTests } from './named-tests';
import { ATTACKS } from './siege/attacks/all';

const root = join(__dirname, '..');
const document = readFileSync(join(root, 'docs/security.md'), 'utf8');

const SIEGE_ATTACK = /siege "([^"]+)"/g;
const ROW = /^\| (\d+) +\|/;

const rows = document
  .split('\n')
  .filter((line) => ROW.test(line))
  .map((line) => ({ number: Number(ROW.exec(line)?.[1]), line, test: line.split('|').at(-2)?.trim() ?? '' }));
const named = (pattern: string, names: readonly string[]) =>
  names.some((name) => {
    const [start = '', end = ''] = pattern.split('…');
    return pattern.includes('…') && !names.includes(pattern)
      ? name.startsWith(start) && name.endsWith(end)
      : name === pattern;
  });

describe('the document about security', () => {
  it('has every known attack, each with a test or an attack of the siege', () => {
    expect(namedTests(document).length).toBeGreaterThan(30);
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
    const isShown = (test: string) => namedTests(test).length > 0 || test.match(SIEGE_ATTACK) !== null;
    expect(rows.filter(({ test }) => !isShown(test))).toEqual([]);
  });

  it('names only existing attacks of the siege, each in its row', () => {
    for (const { number, test } of rows)
      for (const [, name = ''] of test.matchAll(SIEGE_ATTACK)) {
        const ofRow = ATTACKS.filter(({ row }) => row === number).map((attack) => attack.name);
        expect(named(name, ofRow), `row ${number}: ${name}`).toBe(true);
      }
  });
});

it('each attack of the siege has a unique name', () => {
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
});
