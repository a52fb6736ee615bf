import type { Log } from '../../shared/log';
import { type ProofPosition, type StoredSegment, UNREADABLE } from '../../shared/proof-sequence';
import { RecordsError } from '../records/records-client';
import type { Schedule } from '../schedule';
import type { Problem } from '../status/status';
import { type BuildParts, buildSegment } from './build-segment';
import type { SendSegment, Sent } from './send-segment';
import { ownMoment, untilOwnMoment } from './ship-times';
import {
  afterBooksErrorsMs,
  afterTry,
  type NextSegment,
  NOTHING_TRIED,
  nextStored,
  type SegmentResult,
} from './shipping-decisions';

/** How old the reported position may be while no segment is sent, ms. */
const LOOK_AGAIN_MS = 60_000;

export interface ShipperParts extends BuildParts {
  readonly send: SendSegment;
  readonly everyMs: number;
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly log: Log;
  /** Called with the result of each try to send a segment. */
  readonly onResult: (result: SegmentResult) => void;
  /** Called when the state may have changed, and once a minute while no segment is sent. */
  readonly onChange: (state: ShippingState) => void;
}

/** Times: ms since the epoch; null: not yet since the start. */
export interface ShippingState {
  /** As last read from the books. */
  readonly position: ProofPosition | null;
  readonly lastSentAt: number | null;
  /** Error of the last try; null: the receiver accepted the segment. */
  readonly lastError: (Problem & { readonly at: number }) | null;
}

export type Shipper = ReturnType<typeof startShipper>;

/** Ships proof of play (rule 28): one segment after the other, as `shipping-decisions.ts` decides. */
export function startShipper(parts: ShipperParts) {
  const { records, key, clock, schedule, random, everyMs, log } = parts;
  const moment = ownMoment(key.fingerprint, everyMs);
  const ending = new AbortController();
  const here = () => ({
    now: clock.now(),
    monotonic: clock.monotonic(),
    random,
    everyMs,
    ownMoment: moment,
  });
  let memory = NOTHING_TRIED;
  let state: ShippingState = { position: null, lastSentAt: null, lastError: null };

  function become(change: Partial<ShippingState>): void {
    state = { ...state, ...change };
    parts.onChange(state);
  }

  async function ship(): Promise<void> {
    let dueAt = clock.monotonic() + untilOwnMoment(here());
    let booksErrors = 0;
    for (;;) {
      let waitMs: number;
      try {
        // Plays settle between two segments, too, so the position is read more often than segments are sent.
        const position = await records.run('proofPosition', {});
        ending.signal.throwIfAborted();
        become({ position });
        waitMs = Math.min(dueAt - clock.monotonic(), LOOK_AGAIN_MS);
        if (waitMs <= 0) {
          dueAt = (await shipNext(position)) + clock.monotonic();
          // Only now: books that can be read but not written would have the same segment sent again each second.
          booksErrors = 0;
          continue;
        }
      } catch (error) {
        if (ending.signal.aborted) return;
        // Any other error is a bug and ends the process (rule 25).
        if (!(error instanceof RecordsError)) throw error;
        log.warn('proof of play waits for the books', { error });
        booksErrors += 1;
        waitMs = afterBooksErrorsMs(booksErrors);
      }
      await new Promise<void>((resolve) => schedule(waitMs, resolve));
    }
  }

  /**
   * Sends one segment, or finds none to send. Resolves with the wait before the next, ms. Rejects with a
   * `RecordsError` when the books do, and with another error once it is disposed.
   */
  async function shipNext(position: ProofPosition): Promise<number> {
    const next = nextStored(memory, position, here()) ?? (await nextBuilt(position));
    ending.signal.throwIfAborted();
    if (next === null) return untilOwnMoment(here());
    const { segment } = next;
    const { epoch, first } = segment;
    const bytes = await records.run('readSegment', { epoch, first }).catch(nullIfUnreadable);
    const sent = bytes === null ? NOT_READ : await parts.send(segment, bytes, ending.signal);
    ending.signal.throwIfAborted();
    note(segment, sent);
    const { result, waitMs, ...verdict } = afterTry(memory, next, sent, position.setAside.length, here());
    memory = verdict.memory;
    parts.onResult(result);
    const { status } = sent;
    if (status !== null && (result === 'delivered' || result === 'set-aside')) {
      // Changes nothing if the segment is not stored any more.
      await records.run('settleSegment', { epoch, first, how: result, status, at: clock.now() });
      if (result === 'set-aside')
        log.error('a segment of proof of play is set aside', {
          ...about(segment, status),
          why: sent.problem?.message,
        });
    }
    return waitMs;
  }

  async function nextBuilt(position: ProofPosition): Promise<NextSegment | null> {
    const built = await buildSegment(parts, position);
    return built && { ...built, isAgain: false };
  }

  function note(segment: StoredSegment, { status, problem }: Sent): void {
    const at = clock.now();
    if (problem === null) {
      if (state.lastError !== null) log.info('proof of play is taken again', about(segment, status));
      become({ lastError: null, lastSentAt: at });
      return;
    }
    const { code, message, advice } = problem;
    log.warn('a segment of proof of play was not taken', { ...about(segment, status), why: message });
    become({ lastError: { code, message, advice, at } });
  }

  void ship();
  return {
    /** Aborts a request under way; the next run sends again what was not acknowledged. */
    dispose: () => ending.abort(),
  };
}

/** In place of an answer, for a segment whose stored bytes cannot be read: it counts as refused. */
const NOT_READ: Sent = {
  status: UNREADABLE,
  retryAfterMs: null,
  problem: {
    code: 'unreadable',
    message: 'A stored segment of proof of play cannot be read.',
    advice: "Check the kiosk's disk. It is tried again by itself.",
  },
};

/** Chromium keeps such bytes in a file of their own, which may be lost alone. Other errors are those of all the books. */
function nullIfUnreadable(error: unknown): null {
  if (error instanceof RecordsError && error.code === 'storage') return null;
  throw error;
}

const about = ({ epoch, first, last }: StoredSegment, status: number | null) => ({
  epoch,
  first,
  last,
  status,
});
