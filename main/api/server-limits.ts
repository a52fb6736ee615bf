/** What a client may take up. Times in ms, sizes in bytes. */
export const DEFAULT_LIMITS = {
  bodyBytes: 65_536,
  headerBytes: 8192,
  connections: 64,
  /** Requests a connection may have sent before the first of them is answered. */
  pipelined: 16,
  /** From the connection, or the end of the answer before, to the end of the headers. */
  headersTimeoutMs: 5000,
  /** For the whole request, its body included. */
  requestTimeoutMs: 10_000,
  keepAliveMs: 15_000,
  /** One limit each for callers with the token, for `/healthz`, and for everyone else together. */
  rate: { perSecond: 50, burst: 100 },
  /** How long and how much of a refused body is still read, so that its sender sees the answer. */
  lingerMs: 1000,
  lingerBytes: 16_777_216,
  /** Longest time for status, health, metrics and the first piece of plays. */
  answerMs: 2000,
};

export type ServerLimits = Readonly<typeof DEFAULT_LIMITS>;
