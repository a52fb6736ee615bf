import type { AudienceOutline, RecordedDetail } from '../../shared/admin';
import type { Strings } from './strings/words';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `12,345` or `12.345`. */
export function numberText(value: number, { language }: Strings): string {
  return new Intl.NumberFormat(language).format(value);
}

/** A share (0 to 1) in whole per cent; only 1 gives 100 %, only 0 gives 0 %. */
export function shareText(share: number, { language }: Strings): string {
  const percent = Math.round(share * 100);
  const honest = share > 0 && percent === 0 ? 1 : share < 1 && percent === 100 ? 99 : percent;
  return new Intl.NumberFormat(language, { style: 'percent' }).format(honest / 100);
}

export function volumeText(volume: number, strings: Strings): string {
  return volume === 0 ? strings.muted : shareText(volume, strings);
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** Bytes in decimal units, as drives are sold: three digits at most, `1.34 GB`. */
export function bytesText(bytes: number, { language }: Strings): string {
  let power = 0;
  // 999,500 is 1.00 MB, not 1,000 kB.
  while (power < UNITS.length - 1 && bytes / 1_000 ** power >= 999.5) power += 1;
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumSignificantDigits: 3,
  }).format(bytes / 1_000 ** power);
}

/** Joins the words that are not empty with a dot. */
export function joinWithDots(...words: ReadonlyArray<string | null | false>): string {
  return words.filter(Boolean).join(' · ');
}

/** The smallest unit that matters in a length of time. */
const smallestUnit = (ms: number) =>
  ms < 10 * MINUTE ? SECOND : ms < DAY ? MINUTE : ms < 100 * DAY ? HOUR : DAY;

/** A length of time in its largest units, rounded down: `12 s`, `3 h 20 min`, `2 d 4 h`. `ms` ≥ 0. */
export function spanText(ms: number, { language }: Strings): string {
  const smallest = smallestUnit(ms);
  const parts = [
    [Math.floor(ms / DAY), DAY, language === 'de' ? 'Tg.' : 'd'],
    [Math.floor(ms / HOUR) % 24, HOUR, 'h'],
    [Math.floor(ms / MINUTE) % 60, MINUTE, 'min'],
    [Math.floor(ms / SECOND) % 60, SECOND, 's'],
  ] as const;
  const shown = parts.filter(([many, unit]) => many > 0 && unit >= smallest);
  return shown.map(([many, , name]) => `${many} ${name}`).join(' ') || '0 s';
}

/** The length of a pause: in hours, unless it ends within one. */
export function minutesText(minutes: number, strings: Strings): string {
  return minutes % 60 === 0 ? strings.hoursLong(minutes / 60) : strings.minutes(minutes);
}

/** A time left, rounded up to the smallest unit that is shown, so that it is 0 only at the end. */
export function waitText(ms: number, strings: Strings): string {
  const unit = smallestUnit(ms);
  return spanText(Math.ceil(Math.max(0, ms) / unit) * unit, strings);
}

export function agoText(at: number | null, now: number, strings: Strings): string {
  if (at === null) return strings.never;
  return now - at < 2 * SECOND ? strings.justNow : strings.ago(spanText(now - at, strings));
}

/** Times in 24 hours, in English too. */
function dateText(at: number, { language }: Strings, format: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, format).format(at);
}

/** The time alone when it is of the same local day as `now`, else with its day. */
export function momentText(at: number, now: number, strings: Strings): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return dateText(at, strings, {
    ...(sameDay ? {} : DAY_PARTS),
    ...(sameYear ? {} : { year: 'numeric' }),
    ...TIME_PARTS,
  });
}
const DAY_PARTS = { day: 'numeric', month: 'short' } as const;
const TIME_PARTS = { hour: '2-digit', minute: '2-digit' } as const;

export function clockText(at: number, strings: Strings): string {
  return dateText(at, strings, { timeStyle: 'medium' });
}

export function dayText(at: number, strings: Strings): string {
  return dateText(at, strings, { weekday: 'short', ...DAY_PARTS, year: 'numeric' });
}

/** How far the trusted clock is from the system's; less than a second is no difference. */
export function correctionText(correctionMs: number, strings: Strings): string {
  const size = Math.abs(correctionMs);
  if (size < SECOND) return strings.clockRight;
  return (correctionMs > 0 ? strings.clockAhead : strings.clockBehind)(spanText(size, strings));
}

