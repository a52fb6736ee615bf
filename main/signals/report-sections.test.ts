import { describe, expect, it } from 'vitest';
import type { NativeAd, RevenueModel } from '../../shared/native';
import type { Native } from '../playback/native';
import { nativeAdForTest } from '../service/native/testing/native-ad-for-test';
import { nativeStatus, quarantineStatus } from './report-sections';

function native(points: number | null, revenueModel: RevenueModel | null): Native {
  const ad: NativeAd = nativeAdForTest('instance-1');
  return {
    held: () => [{ ...ad, meta: { ...ad.meta, points, revenueModel } }],
    state: () => ({
      held: 1,
      reachable: true,
      requesting: false,
      lastSuccessAt: null,
      lastResult: 'ads',
      lastError: null,
      consecutiveFailures: 0,
    }),
  } as Pick<Native, 'held' | 'state'> as Native;
}

describe('what the points of a native ad are worth, in the status', () => {
  it.each<[number | null, RevenueModel | null, string | null]>([
    [250, 'CPA', '0.25 USD per conversion'],
    [1500, 'CPM', '1.5 USD per 1000 impressions'],
    [40, 'CPC', '0.04 USD per click'],
    [0, 'CPC', "0 points: ask the provider's team"],
    [40, 'other', 'points without a revenue model this kiosk knows'],
    [null, 'CPC', null],
  ])('%s points of a %s campaign: %s', (points, model, expected) => {
    expect(nativeStatus(native(points, model))?.ads[0]?.payout).toBe(expected);
  });
});

it('names what is quarantined with its cause, times and advice, the latest first, and without secrets', () => {
  const one = {
    sha256: 'a',
    name: 'https://cdn.example/a.html?key=hush',
    cause: 'hang',
    since: 0,
    until: 5,
  } as const;
  const status = quarantineStatus({ all: () => [one, { ...one, name: 'b.html', sha256: 'b' }] });
  expect(status).toMatchObject([
    { creative: 'b.html' },
    {
      ...{ code: 'harmful', cause: 'hang', creative: 'https://cdn.example/a.html?…', sha256: 'a' },
      ...{ since: '1970-01-01T00:00:00.000Z', until: '1970-01-01T00:00:00.005Z' },
      advice: expect.stringContaining('another file'),
    },
  ]);
});
