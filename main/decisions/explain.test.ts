import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Context, EMPTY_CONTEXT } from './audience';
import { countersOf, explainAd, type Media, REASONS } from './explain';
import { anAd, anAudience, weather } from './testing/ads-for-tests';
import { explainAdFromPlays } from './testing/explain-from-plays';

const at = Date.parse('2026-11-18T10:30:00Z');
const ready: Media = { state: 'ready' };
const now = { at, context: EMPTY_CONTEXT, counters: null, media: ready };
const DAY_CAP = { window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 2 };

describe('expiry (rule 5)', () => {
  it.each([
    ['before it', at + 1, true],
    ['at that very moment', at, true],
    ['past it', at - 1, false],
  ])('%s', (_name, expiresAt, eligible) => {
    expect(explainAd(anAd({ expiresAt }), now).eligible).toBe(eligible);
  });

  it('only an ad without an expiry stops some days after the last good answer (rule 3)', () => {
    expect(explainAd(anAd(), { ...now, staleAt: at - 1000 })).toMatchObject({
      reasons: ['expired'],
      detail:
        'It has no expiry of its own and the last good answer is too old: it stopped at 2026-11-18T10:29:59Z.',
    });
    expect(explainAd(anAd(), { ...now, staleAt: at }).eligible).toBe(true);
    expect(explainAd(anAd({ expiresAt: at }), { ...now, staleAt: at - 1 }).eligible).toBe(true);
  });

  it('says the date', () => {
    const expired = anAd({ expiresAt: Date.parse('2026-11-01T00:00:00Z') });
    expect(explainAd(expired, now).detail).toBe('It expired at 2026-11-01T00:00:00Z.');
  });
});

describe('caps (rule 7)', () => {
  const flight = {
    flightId: 'f',
    frequencyCaps: [DAY_CAP, { window: 'FREQUENCY_CAP_WINDOW_MINUTE', limit: 9 }],
  };
  const plays = [
    { flightId: 'f', at: at - 3_600_000 },
    { flightId: 'other', at },
    { flightId: 'f', at: at - 1000 },
  ];

  it('says which cap, how much of it is used and until when', () => {
    expect(explainAdFromPlays(anAd(flight), { at, context: EMPTY_CONTEXT, plays, media: ready })).toEqual({
      eligible: false,
      reasons: ['capped'],
      detail:
        '2 of 2 plays in FREQUENCY_CAP_WINDOW_DAY are used; the next may follow from 2026-11-19T00:00:00Z.',
      caps: [
        { window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 2, used: 2 },
        { window: 'FREQUENCY_CAP_WINDOW_MINUTE', limit: 9, used: 1 },
      ],
    });
  });

  it('counts the plays of the flight, whichever ad they were of', () => {
    const used = (flightId: string) =>
      explainAdFromPlays(anAd({ ...flight, flightId }), { at, context: EMPTY_CONTEXT, plays, media: ready });
    expect(used('f').caps[0]?.used).toBe(2);
    expect(used('other').caps[0]?.used).toBe(1);
    expect(used('new').caps[0]?.used).toBe(0);
  });

  it('countersOf counts all flights in one pass, with the same result', () => {
    const counters = countersOf(plays).get('f') ?? null;
    expect(explainAd(anAd(flight), { ...now, counters })).toEqual(
      explainAdFromPlays(anAd(flight), { at, context: EMPTY_CONTEXT, plays, media: ready }),
    );
  });

  it('a limit of 0 never plays', () => {
    const ad = anAd({ flightId: 'f', frequencyCaps: [{ ...DAY_CAP, limit: 0 }] });
    expect(explainAd(ad, now)).toMatchObject({
      reasons: ['capped'],
      detail: 'Its cap of 0 plays in FREQUENCY_CAP_WINDOW_DAY never lets it play.',
    });
  });

  it('an unknown window counts the whole flight and says so', () => {
    const ad = anAd({ flightId: 'f', frequencyCaps: [{ window: 'FORTNIGHT', limit: 1 }] });
    const long = [{ flightId: 'f', at: 0 }];
    expect(explainAdFromPlays(ad, { at, context: EMPTY_CONTEXT, plays: long, media: ready })).toMatchObject({
      reasons: ['capped'],
      detail: '1 of 1 plays in FORTNIGHT (unknown, so counted over the whole flight) are used.',
    });
  });

  it('caps without a flight are uncountable, whatever their limit', () => {
    const ad = anAd({ flightId: null, frequencyCaps: [DAY_CAP, { ...DAY_CAP, limit: 0 }] });
    expect(explainAd(ad, now)).toMatchObject({
      reasons: ['uncountable'],
      caps: [{ used: 0 }, { used: 0 }],
    });
  });
});

it('does not judge an audience that the service has matched (rule 6)', () => {
  const ad = anAd({ audience: anAudience([weather('RAIN')]) });
  expect(explainAd(ad, now).reasons).toEqual(['audience']);
  expect(explainAd(ad, { ...now, audience: 'trusted' })).toMatchObject({
    eligible: true,
    detail: 'The service has matched its audience.',
  });
});

describe('media (rule 5)', () => {
  it('distinguishes unsupported media from media that is not ready', () => {
    expect(explainAd(anAd(), { ...now, media: { state: 'unsupported' } })).toMatchObject({
      reasons: ['no-media'],
      detail: 'None of its 1 media files can be shown here.',
    });
    expect(
      explainAd(anAd(), { ...now, media: { state: 'not-ready', url: 'https://m.test/a' } }),
    ).toMatchObject({
      reasons: ['no-media'],
      detail: 'Its media is not complete and verified on disk: https://m.test/a.',
    });
    const why = 'quarantined until tomorrow';
    expect(
      explainAd(anAd(), { ...now, media: { state: 'not-ready', url: 'https://m.test/a', why } }).detail,
    ).toBe('Its media is quarantined until tomorrow: https://m.test/a.');
  });
});

it('lists every reason in a fixed order, and none exactly if eligible', () => {
  const sunny: Context = { ...EMPTY_CONTEXT, weather: { types: ['SUN'] } };
  fc.assert(
    fc.property(
      fc.record({
        expired: fc.boolean(),
        audience: fc.boolean(),
        caps: fc.constantFrom('none', 'reached', 'uncountable'),
        media: fc.boolean(),
      }),
      (wrong) => {
        const ad = anAd({
          expiresAt: wrong.expired ? at - 1000 : at + 1000,
          audience: anAudience([weather(wrong.audience ? 'RAIN' : 'SUN')]),
          flightId: wrong.caps === 'reached' ? 'f' : null,
          frequencyCaps: wrong.caps === 'none' ? [] : [{ window: 'FREQUENCY_CAP_WINDOW_FLIGHT', limit: 1 }],
        });
        const { eligible, reasons, detail } = explainAdFromPlays(ad, {
          at,
          context: sunny,
          plays: [{ flightId: 'f', at: 0 }],
          media: wrong.media ? { state: 'unsupported' } : ready,
        });
        const expected = REASONS.filter(
          (reason) =>
            (reason === 'expired' && wrong.expired) ||
            (reason === 'audience' && wrong.audience) ||
            (reason === 'capped' && wrong.caps === 'reached') ||
            (reason === 'uncountable' && wrong.caps === 'uncountable') ||
            (reason === 'no-media' && wrong.media),
        );
        expect(reasons).toEqual(expected);
        expect(eligible).toBe(expected.length === 0);
        expect(detail).not.toBe('');
      },
    ),
  );
});
