import { describe, expect, it } from 'vitest';
import { progressMarks, shareAt, vastEvents } from './vast-events';

const marksOf = (...offsets: Array<string | null>) =>
  progressMarks(offsets.map((offset, index) => ({ event: 'progress', url: `u:${index}`, offset })));

describe('the marks of progress tracking', () => {
  it.each([
    ['00:00:00', { of: 'time', ms: 0 }],
    ['00:00:05', { of: 'time', ms: 5_000 }],
    ['00:01:02.5', { of: 'time', ms: 62_500 }],
    ['1:00:00.123456', { of: 'time', ms: 3_600_123 }],
    ['0%', { of: 'length', share: 0 }],
    ['25%', { of: 'length', share: 0.25 }],
    ['12.5%', { of: 'length', share: 0.125 }],
    ['100%', { of: 'length', share: 1 }],
  ])('%s is read', (offset, mark) => {
    expect(marksOf(offset)).toEqual({ marks: [mark], urls: [['u:0']] });
  });

  it.each(['', '5', '101%', '-1%', '00:60:00', '00:00:61', 'half', null])('%j is none', (offset) => {
    expect(marksOf(offset)).toEqual({ marks: [], urls: [] });
  });

  it('are each reported once, with all their URLs', () => {
    expect(marksOf('25%', '00:00:05', '25%')).toEqual({
      marks: [
        { of: 'length', share: 0.25 },
        { of: 'time', ms: 5_000 },
      ],
      urls: [['u:0', 'u:2'], ['u:1']],
    });
  });

  it('are only those of progress events', () => {
    expect(progressMarks([{ event: 'start', url: 'u', offset: '25%' }]).marks).toEqual([]);
  });

  it('are bounded', () => {
    expect(
      marksOf(...Array.from({ length: 500 }, (_, ms) => `0:00:00.${String(ms).padStart(3, '0')}`)).marks,
    ).toHaveLength(100);
  });
});

describe('the share that was played at a mark', () => {
  it.each([
    ['25%', null, 0.25],
    ['00:00:05', 20_000, 0.25],
    ['00:00:00', null, 0],
    ['00:00:05', null, null],
  ])('%s of %j ms is %j', (offset, durationMs, share) => {
    expect(shareAt(marksOf(offset).marks[0], durationMs)).toBe(share);
  });
});

describe('at its first frame, an ad', () => {
  it('was loaded, is viewed and has started (VAST 4.2, section 3.14.1)', () => {
    const tracking = ['start', 'creativeView', 'loaded', 'complete', 'mute', 'closeLinear', 'skip'].map(
      (event) => ({ event, url: `u:${event}`, offset: null }),
    );
    const ad = { impressions: ['i'], tracking, durationMs: 10_000 };
    expect(vastEvents(ad, 'shown')).toEqual([
      { name: 'impression', urls: ['i'], share: 0 },
      { name: 'loaded', urls: ['u:loaded'], share: 0 },
      { name: 'creativeView', urls: ['u:creativeView'], share: 0 },
      { name: 'start', urls: ['u:start'], share: 0 },
    ]);
  });
});
