import { HOUR_MS, MINUTE_MS } from '../../shared/clock';

/** Hours of a week in the store's own time: `playback.openHours` (rule 14) and `display.power`. */
export interface OpenHours {
  /** An IANA time zone, for example `Europe/Berlin`. */
  readonly timeZone: string;
  /**
   * Seven days, Monday first; each with its spans in minutes after that day's
   * midnight. `to` is exclusive and runs past 1440 where a span goes over midnight.
   */
  readonly week: ReadonlyArray<ReadonlyArray<{ readonly from: number; readonly to: number }>>;
}

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
export const DAY_MINUTES = 24 * 60;
const WEEK_MINUTES = 7 * DAY_MINUTES;

/**
 * Reads `{ "timeZone": "Europe/Berlin", "mon-fri": "07:00-21:00", "sat": "08:00-02:00" }`. Days are `mon` …
 * `sun`, ranges (`sat-mon` wraps around) and lists (`mon,wed`). Hours are `HH:MM-HH:MM`, several with commas;
 * if the end is before the start, it is on the next day; all day is `00:00-24:00`. A day that is not named is
 * closed; a day named twice is an error, because it is unclear which line was meant.
 *
 * @returns of an error, `key` is the wrong key of the setting, `expected` the words after "expected"
 */
export function readOpenHours(setting: Readonly<Record<string, string>>) {
  const errors: { key: string; expected: string }[] = [];
  const week: { from: number; to: number }[][] = DAYS.map(() => []);
  const named = new Set<number>();
  const timeZone = setting.timeZone;
  if (timeZone === undefined || !isTimeZone(timeZone)) {
    errors.push({ key: 'timeZone', expected: 'an IANA time zone such as "Europe/Berlin"' });
  }
  for (const [key, value] of Object.entries(setting)) {
    if (key === 'timeZone') continue;
    const days = readDays(key);
    const spans = readSpans(value);
    if (days === null) {
      errors.push({
        key,
        expected: 'days such as "mon", "mon-sat" or "mon,wed" as the name of this setting',
      });
    } else if (spans === null) {
      errors.push({ key, expected: 'hours such as "07:00-21:00" (all day is "00:00-24:00")' });
    } else {
      for (const day of days) {
        if (named.has(day)) errors.push({ key, expected: `hours for ${DAYS[day]} in one place only` });
        named.add(day);
        week[day] = spans;
      }
    }
  }
  if (errors.length > 0 || timeZone === undefined) return { kind: 'error', errors } as const;
  const hours: OpenHours = { timeZone, week };
  return { kind: 'hours', hours } as const;
}

/** Whether the store is never open, because no day is named. */
export const isNeverOpen = ({ week }: OpenHours): boolean => week.every((spans) => spans.length === 0);

/**
 * Whether the store is open at `at` (ms since the epoch, UTC), by the store's
 * wall clock: on the days the clocks change, the hours on the door still hold.
 */
export function isOpen(hours: OpenHours, at: number): boolean {
  return isOpenOnWall(hours, wallClock(hours.timeZone, at));
}

/**
 * When `isOpen` changes next, to the minute, in ms since the epoch; null: not within 15 days, so never. The
 * hours repeat weekly, so a change comes within 7 days, or a week later if a clock change skips it.
 */
export function nextChange(hours: OpenHours, at: number): number | null {
  const isOpenNow = isOpen(hours, at);
  const from = Math.floor(at / MINUTE_MS) * MINUTE_MS;
  for (let hour = from; hour < from + 15 * DAY_MINUTES * MINUTE_MS; hour += HOUR_MS) {
    // In an hour without a clock change the wall clock is computed, because `Intl` is slow.
    const begin = wallClock(hours.timeZone, hour);
    const isEven = (begin + 60) % WEEK_MINUTES === wallClock(hours.timeZone, hour + HOUR_MS);
    for (let minute = 1; minute <= 60; minute += 1) {
      const next = hour + minute * MINUTE_MS;
      const wall = isEven ? (begin + minute) % WEEK_MINUTES : wallClock(hours.timeZone, next);
      if (isOpenOnWall(hours, wall) !== isOpenNow) return next;
    }
  }
  return null;
}

/** @param wall minutes of the week, from `wallClock` */
function isOpenOnWall(hours: OpenHours, wall: number): boolean {
  const day = Math.floor(wall / DAY_MINUTES);
  const minute = wall % DAY_MINUTES;
  const today = hours.week[day] ?? [];
  const yesterday = hours.week[(day + 6) % 7] ?? [];
  return (
    today.some((span) => span.from <= minute && minute < span.to) ||
    yesterday.some((span) => minute + DAY_MINUTES < span.to)
  );
}

/** Cached: creating a format takes longer than a hundred uses of it. */
const formats = new Map<string | null, Intl.DateTimeFormat>();

function formatOf(timeZone: string | null): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone === null ? {} : { timeZone }),
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(timeZone, made);
  return made;
}

/**
 * The minute of the day on the wall, 0 to 1439.
 *
 * @param timeZone null: the machine's own
 * @param at ms since the epoch, UTC
 */
export const minuteOfDay = (timeZone: string | null, at: number): number =>
  wallClock(timeZone, at) % DAY_MINUTES;

/** The time on the wall, in minutes since Monday 00:00. */
function wallClock(timeZone: string | null, at: number): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value ?? '';
  const day = DAYS.indexOf(part('weekday').toLowerCase());
  return day * DAY_MINUTES + Number(part('hour')) * 60 + Number(part('minute'));
}

function isTimeZone(name: string): boolean {
  try {
    // Plain offsets such as "+02:00" are accepted by newer engines; a store that
    // changes its clocks would be an hour off for half the year.
    return /^[A-Za-z]/.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

function readDays(key: string): readonly number[] | null {
  const days: number[] = [];
  for (const part of key.toLowerCase().split(',')) {
    const [first, last, more] = part.split('-').map((name) => DAYS.indexOf(name.trim()));
    if (first === undefined || first < 0 || last === -1 || more !== undefined) return null;
    const length = last === undefined ? 0 : (last - first + 7) % 7;
    for (let step = 0; step <= length; step += 1) days.push((first + step) % 7);
  }
  return days;
}

function readSpans(value: string): { from: number; to: number }[] | null {
  const spans: { from: number; to: number }[] = [];
  for (const part of value.split(',')) {
    const match = /^\s*(\d{2}):([0-5]\d)\s*-\s*(\d{2}):([0-5]\d)\s*$/.exec(part);
    if (match === null) return null;
    const from = Number(match[1]) * 60 + Number(match[2]);
    const to = Number(match[3]) * 60 + Number(match[4]);
    if (from >= DAY_MINUTES || to > DAY_MINUTES || from === to) return null;
    spans.push({ from, to: to > from ? to : to + DAY_MINUTES });
  }
  return spans;
}
