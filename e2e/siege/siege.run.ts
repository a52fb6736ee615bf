import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'playwright/test';
import { root } from '../kiosk';
import { ATTACKS } from './attacks/all';
import { siegeDocument, siegeViolations, withSummary } from './siege-report';
import { runSiege } from './siege-run';

const { minutes, seed, skip, steps, words, keepGoing, write } = JSON.parse(
  process.env.ENDCAP_SIEGE ?? '{}',
) as {
  minutes: number;
  seed: number;
  skip: number;
  steps: number | null;
  words: string[];
  keepGoing: boolean;
  write: boolean;
};
const results = join(root, 'test-results', 'siege');

test(`a siege of ${minutes} minutes, seed ${seed}`, async () => {
  test.setTimeout(0);
  mkdirSync(results, { recursive: true });
  const attacks = ATTACKS.filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  const report = await runSiege({
    seed,
    attacks,
    seconds: minutes * 60,
    skip,
    ...(steps === null ? {} : { steps }),
    keepGoing,
    keepIn: results,
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  const summary = siegeDocument(report, words);
  writeFileSync(join(results, 'siege.md'), `${summary}\n`);
  process.stdout.write(`\n${summary}\n\n`);
  if (write) {
    const document = join(root, 'docs', 'security.md');
    writeFileSync(document, withSummary(readFileSync(document, 'utf8'), summary));
  }
  expect(siegeViolations(report)).toEqual([]);
});
