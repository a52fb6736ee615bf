import { test } from 'playwright/test';
import { expect } from '../expect';
import { FAULTS } from './faults';
import { runFault, violations } from './run-faults';
import { openScene, type Scene } from './scene';

// A short run of `npm run faults`: some faults of each kind, on one kiosk.

const SHORT: readonly string[] = [
  'the kiosk window is killed',
  'the records window is killed',
  'the graphics process is killed',
  'the main process is killed',
  'the whole cache is deleted',
  'the service breaks every connection off',
];

/** Longest time for a start, or for the steady slots before a fault and the healing after it, ms. */
const TIMEOUT_MS = 300_000;

let scene: Scene;
test.beforeAll(async () => {
  test.setTimeout(TIMEOUT_MS);
  scene = await openScene();
});
test.afterAll(() => scene.close());

for (const name of SHORT) {
  test(`${name}: the ads come back, and every loss is reported`, async () => {
    test.setTimeout(TIMEOUT_MS);
    const fault = FAULTS.find((each) => each.name === name);
    if (!fault) throw new Error('there is no such fault');
    expect(violations([await runFault(scene, fault)])).toEqual([]);
  });
}

test('after all faults no secret and no token is in any file of the data folder or on the terminal', () => {
  expect(scene.leaks()).toEqual([]);
});
