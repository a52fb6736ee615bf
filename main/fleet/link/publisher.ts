import { errorCode, messageOf } from '../../describe-error';
import type { Schedule } from '../../schedule';
import { TOO_LONG_MESSAGE } from './broker-connection';

/** Wait after a message that the broker refused over a connection that lasts (MQTT 5: rights, quota), ms. */
const AGAIN_MS = 10_000;
/** Fields that differ each time: a message in which nothing else has changed is not sent. */
const NO_CHANGE: readonly string[] = ['at', 'clockCorrectionMs'];
/** Most answers that wait for a connection, by number and by size. Beyond that the oldest are dropped. */
const MAX_WAITING = 200;
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** This many tries of an answer may fail before a shorter one takes its place. */
const MAX_TRIES = 2;

/**
 * Publishes to the connected broker. Rejects if the broker refuses it (with an `ErrorWithReasonCode`), if it is longer
 * than the broker takes (`TOO_LONG_MESSAGE`), or if the connection closes before its receipt.
 */
export type Send = (topic: string, payload: string, retain: boolean) => Promise<void>;

/** The message that was sent last on a retained topic, over this connection. */
interface LastSent {
  /** Without the fields of `NO_CHANGE`; null: it has to be sent again. */
  essence: string | null;
  /** Monotonic time of the next message, ms. */
  notBefore: number;
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
  /** `why`: of a message that failed. */
  readonly tell: (topic: string, result: 'sent' | 'failed' | 'dropped', why?: string) => void;
}

export type Publisher = ReturnType<typeof createPublisher>;

/** Publishes only the latest message of each retained topic, and each answer at least once, in order. */
export function createPublisher({ schedule, monotonic, tell }: PublisherParts) {
  /** To the broker that is connected now: another one for each connection. Null: not connected. */
  let send: Send | null = null;
  const topics = new Map<string, LastSent>();

  const put: Put = (topic, payload, retain) =>
    send?.(topic, payload, retain).then(
      (): PutResult => {
        tell(topic, 'sent');
        return 'sent';
      },
      (error): PutResult => {
        tell(topic, 'failed', messageOf(error));
        return errorCode(error) === TOO_LONG_MESSAGE ? 'too-long' : 'failed';
      },
    ) ?? null;
  const answers = answersInOrder(put, schedule, (topic) => tell(topic, 'dropped'));

  return {
    /**
     * Sends the message of a retained topic if it is due, and differs from the last one in other fields than `NO_CHANGE`.
     * Call it regularly: a later call sends what was not due, or was refused.
     *
     * @param pauseMs shortest time to the next message on this topic, ms
     */
    retain(topic: string, message: object, pauseMs = 0): void {
      if (send === null) return;
      const essence = JSON.stringify(message, (key, value) => (NO_CHANGE.includes(key) ? undefined : value));
      const last = topics.get(topic);
      if (last && (last.essence === essence || monotonic() < last.notBefore)) return;
      const sent: LastSent = { essence, notBefore: monotonic() + pauseMs };
      topics.set(topic, sent);
      void put(topic, JSON.stringify(message), true)?.then((result) => {
        if (result !== 'sent') Object.assign(sent, { essence: null, notBefore: monotonic() + AGAIN_MS });
      });
    },
    /** Lets the next message of a retained topic be sent even if it is unchanged. */
    repeat(topic: string): void {
      const last = topics.get(topic);
      if (last) last.essence = null;
    },
    answer: answers.add,
    /** Resolves when no answer waits, or the next one cannot be sent now. */
    answersSent: answers.sent,
    /** A new connection: the waiting answers are sent, and each retained topic when it is set next. Null: not connected. */
    connected(next: Send | null): void {
      send = next;
      topics.clear();
      answers.connectionChanged();
    },
  };
}

type PutResult = 'sent' | 'failed' | 'too-long';
/** Resolves with whether the broker took it; null: there is no connection. */
type Put = (...message: Parameters<Send>) => Promise<PutResult> | null;

function answersInOrder(put: Put, schedule: Schedule, onDropped: (topic: string) => void) {
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
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      const sent = put(next.topic, next.payload, false);
      if (sent === null) break;
      const result = await sent;
      if (result === 'too-long' && waiting[0] === next) {
        if (shorten(next)) continue;
        // It would keep back all later ones for good.
        drop();
        onDropped(next.topic);
        continue;
      }
      if (result !== 'sent') {
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

  /** Whether it had a shorter form. */
  function shorten(answer: Answer): boolean {
    if (answer.shorter === null) return false;
    waitingBytes += answer.shorter.length - answer.payload.length;
    answer.payload = answer.shorter;
    answer.shorter = null;
    return true;
  }

  function drop(): void {
    waitingBytes -= waiting.shift()?.payload.length ?? 0;
  }

  return {
    /**
     * @param options.onSent called when the broker has acknowledged it
     * @param options.shorter sent in its place if it is too long, or two tries failed: brokers that do not say what they
     * take close the connection over a long message
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
        onDropped(topic);
      }
      sendAll();
    },
    sent: () => sending,
    /** Sends the waiting ones over a new connection. */
    connectionChanged: sendAll,
  };
}
