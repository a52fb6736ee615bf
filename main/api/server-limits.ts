import type { Rate } from '../token-bucket';

/** What a client may take up. Times in ms, sizes in bytes. */
export interface SignalsServerLimits {
  readonly bodyBytes: number;
  readonly headerBytes: number;
  readonly connections: number;
  /** Requests a connection may have sent before the first of them is answered. */
  readonly pipelined: number;
  /** From the connection, or the end of the answer before, to the end of the headers. */
  readonly headersTimeoutMs: number;
  /** For the whole request, its body included. */
  readonly requestTimeoutMs: number;
  readonly keepAliveMs: number;
  /** One limit each for callers with the token, for `/healthz`, and for everyone else together. */
  readonly rate: Rate;
  /** How long and how much of a refused body is still read, so that its sender sees the answer. */
  readonly lingerMs: number;
  readonly lingerBytes: number;
  /** Longest time for status, health, metrics and the first piece of plays. */
  readonly answerMs: number;
}

export const DEFAULT_LIMITS: SignalsServerLimits = {
  bodyBytes: 65_536,
  headerBytes: 8192,
  connections: 64,
  pipelined: 16,
  headersTimeoutMs: 5000,
  requestTimeoutMs: 10_000,
  keepAliveMs: 15_000,
  rate: { perSecond: 50, burst: 100 },
  lingerMs: 1000,
  lingerBytes: 16_777_216,
  answerMs: 2000,
};
