import { expect, test } from 'playwright/test';
import { runChaos } from './chaos-run';
import { chaosTable } from './chaos-table';
import { startCluster } from './receiver';

const disturbances = Number(process.env.ENDCAP_KILLS);
const seed = Number(process.env.ENDCAP_KILLS_SEED);
const displays = JSON.parse(process.env.ENDCAP_TEST_DISPLAYS ?? '[]') as Record<string, string>[];

test(`${disturbances} disturbances against ${displays.length} kiosks and a cluster, seed ${seed}`, async () => {
  test.setTimeout(0);
  const progress = (words: string) => process.stderr.write(`${words}\n`);
  const report = await runChaos({ disturbances, seed, displays, startReceiver: startCluster, progress });
  process.stdout.write(`\n${chaosTable(report)}\n\n`);
  expect(report.violations).toEqual([]);
});
