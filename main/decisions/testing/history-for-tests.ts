/** Every window this player knows, and one it does not. */
export const WINDOWS = [
  'FREQUENCY_CAP_WINDOW_MINUTE',
  'FREQUENCY_CAP_WINDOW_THIRTY_MINUTES',
  'FREQUENCY_CAP_WINDOW_HOUR',
  'FREQUENCY_CAP_WINDOW_DAY',
  'FREQUENCY_CAP_WINDOW_WEEK',
  'FREQUENCY_CAP_WINDOW_FLIGHT',
  'FREQUENCY_CAP_WINDOW_FORTNIGHT',
];

/** The lengths of the calendar periods, ms. */
const PERIODS: Readonly<Record<string, number>> = {
  FREQUENCY_CAP_WINDOW_HOUR: 3_600_000,
  FREQUENCY_CAP_WINDOW_DAY: 86_400_000,
  FREQUENCY_CAP_WINDOW_WEEK: 604_800_000,
};

/**
 * Rules 7 and 10 word for word, over the times of a whole history: slow and obvious, for tests.
 *
 * @param isTrusted whether the service has sent its time: without it, calendar windows look back over their length
 */
export function slowCount(plays: readonly number[], window: string, now: number, isTrusted = true): number {
  const period = PERIODS[window];
  if (!isTrusted && period !== undefined) return plays.filter((at) => at > now - period).length;
  const start = new Date(now);
  switch (window) {
    case 'FREQUENCY_CAP_WINDOW_MINUTE':
      return plays.filter((at) => at > now - 60_000).length;
    case 'FREQUENCY_CAP_WINDOW_THIRTY_MINUTES':
      return plays.filter((at) => at > now - 1_800_000).length;
    case 'FREQUENCY_CAP_WINDOW_HOUR':
      start.setUTCMinutes(0, 0, 0);
      break;
    case 'FREQUENCY_CAP_WINDOW_DAY':
      start.setUTCHours(0, 0, 0, 0);
      break;
    case 'FREQUENCY_CAP_WINDOW_WEEK':
      start.setUTCHours(0, 0, 0, 0);
      while (start.getUTCDay() !== 1) start.setUTCDate(start.getUTCDate() - 1);
      break;
    default:
      return plays.length;
  }
  return plays.filter((at) => at >= start.getTime()).length;
}
