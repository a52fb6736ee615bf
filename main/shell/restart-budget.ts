/** Five times a minute; after that the service manager starts the kiosk over (rule 25). */
export const TRIES = 5;
export const WITHIN_MS = 60_000;

/**
 * How often something may be brought back (rule 25): at most `tries` times within
 * `withinMs`. Spent, it is better to end and let the service manager start over.
 */
export function createRestartBudget(tries: number, withinMs: number, monotonic: () => number): () => boolean {
  let used: number[] = [];
  return () => {
    const now = monotonic();
    used = [...used.filter((at) => at > now - withinMs), now];
    return used.length <= tries;
  };
}
