export interface Cap {
  readonly window: string;
  readonly limit: number;
}

const LOOK_BACK_MS: Readonly<Record<string, number>> = {
  FREQUENCY_CAP_WINDOW_MINUTE: 60_000,
  FREQUENCY_CAP_WINDOW_THIRTY_MINUTES: 1_800_000,
};

/**
 * The caps of a flight that its plays exceed (rule 7), one sentence each. An oracle: it counts play by play,
 * slowly and obviously, and shares no arithmetic with the player.
 *
 * @param times when the flight played, ms since the epoch
 * @param blurMs uncertainty of the times, ms; look-back windows are shortened by it
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

/** Whether a play at `other` is in the same cap window as a later (or equal) play at `at`. */
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
