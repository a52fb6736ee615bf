import { doublingMs } from '../../egress/back-off';

/** Decides when to connect to which broker, and with which version of MQTT. Pure. */

/** Protocol level: 5, or 4 for MQTT 3.1.1, for brokers that do not support version 5. */
export type MqttVersion = 5 | 4;

/** Longest wait before the first try and after the first failure, ms. It doubles with each further failure. */
export const FIRST_SPAN_MS = 5_000;
/** Upper bound of all waits, ms. */
export const MAX_SPAN_MS = 120_000;
/** A connection that lasts this long resets the number of failures, ms. */
export const STEADY_MS = 60_000;

export interface Attempt {
  /** Index in the list of brokers. */
  readonly broker: number;
  readonly version: MqttVersion;
  /** The broker has said that it does not support version 5. */
  readonly isOld: boolean;
  /** Failures in a row before it. */
  readonly failures: number;
  /** Wait before it, ms. */
  readonly waitMs: number;
}

export interface AttemptEnd {
  /**
   * `version`: the broker said that it does not support this version of MQTT; `handshake`: it closed the connection, or
   * sent something else, before it accepted this kiosk; `refused`: it refused this kiosk.
   */
  readonly at: 'network' | 'handshake' | 'version' | 'refused';
  /** How long it was connected, ms; null: it never was. */
  readonly connectedMs: number | null;
}

export interface LinkWorld {
  readonly brokers: number;
  /** In [0, 1). */
  readonly random: () => number;
}

/**
 * The first attempt. Broker and wait are random, so that thousands of kiosks that start together after a power cut do
 * not connect together.
 */
export const firstAttempt = ({ brokers, random }: LinkWorld): Attempt => ({
  broker: Math.floor(random() * brokers),
  version: 5,
  isOld: false,
  failures: 0,
  waitMs: jitter(0, random),
});

/** The attempt after one that failed, or whose connection closed. */
export function nextAttempt(
  { broker, version, isOld, failures }: Attempt,
  { at, connectedMs }: AttemptEnd,
  { brokers, random }: LinkWorld,
): Attempt {
  const isSteady = connectedMs !== null && connectedMs >= STEADY_MS;
  const next = isSteady ? 1 : failures + 1;
  const later = { failures: next, waitMs: jitter(next, random) };
  // Try the same broker first; but a sick node may accept a kiosk every time.
  if (connectedMs !== null && at === 'network' && (isSteady || failures === 0))
    return { broker, version: isOld ? version : 5, isOld, ...later };
  // Some brokers without version 5 only close the connection. A busy broker does that, too, so each connection begins
  // with version 5 unless the broker refused it.
  if ((at === 'version' || at === 'handshake') && version === 5)
    return { broker, version: 4, isOld: at === 'version', failures, waitMs: 0 };
  return { broker: (broker + 1) % brokers, version: 5, isOld: false, ...later };
}

/** Full jitter: a random wait within a span that doubles with each failure. */
function jitter(failures: number, random: () => number): number {
  return random() * doublingMs(Math.max(1, failures), { minMs: FIRST_SPAN_MS, maxMs: MAX_SPAN_MS });
}
