import { test } from 'playwright/test';
import { expect } from '../expect';
import { runKills } from './kill-run';
import { killTable, violationsOf } from './kill-table';

// A short run; `npm run kills` is the long run. A kill during a write leaves a torn record at the end of the database's
// log, which is rare: here each kill does. Chromium would append after it, and delete the whole database at the next
// start but one.
test('killed at random moments, no cap is exceeded and no acknowledged play lost', async () => {
  // Nine starts of a kiosk, each of which may take a minute.
  test.setTimeout(600_000);
  const report = await runKills({ kills: 6, seed: 20, tearsLogs: true });
  expect(violationsOf(report), killTable(report)).toEqual([]);
  expect(report.impressions).toBeGreaterThan(3);
  // A life that is killed while it starts may not come to it.
  expect(report.tornLogs).toBeGreaterThanOrEqual(report.kills - 1 - report.killsAtStart);
  expect(report.capsReached).toBeGreaterThan(1);
});
