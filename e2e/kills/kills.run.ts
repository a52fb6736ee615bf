import { expect, test } from 'playwright/test';
import { runKills } from './kill-run';
import { killTable, violationsOf } from './kill-table';

const kills = Number(process.env.ENDCAP_KILLS);
const seed = Number(process.env.ENDCAP_KILLS_SEED);

test(`${kills} kills, seed ${seed}`, async () => {
  test.setTimeout(0);
  const report = await runKills({
    kills,
    seed,
    progress: (words) => process.stderr.write(`${words}\n`),
  });
  process.stdout.write(`\n${killTable(report)}\n\n`);
  expect(violationsOf(report)).toEqual([]);
});
