import type { Fence } from './fence/fence';
import type { ServiceFetch } from './fence/service-fetch';
import type { Schedule } from './schedule';

/** How long a safe start does without network, ms of running time (rule 25). */
export const SAFE_START_MS = 10 * 60_000;

/** The kiosk was ended by unexpected errors again and again. */
export interface SafeStart {
  /** To be called when it runs as usual again. */
  over(): void;
}

/**
 * Whether the kiosk may use the network. While it may not, it is as good as unplugged: requests fail before anything
 * of them has left, so that each part does what it does without network, and catches up later.
 */
export interface NetworkGate {
  /** Resolves when the network may be used; at once in an ordinary start. */
  readonly opened: Promise<void>;
  fetch(fetch: ServiceFetch): ServiceFetch;
  fence(fence: Fence): Fence;
}

/** The gate of an ordinary start (null), which is open, or of a safe start, which opens after `SAFE_START_MS`. */
export function createNetworkGate(safeStart: SafeStart | null, schedule: Schedule): NetworkGate {
  if (!safeStart) return { opened: Promise.resolve(), fetch: (fetch) => fetch, fence: (fence) => fence };
  let isOpen = false;
  const opened = new Promise<void>((open) => {
    schedule(SAFE_START_MS, () => {
      isOpen = true;
      safeStart.over();
      open();
    });
  });
  return {
    opened,
    fetch: (fetch) => (input, init) => (isOpen ? fetch(input, init) : Promise.reject(noNetwork())),
    fence: (fence) => ({
      resolve: async (url, purpose) =>
        isOpen ? fence.resolve(url, purpose) : { ok: false, code: 'name', message: NO_NETWORK },
    }),
  };
}

const NO_NETWORK = 'the safe start does without network';

/** As Node's `fetch` tells that a network is not there. */
const noNetwork = () =>
  new TypeError(NO_NETWORK, { cause: Object.assign(new Error(NO_NETWORK), { code: 'ENETUNREACH' }) });
