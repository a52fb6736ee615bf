import type { AdRow, AudienceOutline, OverlayLanguage, RecordedDetail } from '../../shared/admin';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/clock';
import { type Words, wordsOf } from './strings/words';

const SECOND_MS = 1_000;

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
const DAY_PARTS = { day: 'numeric', month: 'short' } as const;
const TIME_PARTS = { hour: '2-digit', minute: '2-digit' } as const;

/** Everything that staff read, in one language: the words, and values in words. */
export type Strings = Words & Wording;

/** @param timeZone in which times are said; null: the machine's own */
export function stringsFor(language: OverlayLanguage, timeZone: string | null = null): Strings {
  // The formats that they keep would go on in the zone that the machine had before it was set to another one.
  const key = JSON.stringify([language, timeZone, Intl.DateTimeFormat().resolvedOptions().timeZone]);
  if (last?.key !== key) {
    const words = wordsOf({ language });
    last = { key, strings: Object.assign(new Wording(words, timeZone), words) };
  }
  return last.strings;
}

/** Numbers, times and codes in the words of a language. */
class Wording {
  /** Cached: creating a format takes longer than a hundred uses of it. */
  readonly #formats = new Map<string, Intl.DateTimeFormat>();

  constructor(
    private readonly words: Words,
    readonly timeZone: string | null,
  ) {}

  /** `12,345` or `12.345`. */
  numberText(value: number, format?: Intl.NumberFormatOptions): string {
    return new Intl.NumberFormat(this.words.language, format).format(value);
  }

  /** A share (0 to 1) in whole per cent; only 1 gives 100 %, only 0 gives 0 %. */
  shareText(share: number): string {
    const percent = Math.round(share * 100);
    const honest = share > 0 && percent === 0 ? 1 : share < 1 && percent === 100 ? 99 : percent;
    return this.numberText(honest / 100, { style: 'percent' });
  }

  volumeText(volume: number | null): string {
    return volume === null ? this.words.asSet : volume === 0 ? this.words.muted : this.shareText(volume);
  }

  /** Bytes in decimal units, as drives are sold: three digits at most, `1.34 GB`. */
  bytesText(bytes: number): string {
    let power = 0;
    // 999,500 is 1.00 MB, not 1,000 kB.
    while (power < UNITS.length - 1 && bytes / 1_000 ** power >= 999.5) power += 1;
    return this.numberText(bytes / 1_000 ** power, {
      style: 'unit',
      unit: UNITS[power] ?? 'byte',
      unitDisplay: power === 0 ? 'long' : 'short',
      maximumSignificantDigits: 3,
    });
  }

  /** A length of time in its largest units, rounded down: `12 s`, `3 h 20 min`, `2 d 4 h`. `ms` ≥ 0. */
  spanText(ms: number): string {
    const smallest = smallestUnit(ms);
    const parts = [
      [Math.floor(ms / DAY_MS), DAY_MS, this.words.language === 'de' ? 'Tg.' : 'd'],
      [Math.floor(ms / HOUR_MS) % 24, HOUR_MS, 'h'],
      [Math.floor(ms / MINUTE_MS) % 60, MINUTE_MS, 'min'],
      [Math.floor(ms / SECOND_MS) % 60, SECOND_MS, 's'],
    ] as const;
    const shown = parts.filter(([many, unit]) => many > 0 && unit >= smallest);
    return shown.map(([many, , name]) => `${many} ${name}`).join(' ') || '0 s';
  }

  /** The length of a pause: in hours, unless it ends within one. */
  minutesText(minutes: number): string {
    return minutes % 60 === 0 ? this.words.hoursLong(minutes / 60) : this.words.minutes(minutes);
  }

  /** A time left, rounded up to the smallest unit that is shown, so that it is 0 only at the end. */
  waitText(ms: number): string {
    const unit = smallestUnit(ms);
    return this.spanText(Math.ceil(Math.max(0, ms) / unit) * unit);
  }

  agoText(at: number, now: number): string {
    return now - at < 2 * SECOND_MS ? this.words.justNow : this.words.ago(this.spanText(now - at));
  }

  /** The time alone when it is of the same day as `now`, else with its day. */
  momentText(at: number, now: number): string {
    const isSame = (format: Intl.DateTimeFormatOptions) =>
      this.dateText(at, format) === this.dateText(now, format);
    return this.dateText(at, {
      ...(isSame({ dateStyle: 'short' }) ? {} : DAY_PARTS),
      ...(isSame({ year: 'numeric' }) ? {} : { year: 'numeric' }),
      ...TIME_PARTS,
    });
  }

  clockText(at: number): string {
    return this.dateText(at, { timeStyle: 'medium' });
  }

  dayText(at: number): string {
    return this.dateText(at, { weekday: 'short', ...DAY_PARTS, year: 'numeric' });
  }

  /** Times in 24 hours, in English too. */
  private dateText(at: number, format: Intl.DateTimeFormatOptions): string {
    const key = JSON.stringify(format);
    const known = this.#formats.get(key);
    if (known) return known.format(at);
    const { language } = this.words;
    const locale = language === 'en' ? 'en-GB' : language;
    const made = new Intl.DateTimeFormat(locale, { ...format, timeZone: this.timeZone ?? undefined });
    this.#formats.set(key, made);
    return made.format(at);
  }

