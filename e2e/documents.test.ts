import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_PAGE_BYTES } from '../main/media/media-type';
import { SIGNAL_KINDS } from '../main/signals/signal-kinds';
import { namedTests } from './named-tests';
import { ATTACKS } from './siege/attacks/all';

const docs = join(__dirname, '../docs');
const read = (name: string) => readFileSync(join(docs, name), 'utf8');

/** The rows of a document's tables without their heads, split into cells. */
const rowsOf = (document: string, head: RegExp) =>
  document
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !head.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

describe('the document about accessibility', () => {
  const document = read('accessibility.md');

  it('names tests by file and title', () => {
    const all = namedTests(document);
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter(({ titles }) => titles.length === 0)).toEqual([]);
  });

  it('states for each need the feature, its clause and how it was tested', () => {
    const rows = rowsOf(document, /^\| need \|/);
    expect(rows.length).toBeGreaterThanOrEqual(9);
    for (const [, need, what, clause, how = ''] of rows) {
      expect(what, need).not.toBe('');
      expect(clause, need).toMatch(/^\d+(\.\d+)+(, \d+(\.\d+)+)*$/);
      expect(namedTests(how).length > 0 || how === 'by eye', need).toBe(true);
    }
  });

  it('states unmet requirements, and its pictures exist', () => {
    expect(document.split('## What is not met')[1]).toMatch(/^- \*\*/m);
    const pictures = [...document.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path = '']) => path);
    expect(pictures.length).toBeGreaterThanOrEqual(2);
    for (const path of pictures) expect(existsSync(join(docs, path)), path).toBe(true);
  });
});

it('the documents about creatives and installing state the size of the largest page', () => {
  for (const name of ['creatives.md', 'install.md'])
    expect(read(name)).toMatch(new RegExp(`page.* of at most ${MAX_PAGE_BYTES / 1024 ** 2} MiB`));
});

describe('the document about privacy', () => {
  const [statements = '', template = ''] = read('privacy.md').split('## Template for an assessment');
  const rows = rowsOf(statements, /^\| (?:what|statement|channel) \|/);

  it('has a test for every statement', () => {
    expect(namedTests(statements).length).toBeGreaterThan(25);
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((cells) => namedTests(cells.at(-2) ?? '').length === 0)).toEqual([]);
    const never = statements
      .split('## What never happens')[1]
      ?.split('\n')
      .filter((line) => line.startsWith('- '));
    expect(never?.filter((line) => namedTests(line).length === 0)).toEqual([]);
  });

  it('has a row for each signal', () => {
    expect(rows.map(([, what]) => what)).toEqual(expect.arrayContaining([...SIGNAL_KINDS]));
  });

  it('leaves the fields of the operator open, and names each point of the article', () => {
    expect(template.match(/`\[[^\]]+\]`/g)?.length).toBeGreaterThan(20);
    for (const point of ['35(7)(a)', '35(7)(b)', '35(7)(c)', '35(7)(d)', '35(9)', '35(2)'])
      expect(template).toContain(`Art. ${point}`);
  });
});

describe('the document about security', () => {
  const SIEGE_ATTACK = /siege "([^"]+)"/g;
  const document = read('security.md');
  const rows = rowsOf(document, /^\| (?!\d+ +\|)/).map((cells) => ({
    number: Number(cells[1]),
    test: cells.at(-2) ?? '',
  }));
  const isNamed = (pattern: string, names: readonly string[]) =>
    names.some((name) => {
      const [start = '', end = ''] = pattern.split('…');
      return pattern.includes('…') && !names.includes(pattern)
        ? name.startsWith(start) && name.endsWith(end)
        : name === pattern;
    });

  it('has every known attack, each with a test or an attack of the siege', () => {
    expect(namedTests(document).length).toBeGreaterThan(30);
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 46 }, (_, index) => index + 1));
    const isShown = (test: string) => namedTests(test).length > 0 || test.match(SIEGE_ATTACK) !== null;
    expect(rows.filter(({ test }) => !isShown(test))).toEqual([]);
  });

  it('names only existing attacks of the siege, each in its row', () => {
    for (const { number, test } of rows)
      for (const [, name = ''] of test.matchAll(SIEGE_ATTACK)) {
        const ofRow = ATTACKS.filter(({ row }) => row === number).map((attack) => attack.name);
        expect(isNamed(name, ofRow), `row ${number}: ${name}`).toBe(true);
      }
  });

  it('tells the attacks of the siege apart by their names', () => {
    expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  });
});
