/** A restart that found no idle moment within this time waits for the next night, ms. */
const RESTART_WITHIN_MS = 2 * 3_600_000;
const DAY_MINUTES = 24 * 60;

/**
 * Whether the restart of `playback.restartAt` is due: its time of day has come
 * since the kiosk started, not more than two hours ago. Pure.
 *
 * @param minuteOfDay of the restart, 0 to 1439
 * @param localMinute the minute of the day at `now`, by the store's clock
 * @param upMs how long the kiosk has run
 */
export function isRestartDue(minuteOfDay: number, localMinute: number, upMs: number): boolean {
  const sinceMs = ((localMinute - minuteOfDay + DAY_MINUTES) % DAY_MINUTES) * 60_000;
  // Only whole minutes are known, so a start within the minute of the restart must not restart again.
  return sinceMs < RESTART_WITHIN_MS && upMs >= sinceMs + 60_000;
}

/** The minute of the day at a time (ms since the epoch) in a zone; null: the machine's own zone. */
export function minuteOfDay(at: number, timeZone: string | null): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    ...(timeZone === null ? {} : { timeZone }),
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((candidate) => candidate.type === type)?.value ?? 0);
  return part('hour') * 60 + part('minute');
}
