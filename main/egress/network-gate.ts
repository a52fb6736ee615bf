import type { Schedule } from '../schedule';
import type { EgressPolicy } from './egress-policy';
import type { Fetch } from './http-client';
import { SendError } from './send-error';

/** How long a safe start keeps the network closed, ms of running time (rule 25). */
export const SAFE_START_MS = 10 * 60_000;

/** Present if this is a safe start: unexpected errors ended the kiosk again and again. */
export interface SafeStart {
  /** To be called when the safe start ends. */
  over(): void;
}

/**
 * Whether the kiosk may use the network. While it may not, requests fail before anything is sent, as without a
 * network, and each part catches up later.
 */
export interface NetworkGate {
  /** Resolves when the network may be used; at once in an ordinary start. */
  readonly opened: Promise<void>;
  fetch(fetch: Fetch): Fetch;
  egressPolicy(egressPolicy: EgressPolicy): EgressPolicy;
}

/** The gate of an ordinary start (null), which is open, or of a safe start, which opens after `SAFE_START_MS`. */
export function createNetworkGate(safeStart: SafeStart | null, schedule: Schedule): NetworkGate {
  if (!safeStart)
    return {
      opened: Promise.resolve(),
      fetch: (fetch) => fetch,
      egressPolicy: (egressPolicy) => egressPolicy,
    };
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
    fetch: (fetch) => (input, init) =>
      isOpen ? fetch(input, init) : Promise.reject(new SendError('connection', 'no', NO_NETWORK)),
    egressPolicy: (egressPolicy) => ({
      resolve: async (url, purpose) =>
        isOpen ? egressPolicy.resolve(url, purpose) : { ok: false, code: 'name', message: NO_NETWORK },
    }),
  };
}

const NO_NETWORK = 'no network during the safe start (ENETUNREACH)';
