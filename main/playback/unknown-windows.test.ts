import { expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { anAd } from '../decisioning/ads-for-tests';
import { unknownWindowProblem } from './unknown-windows';

const capped = (...windows: string[]): Ad => {
  const ad = anAd({});
  return {
    ...ad,
    metadata: { ...ad.metadata, frequencyCaps: windows.map((window) => ({ window, limit: 1 })) },
  };
};

it('caps of windows that are known are no problem', () => {
  expect(unknownWindowProblem([capped(), capped('FREQUENCY_CAP_WINDOW_DAY')])).toBeNull();
});

it('a cap of an unknown window is a problem that names it, and says how it is kept', () => {
  expect(unknownWindowProblem([capped('FREQUENCY_CAP_WINDOW_DAY'), capped('FORTNIGHT')])).toEqual({
    code: 'unknown-cap-window',
    message: expect.stringMatching(/"FORTNIGHT".*whole flight/),
    advice: expect.stringMatching(/Update/),
  });
});

it('of many unknown windows three are named, and none at length', () => {
  const many = Array.from({ length: 1_000 }, (_, index) => capped(`${index}${'x'.repeat(256)}`));
  const { message } = unknownWindowProblem(many) ?? { message: '' };
  expect(message).toMatch(/ and 997 more/);
  expect(message.length).toBeLessThan(500);
});
