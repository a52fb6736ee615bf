import { test } from 'playwright/test';
import { expect } from '../expect';
import { runChaos } from './chaos-run';
import { chaosTable } from './chaos-table';
import { startOneServer } from './receiver';

// A short run with one kiosk and one server; `npm run fleet-chaos` is the long run.
test('the bill from ClickHouse equals the books, whichever part is killed in the middle of a segment', async () => {
  // A kiosk waits up to a minute after an error, and a slow machine takes minutes for all starts.
  test.setTimeout(900_000);
  const report = await runChaos({
    disturbances: 3,
    seed: 333,
    displays: [{}],
    startReceiver: startOneServer,
  });
  expect(report.violations, chaosTable(report)).toEqual([]);
  expect(report.inRequest).toBeGreaterThan(1);
  expect(report.plays).toBeGreaterThan(5);
});