/** `WEATHER_TYPE_PARTLY_CLOUDY` is `partly cloudy`: the service's own words, without its prefix. */
export function plainWord(word: string, prefix: string): string {
  return word
    .replace(new RegExp(`^${prefix}_`), '')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/** The words for a code; `unknown` for one that has none. */
export function textForCode(words: Readonly<Record<string, string>>, code: string, unknown = code): string {
  return (Object.hasOwn(words, code) ? words[code] : undefined) ?? unknown;
}

/** Why main rejected a call, in the language of staff where it has words for the code. */
export function refusalText({ code, message }: { code: string; message: string }, strings: Strings): string {
  return strings.problems[code]?.what ?? message;
}

const OPERATORS: Readonly<Record<string, string>> = {
  equal: '=',
  'greater than': '>',
  'greater than or equal': '≥',
  'less than': '<',
  'less than or equal': '≤',
};

/** The details of a recorded action in words, and the program's English message. */
export function recordedText(
  detail: RecordedDetail,
  strings: Strings,
): { readonly words: string | null; readonly technical: string | null } {
  const said = (words: string | null, technical: string | null = null) => ({ words, technical });
  switch (detail.kind) {
    case 'minutes':
      return said(minutesText(detail.minutes, strings));
    case 'volume':
      return said(volumeText(detail.volume, strings));
    case 'cleared':
      return said(strings.cleared(strings.fileCount(detail.files), bytesText(detail.bytes, strings)));
    case 'switched':
      return said(strings.onOff[detail.on ? 'on' : 'off']);
    case 'steps-failed':
      return said(detail.steps.map((step) => strings.operations[step]).join(', '));
    case 'exported':
      return said(strings.exportRows(detail.rows), detail.file);
    case 'export-interrupted':
      return said(strings.exportInterruptions[detail.code], `${detail.file}: ${detail.message}`);
    case 'failed':
      return said(strings.problems[detail.code]?.what ?? null, detail.message);
    case 'text':
      return said(null, detail.text);
  }
}

/** Why a play ended; null where the outcome says enough. */
export function endText(reason: string | null, strings: Strings): string | null {
  return reason === null || reason === 'ended' ? null : textForCode(strings.endReasons, reason);
}

/** Why a beacon was not delivered, from the outbox's code. */
export function beaconErrorText(error: string, strings: Strings): string {
  const status = /^(?:status|http)-(\d{3})(?:-after-redirect)?$/.exec(error)?.[1];
  return status === undefined
    ? textForCode({ ...strings.scriptResults, ...strings.beaconErrors }, error)
    : strings.beaconStatus(status);
}

type Condition = AudienceOutline['groups'][number]['conditions'][number];
type Profile = Extract<Condition, { kind: 'demographic' }>['profiles'][number];

/** An audience in words: conditions joined by and, groups by or. Null: everybody. */
export function audienceText(audience: AudienceOutline | null, strings: Strings): string {
  if (audience === null) return strings.everybody;
  const groups = audience.groups.map(({ conditions, moreConditions }) => {
    const words = conditions.map((condition) => conditionText(condition, strings));
    return joinList(words, moreConditions, ` ${strings.and} `, strings);
  });
  return joinList(groups, audience.moreGroups, ` ${strings.or} `, strings);
}

function conditionText(condition: Condition, strings: Strings): string {
  switch (condition.kind) {
    case 'demographic':
      return joinList(
        condition.profiles.map((profile) => profileText(profile, strings)),
        condition.more,
        ` ${strings.or} `,
        strings,
      );
    case 'basket':
      return strings.basketWith(
        joinList([...condition.skus, ...condition.items], condition.more, ', ', strings),
      );
    case 'weather': {
      const types = condition.types.map((type) =>
        textForCode(strings.weather, plainWord(type, 'WEATHER_TYPE')),
      );
      return strings.weatherIs(joinList(types, condition.more, ', ', strings));
    }
    case 'unreadable':
      return strings.unreadable;
  }
}

function profileText({ ageRange, gender, groupSize }: Profile, strings: Strings): string {
  const parts: string[] = [];
  if (gender !== null) parts.push(textForCode(strings.genders, plainWord(gender, 'GENDER')));
  if (ageRange !== null) parts.push(plainWord(ageRange, 'AGE_RANGE').replace(/^(\d+) (\d+)$/, '$1–$2'));
  if (groupSize?.operator) {
    const sign = textForCode(OPERATORS, plainWord(groupSize.operator, 'COUNT_COMPARISON_OPERATOR'));
    parts.push(strings.people(`${sign} ${groupSize.value}`));
  }
  return parts.length === 0 ? strings.anyAge : parts.join(' ');
}

function joinList(words: readonly string[], more: number, between: string, strings: Strings): string {
  const all = more > 0 ? [...words, `… ${strings.more(more)}`] : words;
  return all.length === 0 ? strings.nobody : all.join(between);
}

/** A cap's window in words; an unknown one stays as the service wrote it. */
export function windowText(window: string, strings: Strings): string {
  return textForCode(strings.windows, plainWord(window, 'FREQUENCY_CAP_WINDOW'));
}
