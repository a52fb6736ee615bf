import type { AudienceOutline, RecordedDetail } from '../../shared/admin';
import type { Strings } from './strings';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `12,345` or `12.345`. */
export function numberText(value: number, { language }: Strings): string {
  return new Intl.NumberFormat(language).format(value);
}

/** A part of 1 in whole per cent; only all is 100 %, and only nothing 0 %. */
export function shareText(share: number, { language }: Strings): string {
  const percent = Math.round(share * 100);
  const honest = share > 0 && percent === 0 ? 1 : share < 1 && percent === 100 ? 99 : percent;
  return new Intl.NumberFormat(language, { style: 'percent' }).format(honest / 100);
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

/** A length of time in its two largest units, rounded down: `12 s`, `3 h 20 min`, `2 d 4 h`. `ms` ≥ 0. */
export function spanText(ms: number, { language }: Strings): string {
  const days = language === 'de' ? 'T' : 'd';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, 'min', SECOND, 's', 10);
  if (ms < DAY) return twoUnits(ms, HOUR, 'h', MINUTE, 'min');
  return twoUnits(ms, DAY, days, HOUR, 'h', 100);
}

/** The smaller unit is left out when it is none, or when there are `enough` of the larger one. */
function twoUnits(
  ms: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
  enough = Number.POSITIVE_INFINITY,
): string {
  const many = Math.floor(ms / large);
  const rest = Math.floor((ms % large) / small);
  const first = `${many} ${largeName}`;
  return rest === 0 || many >= enough ? first : `${first} ${rest} ${smallName}`;
}

/** A time to come by a clock, told at `now`; rounded up, so that it never says 0 too early. */
export function waitText(ms: number, strings: Strings): string {
  return spanText(Math.ceil(Math.max(0, ms) / SECOND) * SECOND, strings);
}

export function agoText(at: number | null, now: number, strings: Strings): string {
  if (at === null) return strings.never;
  return now - at < 2 * SECOND ? strings.justNow : strings.ago(spanText(now - at, strings));
}

