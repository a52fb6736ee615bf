import type { Schedule } from '../../schedule';

/** Shortest time between two messages on a retained topic, ms. */
const PAUSE_MS = 1_000;
/** Most answers that wait for a connection, by number and by size. Beyond that the oldest are dropped. */
const MOST_WAITING = 200;
const MOST_WAITING_BYTES = 4 * 1024 * 1024;
/** So many connections may close over an answer before a shorter one takes its place. */
const MOST_TRIES = 2;

/** Publishes to the connected broker. Rejects if the connection closes before the broker's receipt. */
export type Send = (topic: string, payload: string, retain: boolean) => Promise<void>;

interface Retained {
  latest: string;
  /** The message without the ignored fields. */
  essence: string;
  /** The essence that was sent last on this connection. */
  sent: string | null;
  /** Monotonic, ms. */
  sentAt: number;
  cancel: (() => void) | null;
}

export type Publisher = ReturnType<typeof createPublisher>;

/** Publishes only the latest message of each retained topic, and each answer at least once, in order. */
export function createPublisher(parts: {
  readonly schedule: Schedule;
  readonly monotonic: () => number;
  readonly tell: (result: 'sent' | 'failed' | 'dropped') => void;
}) {
  const { schedule, monotonic, tell } = parts;
  const retained = new Map<string, Retained>();
  const waiting: Array<{
    readonly topic: string;
    payload: string;
    shorter: string | null;
    tries: number;
    readonly onSent: (() => void) | undefined;
  }> = [];
  let waitingBytes = 0;
  let send: Send | null = null;
  let isSendingAnswers = false;

  async function put(topic: string, payload: string, retain: boolean): Promise<boolean> {
    try {
      if (send === null) return false;
      await send(topic, payload, retain);
      tell('sent');
      return true;
    } catch {
      tell('failed');
      return false;
    }
  }

  function sendRetained(topic: string, pauseMs: number): void {
    const entry = retained.get(topic);
    if (!entry || send === null || entry.cancel !== null || entry.sent === entry.essence) return;
    const wait = entry.sentAt + pauseMs - monotonic();
    if (wait > 0) {
      entry.cancel = schedule(wait, () => {
        entry.cancel = null;
        sendRetained(topic, 0);
      });
      return;
    }
    entry.sent = entry.essence;
    entry.sentAt = monotonic();
    // If it is lost, the connection has closed, and the next connection sends all retained topics.
    void put(topic, entry.latest, true);
  }

  async function sendAnswers(): Promise<void> {
    if (isSendingAnswers) return;
    isSendingAnswers = true;
    for (let next = waiting[0]; next !== undefined && send !== null; next = waiting[0]) {
      const isSent = await put(next.topic, next.payload, false);
      if (!isSent) {
        next.tries += 1;
        if (next.tries >= MOST_TRIES && waiting[0] === next) shorten(next);
        break;
      }
      if (waiting[0] === next) drop();
      next.onSent?.();
    }
    isSendingAnswers = false;
  }

  function shorten(answer: (typeof waiting)[number]): void {
    if (answer.shorter === null) return;
    waitingBytes += answer.shorter.length - answer.payload.length;
    answer.payload = answer.shorter;
    answer.shorter = null;
  }

  function drop(): void {
    waitingBytes -= waiting.shift()?.payload.length ?? 0;
  }

  return {
    /**
     * Sets the latest message of a retained topic. It is sent if it differs from the last one sent in other fields than
     * `ignoring`.
     *
     * @param pauseMs shortest time since the last message on this topic, ms
     */
    retain(topic: string, message: object, ignoring: readonly string[], pauseMs = PAUSE_MS): void {
      const latest = JSON.stringify(message);
      const essence = JSON.stringify(message, (key, value) => (ignoring.includes(key) ? undefined : value));
      const entry = retained.get(topic);
      if (entry) Object.assign(entry, { latest, essence });
      else
        retained.set(topic, { latest, essence, sent: null, sentAt: Number.NEGATIVE_INFINITY, cancel: null });
      sendRetained(topic, pauseMs);
    },
    /**
     * @param options.onSent called when the broker has acknowledged it
     * @param options.shorter sent in its place if two connections closed before the broker's receipt: brokers close
     * the connection over a message that is too long for them
     */
    answer(
      topic: string,
      message: object,
      options: { readonly onSent?: (() => void) | undefined; readonly shorter?: object | null } = {},
    ): void {
      const { onSent, shorter = null } = options;
      const payload = JSON.stringify(message);
      waiting.push({
        ...{ topic, payload, onSent, tries: 0 },
        shorter: shorter === null ? null : JSON.stringify(shorter),
      });
      waitingBytes += payload.length;
      while (waiting.length > MOST_WAITING || (waitingBytes > MOST_WAITING_BYTES && waiting.length > 1)) {
        drop();
        tell('dropped');
      }
      void sendAnswers();
    },
    /** A new connection: all retained topics are sent again, and the waiting answers. Null: not connected. */
    connected(next: Send | null): void {
      send = next;
      for (const [topic, entry] of retained) {
        entry.cancel?.();
        entry.cancel = null;
        entry.sent = null;
        if (send !== null) sendRetained(topic, 0);
      }
      if (send !== null) void sendAnswers();
    },
    /** Sends a retained topic again, even if it is unchanged. */
    repeat(topic: string): void {
      const entry = retained.get(topic);
      if (!entry) return;
      entry.sent = null;
      sendRetained(topic, PAUSE_MS);
    },
  };
}
