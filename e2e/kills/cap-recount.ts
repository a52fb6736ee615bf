/** A cap as the service's metadata has it. */
export interface Cap {
  readonly window: string;
  readonly limit: number;
}

const LOOK_BACK_MS: Readonly<Record<string, number>> = {
  FREQUENCY_CAP_WINDOW_MINUTE: 60_000,
  FREQUENCY_CAP_WINDOW_THIRTY_MINUTES: 1_800_000,
};

/**
 * Which of a flight's caps its plays exceed, in words; none when all are kept
 * (rule 7). An oracle: it counts play by play, slowly and obviously, with nothing
 * of the player's own arithmetic.
 *
 * @param times when the flight played, ms since the epoch
 * @param blurMs how far the times may be off: look-back windows are shorter by it
 */
export function capsExceeded(times: readonly number[], caps: readonly Cap[], blurMs = 0): string[] {
  return caps.flatMap(({ window, limit }) => {
    const most = Math.max(
      0,
      ...times.map((at) => times.filter((other) => together(window, other, at, blurMs)).length),
    );
    return most > limit ? [`${window}: ${most} plays where ${limit} are allowed`] : [];
  });
}

/** Whether a play at `other` is in the window that a play at `at` is judged by, and not after it. */
function together(window: string, other: number, at: number, blurMs: number): boolean {
  if (other > at) return false;
  const lookBack = LOOK_BACK_MS[window];
  if (lookBack !== undefined) return other > at - lookBack + blurMs;
  return period(window, other) === period(window, at);
}

/** A name for the UTC hour, day or ISO week of a time; one name for a whole flight. */
function period(window: string, at: number): string {
  const text = new Date(at).toISOString();
  switch (window) {
    case 'FREQUENCY_CAP_WINDOW_HOUR':
      return text.slice(0, 13);
    case 'FREQUENCY_CAP_WINDOW_DAY':
      return text.slice(0, 10);
    case 'FREQUENCY_CAP_WINDOW_WEEK': {
      const monday = new Date(at);
      while (monday.getUTCDay() !== 1) monday.setUTCDate(monday.getUTCDate() - 1);
      return monday.toISOString().slice(0, 10);
    }
    default:
      return 'flight';
  }
}
