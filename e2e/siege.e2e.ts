import { test } from 'playwright/test';
import { expect } from './expect';
import { ATTACKS } from './siege/attacks/all';
import { siegeViolations } from './siege/siege-report';
import { runSiege } from './siege/siege-run';

// A short run of `npm run siege`: some attacks that take effect within seconds.

const SHORT: readonly string[] = [
  'a `Date` at the end of the calendar',
  'a page of `http-equiv=` and spaces, or of `<!--`, 205 KB',
  'wrapper answers other than 2xx whose body never ends',
  'macros named like what every object has',
];

test('a kiosk under attack continues with good ads, and accepts new ones after each attack', {
  tag: '@quiet',
}, async () => {
  // A new ad may take minutes after each attack (`AT_REST`).
  test.setTimeout(900_000);
  const attacks = SHORT.map((name) => {
    const attack = ATTACKS.find((each) => each.name === name);
    if (!attack) throw new Error(`there is no attack "${name}"`);
    return attack;
  });
  const report = await runSiege({
    seed: 16,
    attacks,
    seconds: Number.POSITIVE_INFINITY,
    steps: attacks.length,
    attackSeconds: 3,
    restMs: 1_500,
  });
  expect(siegeViolations(report)).toEqual([]);
  expect(report.goodPlays).toBeGreaterThan(5);
});
