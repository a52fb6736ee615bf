import type { Schedule } from '../schedule';
import { refusal } from './checked-target';
import type { Proxies } from './proxies';

/** How long a safe start keeps the network closed, ms of running time (rule 25). */
export const SAFE_START_MS = 10 * 60_000;

export type NetworkGate = ReturnType<typeof createNetworkGate>;

/**
 * Whether the kiosk may use the network: always in an ordinary start, in a safe start after `SAFE_START_MS`.
 * While it may not, requests fail before anything is sent, as without a network, and each part catches up later.
 */
export function createNetworkGate(isSafeStart: boolean, schedule: Schedule) {
  let isOpen = !isSafeStart;
  const opened = new Promise<void>((open) => {
    if (isOpen) return open();
    schedule(SAFE_START_MS, () => {
      isOpen = true;
      open();
    });
  });
  return {
    /** Resolves when the network may be used; at once in an ordinary start. */
    opened,
    /** Every request, the service's own and those of ads alike, asks for its proxy before anything leaves the kiosk. */
    proxies:
      (proxies: Proxies): Proxies =>
      async (url) =>
        isOpen ? proxies(url) : refusal('connection', NO_NETWORK),
  };
}

const NO_NETWORK = 'no network during the safe start (ENETUNREACH)';
