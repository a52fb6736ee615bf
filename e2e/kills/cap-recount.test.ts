import { describe, expect, it } from 'vitest';
import { capsExceeded } from './cap-recount';

const at = (text: string) => Date.parse(`${text}Z`);
const CASES: ReadonlyArray<
  readonly [window: string, limit: number, times: readonly string[], kept: boolean]
> = [
  ['MINUTE', 1, ['2026-11-30T10:00:00', '2026-11-30T10:01:00'], true],
  ['MINUTE', 1, ['2026-11-30T10:00:00.001', '2026-11-30T10:01:00'], false],
  ['MINUTE', 0, [], true],
  ['MINUTE', 0, ['2026-11-30T10:00:00'], false],
  ['MINUTE', 1, ['2026-11-30T10:00:00', '2026-11-30T10:00:00'], false],
  ['THIRTY_MINUTES', 1, ['2026-11-30T10:00:00', '2026-11-30T10:30:00'], true],
  ['THIRTY_MINUTES', 1, ['2026-11-30T10:00:01', '2026-11-30T10:30:00'], false],
  ['HOUR', 1, ['2026-11-30T10:59:59', '2026-11-30T11:00:00'], true],
  ['HOUR', 1, ['2026-11-30T10:00:00', '2026-11-30T10:59:59'], false],
  ['DAY', 1, ['2026-11-30T23:59:59', '2026-12-01T00:00:00'], true],
  ['DAY', 1, ['2026-12-01T00:00:00', '2026-12-01T23:59:59'], false],
  ['WEEK', 1, ['2026-11-29T23:59:59', '2026-11-30T00:00:00'], true],
  ['WEEK', 1, ['2026-11-30T00:00:00', '2026-12-06T23:59:59'], false],
  ['FLIGHT', 1, ['2026-11-30T00:00:00', '2031-12-06T23:59:59'], false],
  ['SOMETHING_NEW', 1, ['2026-11-30T00:00:00', '2031-12-06T23:59:59'], false],
];

describe('the oracle that recounts plays', () => {
  it.each(CASES)('%s, at most %i, played at %j: kept %s', (window, limit, times, kept) => {
    const exceeded = capsExceeded(times.map(at), [{ window: `FREQUENCY_CAP_WINDOW_${window}`, limit }]);
    expect(exceeded.length === 0).toBe(kept);
  });

  it('allows look-back windows the uncertainty of the times', () => {
    const times = [at('2026-11-30T10:00:01'), at('2026-11-30T10:01:00')];
    const caps = [{ window: 'FREQUENCY_CAP_WINDOW_MINUTE', limit: 1 }];
    expect(capsExceeded(times, caps, 1_000)).toEqual([]);
    expect(capsExceeded(times, caps, 999)).toHaveLength(1);
  });
});
