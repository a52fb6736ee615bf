/** After so many within a minute the service manager starts the kiosk over (rule 25). */
export const TRIES = 5;
const WITHIN_MS = 60_000;

/**
 * Whether something that ended may be started over (rule 25): at most `TRIES` times
 * within a minute. Otherwise `giveUp` ends the kiosk.
 */
export function createRestartBudget(monotonic: () => number, giveUp: () => void): () => boolean {
  let used: number[] = [];
  return () => {
    const now = monotonic();
    used = [...used.filter((at) => at > now - WITHIN_MS), now];
    if (used.length <= TRIES) return true;
    giveUp();
    return false;
  };
}