/** The time alone when it is of the same local day as `now`, else with its day. */
export function momentText(at: number, now: number, { language }: Strings): string {
  const sameDay = new Date(at).toDateString() === new Date(now).toDateString();
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    ...(sameDay ? {} : { day: 'numeric', month: 'short' }),
    ...(sameYear ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

export function clockText(at: number, { language }: Strings): string {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, { timeStyle: 'medium' }).format(at);
}

export function dayText(at: number, { language }: Strings): string {
  return new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(at);
}

/** What the clock that decides makes of the system's: at least a second counts as a difference. */
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

const GENDERS: Readonly<Record<Strings['language'], Readonly<Record<string, string>>>> = {
  en: { female: 'women', male: 'men', unknown: 'gender unknown' },
  de: { female: 'Frauen', male: 'Männer', unknown: 'Geschlecht unbekannt' },
};
const WEATHER: Readonly<Record<Strings['language'], Readonly<Record<string, string>>>> = {
  en: { 'above 20 celsius': 'above 20 °C', 'below 10 celsius': 'below 10 °C' },
  de: {
    'above 20 celsius': 'über 20 °C',
    'below 10 celsius': 'unter 10 °C',
    sunny: 'sonnig',
    cloudy: 'bewölkt',
    rainy: 'regnerisch',
    snow: 'Schnee',
    fog: 'Nebel',
  },
};
const OPERATORS: Readonly<Record<string, string>> = {
  equal: '=',
  'greater than': '>',
  'greater than or equal': '≥',
  'less than': '<',
  'less than or equal': '≤',
};

/** What a recorded action came with, and the program's own words about it, in English. */
export function recordedText(
  detail: RecordedDetail,
  strings: Strings,
): { readonly words: string | null; readonly technical: string | null } {
  const said = (words: string | null, technical: string | null = null) => ({ words, technical });
  switch (detail.kind) {
    case 'minutes':
      return said(
        detail.minutes < 60 || detail.minutes % 60 !== 0
          ? strings.minutes(detail.minutes)
          : strings.hoursLong(detail.minutes / 60),
      );
    case 'volume':
      return said(detail.volume === 0 ? strings.muted : shareText(detail.volume, strings));
    case 'cleared':
      return said(strings.cleared(numberText(detail.files, strings), bytesText(detail.bytes, strings)));
    case 'switched':
      return said(detail.on ? strings.autostart.on : strings.autostart.off);
    case 'steps-failed':
      return said(detail.steps.map((step) => strings.connectionSteps[step]).join(', '));
    case 'exported':
      return said(strings.exportRows(numberText(detail.rows, strings)), detail.file);
    case 'export-interrupted':
      return said(strings.exportInterruptions[detail.code], `${detail.file}: ${detail.message}`);
    case 'failed':
      return said(strings.problems[detail.code]?.what ?? null, detail.message);
    case 'text':
      return said(null, detail.text);
  }
}

/** Why a play ended as it did; nothing where its outcome says it all. */
export function endText(reason: string | null, strings: Strings): string | null {
  return reason === null || reason === 'ended' ? null : (strings.endReasons[reason] ?? reason);
}

/** Why a beacon was not taken, by the word the outbox keeps of it. */
export function beaconErrorText(error: string, strings: Strings): string {
  const status = /^(?:status|http)-(\d{3})$/.exec(error)?.[1];
  return status === undefined ? (strings.beaconErrors[error] ?? error) : strings.beaconStatus(status);
}

type Condition = AudienceOutline['groups'][number]['conditions'][number];
type Profile = Extract<Condition, { kind: 'demographic' }>['profiles'][number];

/** Whom an ad is for, in words: conditions of a group together, groups as alternatives. Null: everybody. */
export function audienceText(audience: AudienceOutline | null, strings: Strings): string {
  if (audience === null) return strings.everybody;
  const groups = audience.groups.map(({ conditions, moreConditions }) => {
    const words = conditions.map((condition) => conditionText(condition, strings));
    return listed(words, moreConditions, ` ${strings.and} `, strings);
  });
  return listed(groups, audience.moreGroups, ` ${strings.or} `, strings);
}

function conditionText(condition: Condition, strings: Strings): string {
  switch (condition.kind) {
    case 'demographic':
      return listed(
        condition.profiles.map((profile) => profileText(profile, strings)),
        condition.more,
        ` ${strings.or} `,
        strings,
      );
    case 'basket':
      return strings.basketWith(
        listed([...condition.skus, ...condition.items], condition.more, ', ', strings),
      );
    case 'weather': {
      const types = condition.types.map((type) => {
        const word = plainWord(type, 'WEATHER_TYPE');
        return WEATHER[strings.language][word] ?? word;
      });
      return strings.weatherIs(listed(types, condition.more, ', ', strings));
    }
    case 'unreadable':
      return strings.unreadable;
  }
}

function profileText({ ageRange, gender, groupSize }: Profile, strings: Strings): string {
  const parts: string[] = [];
  if (gender !== null) {
    const word = plainWord(gender, 'GENDER');
    parts.push(GENDERS[strings.language][word] ?? word);
  }
  if (ageRange !== null) parts.push(plainWord(ageRange, 'AGE_RANGE').replace(/^(\d+) (\d+)$/, '$1–$2'));
  if (groupSize !== null) {
    const word = plainWord(groupSize.operator ?? '', 'COUNT_COMPARISON_OPERATOR');
    const sign = groupSize.operator === null ? null : (OPERATORS[word] ?? word);
    if (sign !== null) parts.push(strings.people(`${sign} ${groupSize.value}`));
  }
  return parts.length === 0 ? strings.anyAge : parts.join(' ');
}

function listed(words: readonly string[], more: number, between: string, strings: Strings): string {
  const all = more > 0 ? [...words, `… ${strings.more(numberText(more, strings))}`] : words;
  return all.length === 0 ? strings.nobody : all.join(between);
}

/** A cap's window as staff would say it; one that is not known stays as the service wrote it. */
export function windowText(window: string, { windows }: Strings): string {
  const word = plainWord(window, 'FREQUENCY_CAP_WINDOW');
  const known: Readonly<Record<string, string>> = {
    minute: windows.minute,
    'thirty minutes': windows['half-hour'],
    hour: windows.hour,
    day: windows.day,
    week: windows.week,
    flight: windows.flight,
  };
  return known[word] ?? word;
}
