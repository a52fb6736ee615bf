import { assertNever } from '../../../shared/assert-never';

/**
 * Decides when to connect to which broker, and with which version of MQTT: a pure function from (state, event)
 * to (state, effects).
 */

/** Protocol level: 5, or 4 for MQTT 3.1.1, for brokers that do not support version 5. */
export type MqttVersion = 5 | 4;

/** Longest wait before the first try and after the first failure, ms. It doubles with each further failure. */
export const FIRST_SPAN_MS = 5_000;
/** Upper bound of all waits, ms. */
export const LONGEST_SPAN_MS = 120_000;
/** A connection that lasts so long resets the number of failures, ms. */
const STEADY_MS = 60_000;

export interface Attempt {
  /** Index in the list of brokers. */
  readonly broker: number;
  readonly version: MqttVersion;
}

export type LinkState =
  | ({ readonly phase: 'waiting' | 'connecting' | 'connected'; readonly failures: number } & Attempt)
  | { readonly phase: 'stopped' };

export type LinkEvent =
  /** The wait is over. */
  | { readonly type: 'due' }
  | { readonly type: 'connected' }
  /**
   * Connecting failed, or the connection closed. `handshake`: the broker was reached, but did not accept MQTT of
   * this version; `refused`: it did, but refused this kiosk.
   */
  | { readonly type: 'failed'; readonly at: 'network' | 'handshake' | 'refused' }
  | { readonly type: 'stop' };

/** `wait` replaces a wait under way; afterwards the event `due` follows. */
export type LinkEffect =
  | { readonly do: 'wait'; readonly ms: number }
  | ({ readonly do: 'connect' } & Attempt);

export interface LinkStep {
  readonly state: LinkState;
  readonly effects: readonly LinkEffect[];
}

export interface LinkWorld {
  readonly brokers: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * The first state. Broker and wait are random, so that thousands of kiosks that start together after a power cut do
 * not connect together.
 */
export function startLink({ brokers, random }: LinkWorld): LinkStep {
  const attempt: Attempt = { broker: Math.floor(random() * brokers), version: 5 };
  return waitFor(attempt, 0, random);
}

export function stepLink(state: LinkState, event: LinkEvent, world: LinkWorld): LinkStep {
  if (state.phase === 'stopped') return { state, effects: [] };
  const { failures, broker, version } = state;
  switch (event.type) {
    case 'due':
      if (state.phase === 'waiting') return connect({ broker, version }, failures);
      return { state: state.phase === 'connected' ? { ...state, failures: 0 } : state, effects: [] };
    case 'connected':
      if (state.phase !== 'connecting') return { state, effects: [] };
      return { state: { ...state, phase: 'connected' }, effects: [{ do: 'wait', ms: STEADY_MS }] };
    case 'failed':
      if (state.phase === 'waiting') return { state, effects: [] };
      // Try the same broker first, with the version that it accepted.
      if (state.phase === 'connected') return waitFor({ broker, version }, failures + 1, world.random);
      // A broker without version 5 closes the connection, or sends an answer that is invalid in version 5.
      if (event.at === 'handshake' && version === 5) return connect({ broker, version: 4 }, failures);
      return waitFor({ broker: (broker + 1) % world.brokers, version: 5 }, failures + 1, world.random);
    case 'stop':
      return { state: { phase: 'stopped' }, effects: [] };
    default:
      return assertNever(event);
  }
}

function connect(attempt: Attempt, failures: number): LinkStep {
  return {
    state: { phase: 'connecting', failures, ...attempt },
    effects: [{ do: 'connect', ...attempt }],
  };
}

/** Full jitter: a random wait within a span that doubles with each failure. */
function waitFor(attempt: Attempt, failures: number, random: () => number): LinkStep {
  const span = Math.min(LONGEST_SPAN_MS, FIRST_SPAN_MS * 2 ** Math.min(Math.max(0, failures - 1), 30));
  return {
    state: { phase: 'waiting', failures, ...attempt },
    effects: [{ do: 'wait', ms: random() * span }],
  };
}
