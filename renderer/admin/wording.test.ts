import { describe, expect, it } from 'vitest';
import type { RecordedDetail } from '../../shared/admin';
import { stringsFor } from './strings/words';
import {
  agoText,
  audienceText,
  beaconErrorText,
  bytesText,
  correctionText,
  endText,
  numberText,
  plainWord,
  recordedText,
  shareText,
  spanText,
  waitText,
  windowText,
} from './wording';

const en = stringsFor('en');
const de = stringsFor('de');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('durations', () => {
  it.each<[number, string, string]>([
    [0, '0 s', '0 s'],
    [59_999, '59 s', '59 s'],
    [MINUTE, '1 min', '1 min'],
    [90_000, '1 min 30 s', '1 min 30 s'],
    [12 * MINUTE + 5_000, '12 min', '12 min'],
    [3 * HOUR + 20 * MINUTE, '3 h 20 min', '3 h 20 min'],
    [2 * DAY + 4 * HOUR, '2 d 4 h', '2 T 4 h'],
    [400 * DAY + HOUR, '400 d', '400 T'],
  ])('%i ms', (ms, english, german) => {
    expect(spanText(ms, en)).toBe(english);
    expect(spanText(ms, de)).toBe(german);
  });

  it('never show the end of a wait too early', () => {
    expect(waitText(1, en)).toBe('1 s');
    expect(waitText(29_001, en)).toBe('30 s');
    expect(waitText(-5, en)).toBe('0 s');
  });

  it('count back from now', () => {
    expect(agoText(null, 0, en)).toBe('never');
    expect(agoText(1_000, 2_500, en)).toBe('just now');
    expect(agoText(0, 12_000, de)).toBe('vor 12 s');
    // A time that has not come yet, by a clock that was set back.
    expect(agoText(10_000, 0, en)).toBe('just now');
  });
});

describe('sizes', () => {
  it.each<[number, string]>([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_340_000_000, '1.34 GB'],
    [999_600, '1 MB'],
    [4e12, '4 TB'],
    [4e15, '4,000 TB'],
  ])('%i', (bytes, words) => {
    expect(bytesText(bytes, en)).toBe(words);
  });
  it('use the number format of the language', () => {
    expect(bytesText(1_340_000_000, de)).toMatch(/^1,34\sGB$/);
    expect(numberText(184_203, de)).toBe('184.203');
  });
});

describe('shares', () => {
  it('show 100 % only for all, and 0 % only for none', () => {
    expect(shareText(0.9999, en)).toBe('99%');
    expect(shareText(1, en)).toBe('100%');
    expect(shareText(0.0001, en)).toBe('1%');
    expect(shareText(0, en)).toBe('0%');
  });
});

describe('the clock’s correction', () => {
  it.each<[number, string]>([
    [400, 'as the system’s'],
    [-4_000, '4 s behind the system'],
    [3 * 365 * DAY, '1095 d ahead of the system'],
  ])('%i ms', (correction, words) => {
    expect(correctionText(correction, en)).toBe(words);
  });
});

describe('an audience in words', () => {
  it('is everybody without conditions', () => {
    expect(audienceText(null, de)).toBe('alle');
  });

  it('joins conditions by and, groups by or, and marks what was shortened', () => {
    const audience = {
      groups: [
        {
          conditions: [
            {
              kind: 'demographic' as const,
              profiles: [
                {
                  ageRange: 'AGE_RANGE_25_29',
                  gender: 'GENDER_FEMALE',
                  groupSize: { operator: 'COUNT_COMPARISON_OPERATOR_GREATER_THAN_OR_EQUAL', value: 2 },
                },
              ],
              more: 3,
            },
            { kind: 'weather' as const, types: ['WEATHER_TYPE_ABOVE_20_CELSIUS'], more: 0 },
          ],
          moreConditions: 0,
        },
        {
          conditions: [{ kind: 'basket' as const, skus: ['4006381'], items: ['coffee'], more: 0 }],
          moreConditions: 0,
        },
      ],
      moreGroups: 0,
    };
    expect(audienceText(audience, en)).toBe(
      'women 25–29 people ≥ 2 or … 3 more and weather above 20 °C or cart with 4006381, coffee',
    );
    expect(audienceText(audience, de)).toContain('Frauen 25–29');
  });

  it('keeps unknown words', () => {
    expect(plainWord('GENDER_OF_TOMORROW', 'GENDER')).toBe('of tomorrow');
    expect(windowText('FREQUENCY_CAP_WINDOW_FORTNIGHT', en)).toBe('fortnight');
    expect(windowText('FREQUENCY_CAP_WINDOW_CONSTRUCTOR', en)).toBe('constructor');
    expect(windowText('FREQUENCY_CAP_WINDOW_THIRTY_MINUTES', de)).toBe('30 min');
  });
});

describe('recorded actions in words', () => {
  it.each<[RecordedDetail, string | null, string | null, string | null]>([
    [{ kind: 'minutes', minutes: 15 }, '15 min', '15 min', null],
    [{ kind: 'minutes', minutes: 120 }, '2 hours', '2 Stunden', null],
    [{ kind: 'volume', volume: 0 }, 'Muted', 'Stumm', null],
    [{ kind: 'switched', on: false }, 'Off', 'Aus', null],
    [
      { kind: 'steps-failed', steps: ['token', 'ads'] },
      'Sign in, Fetch a playlist',
      'Anmelden, Liste abrufen',
      null,
    ],
    [
      { kind: 'exported', file: 'plays.csv', rows: 1_200 },
      '1,200 plays written',
      '1.200 Einblendungen geschrieben',
      'plays.csv',
    ],
    [
      { kind: 'export-interrupted', file: 'plays.csv', code: 'no-space', message: 'The drive is full.' },
      'The drive is full. Make room and start a new export.',
      'Das Laufwerk ist voll. Platz schaffen und neu exportieren.',
      'plays.csv: The drive is full.',
    ],
    [
      { kind: 'failed', code: 'timeout', message: 'The ads service did not answer in time.' },
      'No answer in time.',
      'Keine Antwort in der Zeit.',
      'The ads service did not answer in time.',
    ],
    [{ kind: 'failed', code: 'of-tomorrow', message: 'Unheard of.' }, null, null, 'Unheard of.'],
    [{ kind: 'text', text: 'as it was' }, null, null, 'as it was'],
  ])('%o', (detail, english, german, technical) => {
    expect(recordedText(detail, en)).toEqual({ words: english, technical });
    expect(recordedText(detail, de)).toEqual({ words: german, technical });
  });
});

describe('why a play ended and a beacon failed', () => {
  it('has a text, and an unknown code is kept', () => {
    expect(endText('ended', de)).toBeNull();
    expect(endText('overlay', de)).toBe('Personal öffnete diese Seiten');
    expect(endText('of-tomorrow', de)).toBe('of-tomorrow');
    expect(beaconErrorText('status-503', de)).toBe('Server sagt 503');
    expect(beaconErrorText('connection', en)).toBe('no connection');
    expect(beaconErrorText('threw: ReferenceError', en)).toBe('threw: ReferenceError');
  });
});

describe('the languages', () => {
  it('have the same texts, without a gap', () => {
    const shape = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shape)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shape(inner)]))
          : typeof value;
    expect(shape(de)).toEqual(shape(en));
    const words = (value: unknown): string[] =>
      typeof value === 'string'
        ? [value]
        : typeof value === 'object' && value !== null
          ? Object.values(value).flatMap(words)
          : [];
    const gaps = (strings: typeof en) => words(strings).filter((word) => word.trim() === '').length;
    expect(gaps(de)).toBe(gaps(en));
  });
});
