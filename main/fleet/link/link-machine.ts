import { assertNever } from '../../../shared/assert-never';

/**
 * When to connect to which broker, and by which version of MQTT, as one function from (state, event)
 * to the next state and what to do. It knows nothing of sockets and time.
 */

/** 5, or 4: MQTT 3.1.1, for brokers that refuse version 5. */
export type MqttVersion = 5 | 4;

/** The longest wait before the first try, and after the first failure; it doubles with each further failure, ms. */
export const FIRST_SPAN_MS = 5_000;
/** The longest wait of all, ms. */
export const LONGEST_SPAN_MS = 120_000;
/** A connection that lasts so long ends the row of failures before it, ms. */
const STEADY_MS = 60_000;

export interface Attempt {
  /** Place in the list of brokers. */
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
   * It could not be connected, or the connection ended. `handshake`: the broker was reached, and did not take
   * the greeting; `refused`: it understood it, and refused this kiosk.
   */
  | { readonly type: 'failed'; readonly at: 'network' | 'handshake' | 'refused' }
  | { readonly type: 'stop' };

export type LinkEffect =
  /** Replaces a wait under way; `due` when it is over. */
  | { readonly do: 'wait'; readonly ms: number }
  | ({ readonly do: 'connect' } & Attempt)
  /** End the connection, or the try, in order. */
  | { readonly do: 'close' };

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
 * Before the first try. Each kiosk begins with a broker of its own and after a moment of its own:
 * thousands that got their power back together do not come together.
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
      // The broker it was connected to first, by the version that it took.
      if (state.phase === 'connected') return waitFor({ broker, version }, failures + 1, world.random);
      // A broker that does not know version 5 ends the connection, or answers what version 5 does not know.
      if (event.at === 'handshake' && version === 5) return connect({ broker, version: 4 }, failures);
      return waitFor({ broker: (broker + 1) % world.brokers, version: 5 }, failures + 1, world.random);
    case 'stop':
      return { state: { phase: 'stopped' }, effects: [{ do: 'close' }] };
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

/** Full jitter: any moment of the span, which doubles with each failure. */
function waitFor(attempt: Attempt, failures: number, random: () => number): LinkStep {
  const span = Math.min(LONGEST_SPAN_MS, FIRST_SPAN_MS * 2 ** Math.min(Math.max(0, failures - 1), 30));
  return {
    state: { phase: 'waiting', failures, ...attempt },
    effects: [{ do: 'wait', ms: random() * span }],
  };
}