  /** How far the trusted clock is from the system's; less than a second is no difference. */
  correctionText(correctionMs: number): string {
    const { clockRight, clockAhead, clockBehind } = this.words;
    const size = Math.abs(correctionMs);
    return size < SECOND_MS ? clockRight : (correctionMs > 0 ? clockAhead : clockBehind)(this.spanText(size));
  }

  /** Why main rejected a call, in the language of staff where it has words for the code. */
  refusalText({ code, message }: { code: string; message: string }): string {
    return this.words.problems[code]?.what ?? message;
  }

  /** The details of a recorded action in words, and the program's English message. */
  recordedText(detail: RecordedDetail): { readonly words: string | null; readonly technical: string | null } {
    const { words } = this;
    const said = (words: string | null, technical: string | null = null) => ({ words, technical });
    switch (detail.kind) {
      case 'minutes':
        return said(this.minutesText(detail.minutes));
      case 'volume':
        return said(this.volumeText(detail.volume));
      case 'cleared':
        return said(words.cleared(words.fileCount(detail.files), this.bytesText(detail.bytes)));
      case 'switched':
        return said(words.onOff[detail.on ? 'on' : 'off']);
      case 'steps-failed':
        return said(detail.steps.map((step) => words.operations[step]).join(', '));
      case 'exported':
        return said(words.exportRows(detail.rows), detail.file);
      case 'export-interrupted':
        return said(words.exportInterruptions[detail.code], `${detail.file}: ${detail.message}`);
      case 'failed':
        return said(words.problems[detail.code]?.what ?? null, detail.message);
      case 'text':
        return said(null, detail.text);
    }
  }

  /** Why a play ended; null where the outcome says enough. */
  endText(reason: string | null): string | null {
    return reason === null || reason === 'ended' ? null : textForCode(this.words.endReasons, reason);
  }

  /** Why a beacon was not delivered, from the outbox's code. */
  beaconErrorText(error: string): string {
    const status = /^(?:status|http)-(\d{3})(?:-after-redirect)?$/.exec(error)?.[1];
    return status === undefined
      ? textForCode({ ...this.words.scriptResults, ...this.words.beaconErrors }, error)
      : this.words.beaconStatus(status);
  }

  /** An audience in words: conditions joined by and, groups by or. Null: everybody. */
  audienceText(audience: AudienceOutline | null): string {
    const { words } = this;
    if (audience === null) return words.everybody;
    const groups = audience.groups.map(({ conditions, moreConditions }) => {
      const said = conditions.map((condition) => conditionText(condition, words));
      return joinList(said, moreConditions, ` ${words.and} `, words);
    });
    return joinList(groups, audience.moreGroups, ` ${words.or} `, words);
  }

  /** A cap's window in words; an unknown one stays as the service wrote it. */
  windowText({ window, words }: Pick<AdRow['caps'][number], 'window' | 'words'>): string {
    return words?.[this.words.language] ?? plainWord(window, 'FREQUENCY_CAP_WINDOW');
  }
}

/** Kept, because the overlay asks for them at each change. */
let last: { readonly key: string; readonly strings: Strings } | null = null;

/** The smallest unit that matters in a length of time. */
function smallestUnit(ms: number) {
  return ms < 10 * MINUTE_MS ? SECOND_MS : ms < DAY_MS ? MINUTE_MS : ms < 100 * DAY_MS ? HOUR_MS : DAY_MS;
}

/** Joins the words that are not empty with a dot. */
export function joinWithDots(...words: ReadonlyArray<string | null | false>): string {
  return words.filter(Boolean).join(' · ');
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

const OPERATORS: Readonly<Record<string, string>> = {
  equal: '=',
  'greater than': '>',
  'greater than or equal': '≥',
  'less than': '<',
  'less than or equal': '≤',
};

type Condition = AudienceOutline['groups'][number]['conditions'][number];
type Profile = Extract<Condition, { kind: 'demographic' }>['profiles'][number];

function conditionText(condition: Condition, words: Words): string {
  switch (condition.kind) {
    case 'demographic':
      return joinList(
        condition.profiles.map((profile) => profileText(profile, words)),
        condition.more,
        ` ${words.or} `,
        words,
      );
    case 'basket':
      return words.basketWith(joinList([...condition.skus, ...condition.items], condition.more, ', ', words));
    case 'weather': {
      const types = condition.types.map((type) =>
        textForCode(words.weather, plainWord(type, 'WEATHER_TYPE')),
      );
      return words.weatherIs(joinList(types, condition.more, ', ', words));
    }
    case 'unreadable':
      return words.unreadable;
  }
}

function profileText({ ageRange, gender, groupSize }: Profile, words: Words): string {
  const parts: string[] = [];
  if (gender !== null) parts.push(textForCode(words.genders, plainWord(gender, 'GENDER')));
  if (ageRange !== null) parts.push(plainWord(ageRange, 'AGE_RANGE').replace(/^(\d+) (\d+)$/, '$1–$2'));
  if (groupSize?.operator) {
    const sign = textForCode(OPERATORS, plainWord(groupSize.operator, 'COUNT_COMPARISON_OPERATOR'));
    parts.push(words.people(`${sign} ${groupSize.value}`));
  }
  return parts.length === 0 ? words.anyAge : parts.join(' ');
}

function joinList(said: readonly string[], more: number, between: string, words: Words): string {
  const all = more > 0 ? [...said, `… ${words.more(more)}`] : said;
  return all.length === 0 ? words.nobody : all.join(between);
}
