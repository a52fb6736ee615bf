/** What decides who has to go when there are too many connections. */
export interface Connection {
  /** A request on it carried the token. */
  trusted: boolean;
  /** Requests of it that are being answered. */
  pending: number;
  /** Its last answer is on the way; nothing that comes after counts. */
  closing: boolean;
  stopReading(): void;
}

/**
 * The connection to give up so that the newest fits in, or null where every
 * other one is at work (then the newest goes). Oldest first, and whoever never
 * showed the token before whoever did: a thousand strangers push out each
 * other, not the sensor, and the next caller is served at once.
 */
export function toGiveUp<C>(connections: ReadonlyMap<C, Connection>, newest: C): C | null {
  let idleTrusted: C | null = null;
  for (const [key, connection] of connections) {
    if (key === newest) continue;
    if (!connection.trusted) return key;
    if (idleTrusted === null && connection.pending === 0) idleTrusted = key;
  }
  return idleTrusted;
}
