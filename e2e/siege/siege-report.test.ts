import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Attack } from './attack';
import { siegeDocument, siegeViolations, withSummary } from './siege-report';
import type { SiegeReport } from './siege-run';

const attack = (name: string): Attack => ({ name, row: 1, seconds: 1, begin: () => {} });
const [first, second] = [attack('first'), attack('second')];
const report = (violations: readonly string[] = []): SiegeReport => ({
  seed: 7,
  seconds: 61,
  steps: [
    { number: 1, attack: first, violations: [], recoveredMs: 2_000 },
    { number: 2, attack: second, violations, recoveredMs: 3_000 },
    { number: 3, attack: first, violations: [], recoveredMs: null },
  ],
  figures: { longestWithoutGoodMs: 4_000, longestBadLookMs: 100, slowestHealthMs: 250, mostWindows: 1 },
  rests: [{ cores: 0.5, pssMb: 400, pssMbByKind: {}, connections: 3, processes: 8, dataFolderMb: 12 }],
  goodPlays: 9,
  exitCode: 0,
});

describe('the report of a siege', () => {
  it('names seed, step, attack and violation', () => {
    expect(siegeViolations(report(['it ended']))).toEqual([
      'seed 7, step 2 (--skip 1 --steps 1), second: it ended',
    ]);
    expect(siegeViolations(report())).toEqual([]);
  });

  it('proves nothing if nothing was played', () => {
    expect(siegeViolations({ ...report(), goodPlays: 0 })).toHaveLength(1);
  });

  it('reports a kiosk that does not exit on request', () => {
    expect(siegeViolations({ ...report(), exitCode: null })).toHaveLength(1);
  });

  it('shows how often each attack ran, and how to repeat them', () => {
    const text = siegeDocument(report(['x'])).replace(/ +/g, ' ');
    expect(text).toContain('| first | 1 | 2 | nothing |');
    expect(text).toContain('| second | 1 | 1 | 1 times |');
    expect(text).toContain('npm run siege -- --seed 7 --minutes 2');
  });

  it('is written between the marks of the document, and replaces the previous one', () => {
    const document = readFileSync(join(__dirname, '../../docs/security.md'), 'utf8');
    const once = withSummary(document, 'one');
    expect(withSummary(once, 'two')).toBe(withSummary(document, 'two'));
    expect(() => withSummary('nothing', 'one')).toThrow(/marks/);
  });
});
