import { test } from 'playwright/test';
import { expect } from '../expect';
import { runKills } from './kill-run';
import { killTable, violationsOf } from './kill-table';

// A short run; `npm run kills` is the long run.
test('killed at random moments, no cap is exceeded and no acknowledged play lost', async () => {
  // Nine starts of a kiosk, each of which may take a minute.
  test.setTimeout(600_000);
  const report = await runKills({ kills: 6, seed: 20 });
  expect(violationsOf(report), killTable(report)).toEqual([]);
  expect(report.impressions).toBeGreaterThan(3);
  expect(report.capsReached).toBeGreaterThan(1);
});
