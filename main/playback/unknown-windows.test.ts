import { expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { anAd } from '../decisions/testing/ads-for-tests';
import type { Fact } from '../status/facts';
import type { Problem } from '../status/status';
import { toldAfter } from '../status/testing/example-status';
import { reportUnknownWindows } from './unknown-windows';

const capped = (...windows: string[]): Ad => {
  const ad = anAd({});
  return {
    ...ad,
    metadata: { ...ad.metadata, frequencyCaps: windows.map((window) => ({ window, limit: 1 })) },
  };
};

/** Returns the reporter, and the problems that the status then holds. */
function world() {
  const facts: Fact[] = [];
  const inForce = reportUnknownWindows((fact) => void facts.push(fact));
  return { inForce, problems: (): readonly Problem[] => toldAfter(facts).attention };
}

it('caps with known windows are no problem', () => {
  const { inForce, problems } = world();
  inForce('stored', [capped(), capped('FREQUENCY_CAP_WINDOW_DAY')]);
  expect(problems()).toEqual([]);
});

it('a cap with an unknown window is a problem that names it, and how it is applied', () => {
  const { inForce, problems } = world();
  inForce('stored', [capped('FREQUENCY_CAP_WINDOW_DAY'), capped('FORTNIGHT')]);
  expect(problems()).toEqual([
    {
      code: 'unknown-cap-window',
      message: expect.stringMatching(/"FORTNIGHT".*whole flight/),
      advice: expect.stringMatching(/Update/),
    },
  ]);
});

it('unknown windows of the playlist and of online ads are reported together, until neither has any', () => {
  const { inForce, problems } = world();
  const message = () => problems().map((problem) => problem.message.match(/"\w+"/g));
  inForce('stored', [capped('FORTNIGHT')]);
  inForce('online', [capped('SHIFT')]);
  expect(message()).toEqual([['"FORTNIGHT"', '"SHIFT"']]);
  inForce('stored', []);
  expect(message()).toEqual([['"SHIFT"']]);
  inForce('online', [capped()]);
  expect(message()).toEqual([]);
});

it('of many unknown windows three are named, with shortened names', () => {
  const { inForce, problems } = world();
  inForce(
    'stored',
    Array.from({ length: 1_000 }, (_, index) => capped(`${index}${'x'.repeat(256)}`)),
  );
  const { message } = problems()[0] ?? { message: '' };
  expect(message).toMatch(/ and 997 more/);
  expect(message.length).toBeLessThan(500);
});
