import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SIGNAL_KINDS } from '../main/signals/signal-bodies';
import { namedTests } from './named-tests';

const root = join(__dirname, '..');
const document = readFileSync(join(root, 'docs/privacy.md'), 'utf8');
const [statements = '', template = ''] = document.split('## Template for an assessment');

/** The rows of all tables, without their heads. */
const rows = statements
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:what|statement|channel) \|/.test(line))
  .filter((line) => !line.startsWith('| ---'));

describe('the document about privacy', () => {
  it('has a test for every statement', () => {
    expect(namedTests(statements).length).toBeGreaterThan(25);
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.filter((row) => namedTests(row.split('|').at(-2) ?? '').length === 0)).toEqual([]);
    const never = statements
      .split('## What never happens')[1]
      ?.split('\n')
      .filter((line) => line.startsWith('- '));
    expect(never?.filter((line) => namedTests(line).length === 0)).toEqual([]);
  });

  it('has a row for each signal', () => {
    for (const kind of SIGNAL_KINDS)
      expect(
        rows.some((row) => row.startsWith(`| ${kind} |`)),
        kind,
      ).toBe(true);
  });

  it('leaves the fields of the operator open, and names each point of the article', () => {
    expect(template.match(/`\[[^\]]+\]`/g)?.length).toBeGreaterThan(20);
    for (const point of ['35(7)(a)', '35(7)(b)', '35(7)(c)', '35(7)(d)', '35(9)', '35(2)'])
      expect(template).toContain(`Art. ${point}`);
  });
});
