import type { Schedule } from '../../schedule';

/** Shortest time between two messages on a retained topic, ms. */
const PAUSE_MS = 1_000;
/** Wait after a message that the broker refused over a connection that lasts (MQTT 5: rights, quota), ms. */
const AGAIN_MS = 10_000;
/** Most answers that wait for a connection, by number and by size. Beyond that the oldest are dropped. */
const MAX_WAITING = 200;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** This many tries of an answer may fail before a shorter one takes its place. */
const MAX_TRIES = 2;

/**
 * Publishes to the connected broker. Rejects if the broker refuses it (with an `ErrorWithReasonCode`), or the connection
 * closes before its receipt.
 */
export type Send = (topic: string, payload: string, retain: boolean) => Promise<void>;

/** A message on a retained topic. */
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

/** A message that is sent once, in order. */
interface Answer {
  readonly topic: string;
  payload: string;
  shorter: string | null;
  tries: number;
  readonly onSent: (() => void) | undefined;
}

interface PublisherParts {
  readonly schedule: Schedule;
  readonly monotonic: () => number;
  readonly tell: (result: 'sent' | 'failed' | 'dropped') => void;
}

export type Publisher = ReturnType<typeof createPublisher>;

/** Publishes only the latest message of each retained topic, and each answer at least once, in order. */
export function createPublisher(parts: PublisherParts) {
  const outlet = createOutlet(parts);
  const topics = retainedTopics(outlet, parts);
  const answers = answersInOrder(outlet, parts);
  return {
    retain: topics.retain,
    repeat: topics.repeat,
    answer: answers.add,
    /** Resolves when no answer waits, or the next one cannot be sent now. */
    answersSent: answers.sent,
    /** A new connection: all retained topics are sent again, and the waiting answers. Null: not connected. */
    connected(next: Send | null): void {
      outlet.send = next;
      topics.connectionChanged();
      answers.connectionChanged();
    },
  };
}

type Outlet = ReturnType<typeof createOutlet>;

/** The way to the broker that is connected now. */
function createOutlet({ tell }: PublisherParts) {
  const outlet = {
    /** Another one for each connection; null: not connected. */
    send: null as Send | null,
    /** Returns whether the broker took it. */
    async put(topic: string, payload: string, retain: boolean): Promise<boolean> {
      try {
        if (outlet.send === null) return false;
        await outlet.send(topic, payload, retain);
        tell('sent');
        return true;
      } catch {
        tell('failed');
        return false;
      }
    },
  };
  return outlet;
}

function retainedTopics(outlet: Outlet, { schedule, monotonic }: PublisherParts) {
  const retained = new Map<string, Retained>();

  function sendRetained(topic: string, pauseMs: number): void {
    const entry = retained.get(topic);
    if (!entry || outlet.send === null || entry.cancel !== null || entry.sent === entry.essence) return;
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
    const over = outlet.send;
    void outlet.put(topic, entry.latest, true).then((isSent) => {
      // If the connection has closed, the next connection sends all retained topics.
      if (isSent || outlet.send !== over) return;
      entry.sent = null;
      sendRetained(topic, AGAIN_MS);
    });
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
    /** Sends a retained topic again, even if it is unchanged. */
    repeat(topic: string): void {
      const entry = retained.get(topic);
      if (!entry) return;
      entry.sent = null;
      sendRetained(topic, PAUSE_MS);
    },
    /** Sends all of them again over a new connection. */
    connectionChanged(): void {
      for (const [topic, entry] of retained) {
        entry.cancel?.();
        entry.cancel = null;
        entry.sent = null;
        sendRetained(topic, 0);
      }
    },
  };
}

function answersInOrder(outlet: Outlet, { schedule, tell }: PublisherParts) {
  const waiting: Answer[] = [];
  let waitingBytes = 0;
  let isSending = false;
  let sending = Promise.resolve();
  let cancelAgain = () => {};

  function sendAll(): void {
    if (!isSending) sending = sendWaiting();
  }

  async function sendWaiting(): Promise<void> {
    isSending = true;
    for (let next = waiting[0]; next !== undefined && outlet.send !== null; next = waiting[0]) {
      const isSent = await outlet.put(next.topic, next.payload, false);
      if (!isSent) {
        next.tries += 1;
        if (next.tries >= MAX_TRIES && waiting[0] === next) shorten(next);
        cancelAgain();
        cancelAgain = schedule(AGAIN_MS, sendAll);
        break;
      }
      if (waiting[0] === next) drop();
      next.onSent?.();
    }
    isSending = false;
  }

  function shorten(answer: Answer): void {
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
     * @param options.onSent called when the broker has acknowledged it
     * @param options.shorter sent in its place if two tries failed: brokers refuse a message that is too long for them, or
     * close the connection over it
     */
    add(
      topic: string,
      message: object,
      options: { readonly onSent?: (() => void) | undefined; readonly shorter?: object | null } = {},
    ): void {
      const { onSent, shorter = null } = options;
      const payload = JSON.stringify(message);
      waiting.push({
        topic,
        payload,
        onSent,
        tries: 0,
        shorter: shorter === null ? null : JSON.stringify(shorter),
      });
      waitingBytes += payload.length;
      while (waiting.length > MAX_WAITING || (waitingBytes > MAX_WAITING_BYTES && waiting.length > 1)) {
        drop();
        tell('dropped');
      }
      sendAll();
    },
    sent: () => sending,
    /** Sends the waiting ones over a new connection. */
    connectionChanged(): void {
      cancelAgain();
      sendAll();
    },
  };
}
