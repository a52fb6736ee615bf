import { describe, expect, it, vi } from 'vitest';
import { AdminErrorCode, type RecordedDetail } from '../../shared/admin';
import { plainWord, stringsFor } from './wording';

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
    [2 * DAY + 4 * HOUR, '2 d 4 h', '2 Tg. 4 h'],
    [400 * DAY + HOUR, '400 d', '400 Tg.'],
  ])('%i ms', (ms, english, german) => {
    expect(en.spanText(ms)).toBe(english);
    expect(de.spanText(ms)).toBe(german);
  });

  it('never show the end of a wait too early', () => {
    expect(en.waitText(1)).toBe('1 s');
    expect(en.waitText(29_001)).toBe('30 s');
    expect(en.waitText(-5)).toBe('0 s');
    expect(en.waitText(10 * MINUTE - 1)).toBe('10 min');
    expect(en.waitText(14 * MINUTE + 59_000)).toBe('15 min');
    expect(en.waitText(DAY + 1)).toBe('1 d 1 h');
    expect(en.waitText(100 * DAY + 1)).toBe('101 d');
  });

  it('count back from now', () => {
    expect(en.agoText(1_000, 2_500)).toBe('just now');
    expect(de.agoText(0, 12_000)).toBe('vor 12 s');
    // A time that has not come yet, by a clock that was set back.
    expect(en.agoText(10_000, 0)).toBe('just now');
  });
});

describe('times', () => {
  const at = Date.UTC(2026, 10, 28, 18, 30);
  it.each([
    ['Asia/Kathmandu', at, '00:15', '00:15:00', 'Sun 29 Nov 2026'],
    ['America/Sao_Paulo', at, '15:30', '15:30:00', 'Sat 28 Nov 2026'],
    ['Asia/Kathmandu', at + 30 * MINUTE, '00:15', '00:15:00', 'Sun 29 Nov 2026'],
    ['Asia/Kathmandu', at - 30 * MINUTE, '29 Nov, 00:15', '00:15:00', 'Sun 29 Nov 2026'],
    ['Asia/Kathmandu', at - 400 * DAY, '29 Nov 2026, 00:15', '00:15:00', 'Sun 29 Nov 2026'],
  ])('are those of %s', (zone, now, moment, clock, day) => {
    const strings = stringsFor('en', zone);
    expect(strings.momentText(at, now)).toBe(moment);
    expect([strings.clockText(at), strings.dayText(at).replace(',', '')]).toEqual([clock, day]);
  });
});

it('follows a machine that is set to another time zone', () => {
  const before = stringsFor('en');
  expect(stringsFor('en')).toBe(before);
  const options = Intl.DateTimeFormat().resolvedOptions();
  const other = { ...options, timeZone: 'Asia/Kathmandu' };
  const set = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(other);
  expect(stringsFor('en')).not.toBe(before);
  set.mockRestore();
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
    expect(en.bytesText(bytes)).toBe(words);
  });
  it('use the number format of the language', () => {
    expect(de.bytesText(1_340_000_000)).toMatch(/^1,34\sGB$/);
    expect(de.numberText(184_203)).toBe('184.203');
  });
});

describe('shares', () => {
  it('show 100 % only for all, and 0 % only for none', () => {
    expect(en.shareText(0.9999)).toBe('99%');
    expect(en.shareText(1)).toBe('100%');
    expect(en.shareText(0.0001)).toBe('1%');
    expect(en.shareText(0)).toBe('0%');
  });
});

describe('the clock’s correction', () => {
  it.each<[number, string]>([
    [400, 'same as the system clock'],
    [-4_000, '4 s behind the system clock'],
    [3 * 365 * DAY, '1095 d ahead of the system clock'],
  ])('%i ms', (correction, words) => {
    expect(en.correctionText(correction)).toBe(words);
  });
});

describe('an audience in words', () => {
  it('is everybody without conditions', () => {
    expect(de.audienceText(null)).toBe('alle');
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
    expect(en.audienceText(audience)).toBe(
      'women 25–29 people ≥ 2 or … 3 more and weather above 20 °C or cart with 4006381, coffee',
    );
    expect(de.audienceText(audience)).toContain('Frauen 25–29');
  });

  it.each(['GENDER_FEMALE', 'GENDER_MALE', 'GENDER_OTHER', 'GENDER_UNKNOWN'])(
    'has words for %s',
    (gender) => {
      const profiles = [{ ageRange: null, gender, groupSize: null }];
      const conditions = [{ kind: 'demographic' as const, profiles, more: 0 }];
      const audience = { groups: [{ conditions, moreConditions: 0 }], moreGroups: 0 };
      expect(de.audienceText(audience)).not.toBe(en.audienceText(audience));
    },
  );

  it('keeps unknown words', () => {
    expect(plainWord('GENDER_OF_TOMORROW', 'GENDER')).toBe('of tomorrow');
    expect(de.windowText({ window: 'FREQUENCY_CAP_WINDOW_SIX_HOURS', words: null })).toBe('six hours');
  });

  it("calls a cap's window what main calls it", () => {
    const week = { window: 'FREQUENCY_CAP_WINDOW_WEEK', words: { en: 'week', de: 'Woche' } };
    expect([en.windowText(week), de.windowText(week)]).toEqual(['week', 'Woche']);
  });
});

