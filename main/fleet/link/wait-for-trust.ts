import type { Clock } from '../../../shared/clock';
import type { Schedule } from '../../schedule';

/** Commands wait at most this long for a trusted time, ms: the service may be unreachable. */
const TRUST_MS = 60_000;
/** Time between two checks whether the time is trusted, ms. */
const CHECK_MS = 500;

export interface TrustParts {
  readonly clock: Pick<Clock, 'monotonic'> & { readonly isTrusted: () => boolean };
  readonly schedule: Schedule;
  /** Asks the service, which tells the time. */
  readonly askService: () => void;
}

/** Lets commands wait for a trusted time (rule 10), from the first connection to a broker on. */
export function waitForTrust({ clock, schedule, askService }: TrustParts) {
  /** Monotonic time, ms; null: not connected yet. The network may come long after the start. */
  let until: number | null = null;
  return {
    /** To be called at each connection; only the first one counts. */
    connected(): void {
      if (until !== null) return;
      until = clock.monotonic() + TRUST_MS;
      if (!clock.isTrusted()) askService();
    },
    /** Resolves once the time is trusted, or `TRUST_MS` after the first connection. */
    async timeIsTrusted(): Promise<void> {
      while (!clock.isTrusted() && (until === null || clock.monotonic() < until))
        await new Promise<void>((resolve) => void schedule(CHECK_MS, resolve));
    },
  };
}
