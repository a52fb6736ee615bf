import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedTests } from './named-tests';

const root = join(__dirname, '..');
const document = readFileSync(join(root, 'docs/accessibility.md'), 'utf8');

/** The rows of the table in "What shoppers find", split into cells. */
const rows = document
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| need |'))
  .map((line) => line.split('|').map((cell) => cell.trim()));

describe('the document about accessibility', () => {
  it('names tests by file and title', () => {
    const all = namedTests(document);
    expect(all.length).toBeGreaterThan(10);
    expect(all.filter(({ titles }) => titles.length === 0)).toEqual([]);
  });

  it('states for each need the feature, its clause and how it was tested', () => {
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
    for (const path of pictures) expect(existsSync(join(root, 'docs', path)), path).toBe(true);
  });
});