describe('recorded actions in words', () => {
  it.each<[RecordedDetail, string | null, string | null, string | null]>([
    [{ kind: 'minutes', minutes: 15 }, '15 min', '15 min', null],
    [{ kind: 'minutes', minutes: 120 }, '2 hours', '2 Stunden', null],
    [{ kind: 'volume', volume: 0 }, 'Muted', 'Stumm', null],
    [{ kind: 'switched', on: false }, 'Off', 'Aus', null],
    [{ kind: 'steps-failed', steps: ['token', 'ads'] }, 'Sign-in, Ads', 'Anmeldung, Werbung', null],
    [
      { kind: 'exported', file: 'plays.csv', rows: 1_200 },
      '1,200 plays written',
      '1.200 Einblendungen geschrieben',
      'plays.csv',
    ],
    [
      { kind: 'exported', file: 'plays.csv', rows: 1 },
      '1 play written',
      '1 Einblendung geschrieben',
      'plays.csv',
    ],
    [
      { kind: 'cleared', files: 1, bytes: 999 },
      '1 file cleared, 999 bytes freed',
      '1 Datei gelöscht, 999 Byte frei geworden',
      null,
    ],
    [
      { kind: 'cleared', files: 1_200, bytes: 999 },
      '1,200 files cleared, 999 bytes freed',
      '1.200 Dateien gelöscht, 999 Byte frei geworden',
      null,
    ],
    [
      { kind: 'export-interrupted', file: 'plays.csv', code: 'no-space', message: 'The drive is full.' },
      'There is no room there. Choose another place and start a new export. In the data folder, “Clear media” makes room.',
      'Dort ist kein Platz mehr. Ein anderes Ziel wählen und neu exportieren. Im Datenordner schafft „Medien löschen“ Platz.',
      'plays.csv: The drive is full.',
    ],
    [
      { kind: 'failed', code: 'timeout', message: 'The ads service did not answer in time.' },
      'The service did not answer in time, or not as it should.',
      'Der Dienst hat nicht rechtzeitig oder nicht richtig geantwortet.',
      'The ads service did not answer in time.',
    ],
    [{ kind: 'failed', code: 'of-tomorrow', message: 'Unheard of.' }, null, null, 'Unheard of.'],
    [{ kind: 'text', text: 'as it was' }, null, null, 'as it was'],
  ])('%o', (detail, english, german, technical) => {
    expect(en.recordedText(detail)).toEqual({ words: english, technical });
    expect(de.recordedText(detail)).toEqual({ words: german, technical });
  });
});

describe('why a play ended and a beacon failed', () => {
  it('has a text, and an unknown code is kept', () => {
    expect(de.endText('ended')).toBeNull();
    expect(de.endText('overlay')).toBe('das Personal öffnete diese Seiten');
    expect(de.endText('of-tomorrow')).toBe('of-tomorrow');
    expect(de.beaconErrorText('status-503')).toBe('Server sagt 503');
    expect(en.beaconErrorText('connection')).toBe('no connection');
    expect(en.beaconErrorText('threw: ReferenceError')).toBe('threw: ReferenceError');
  });
});

describe('what staff are told', () => {
  it.each([
    ...['books-failing', 'books-started-anew', 'settings-unusable', 'remote-settings-set-aside'],
    ...[
      'safe-start',
      'proof-set-aside',
      'proof-waiting',
      'proof-dropped',
      'fleet-link',
      'fleet-refused',
      'fleet-blocks',
    ],
    ...['new-key-other-machine', 'new-key-other-system', 'new-key-key-lost'],
    ...['system-clock-wrong', 'pages-do-not-trust-ca', 'display-not-switched', 'house-folder'],
    ...['unknown-cap-window', 'update-taken-back', 'insecure-address', 'graphics-hardware-crashed'],
    ...['snapshot-unread', 'counts-lost'],
    ...[...AdminErrorCode.options, 'malformed-answer', 'late', 'no-home'],
  ])('about the problem %s is in their language', (code) => {
    expect(en.problems[code]).toBeDefined();
    expect(de.problems[code]).not.toEqual(en.problems[code]);
  });

  it.each(['forbidden', 'unexpected-status', 'refused'])(
    'where the service refuses a request, by %s, is to look at what the request says of the kiosk',
    (code) => {
      expect(en.problems[code]?.todo).toContain(en.fields.playerId.label.toLowerCase());
      expect(de.problems[code]?.todo).toContain(de.fields.playerId.label);
    },
  );

  it.each([
    ...['overlay', 'maintenance', 'announcement', 'closed', 'window-hidden', 'display-off', 'link-view'],
    ...['skipped', 'stopped', 'stage-lost', 'process-ended', 'stalled', 'error', 'load-failed', 'no-sound'],
    ...['shut-down', 'decode-failed', 'start-timeout', 'late', 'not-prepared', 'not-confirmed', 'blocked'],
  ])('about the end of a play by %s is in their language', (reason) => {
    expect(de.endText(reason)).not.toBe(reason);
    expect(de.endText(reason)).not.toBe(en.endText(reason));
  });

  it.each([
    ...['fenced', 'name', 'connection', 'tls', 'timeout', 'cancelled', 'redirects', 'answer'],
    ...['proxy-unreachable', 'proxy-auth', 'proxy-refused', 'too-late', 'books'],
    ...['status-404', 'status-500-after-redirect'],
  ])('about a beacon that failed with %s is in their language', (error) => {
    expect(de.beaconErrorText(error)).not.toBe(error);
    expect(de.beaconErrorText(error)).not.toBe(en.beaconErrorText(error));
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
