import { assertNever } from '../../shared/assert-never';
import type { Log } from '../../shared/log';
import type { ProofPosition, StoredSegment } from '../../shared/proof-sequence';
import { RecordsError } from '../records/records-client';
import type { Schedule } from '../schedule';
import type { Problem } from '../status/status';
import { type BuildParts, buildSegment } from './build-segment';
import type { SendSegment } from './send-segment';
import { ownMoment } from './ship-times';
import {
  beginShipping,
  type SegmentResult,
  type Shipping,
  type ShippingEffect,
  type ShippingEvent,
  type ShippingStep,
  stepShipping,
} from './shipping-machine';

/** How old the reported position may be, ms. */
const LOOK_AGAIN_MS = 60_000;

export interface ShipperParts extends BuildParts {
  readonly send: SendSegment;
  readonly everyMs: number;
  readonly schedule: Schedule;
  readonly random: () => number;
  readonly log: Log;
  /** Called with the result of each try to send a segment. */
  readonly onResult: (result: SegmentResult) => void;
  /** Called when the state may have changed, and at least once a minute. */
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

/** Ships proof of play (rule 28): carries out what `shipping-machine.ts` decides. */
export function startShipper(parts: ShipperParts) {
  const { records, key, clock, schedule, random, everyMs, log } = parts;
  const moment = ownMoment(key.fingerprint, everyMs);
  const ending = new AbortController();
  const here = () => ({
    ...{ now: clock.now(), monotonic: clock.monotonic() },
    ...{ random, everyMs, ownMoment: moment },
  });
  const first = beginShipping(here());
  let shipping: Shipping = first.state;
  let state: ShippingState = { position: null, lastSentAt: null, lastError: null };

  function become(change: Partial<ShippingState>): void {
    state = { ...state, ...change };
    parts.onChange(state);
  }

  function take(step: ShippingStep): void {
    shipping = step.state;
    for (const effect of step.effects) {
      if (effect.do === 'count') parts.onResult(effect.result);
      else void run(effect);
    }
  }

  async function run(effect: Exclude<ShippingEffect, { readonly do: 'count' }>): Promise<void> {
    const event = await carryOut(effect).catch(booksErrorIn);
    if (!ending.signal.aborted) take(stepShipping(shipping, event, here()));
  }

  /** Resolves with the event that the effect led to. Rejects with a `RecordsError` when the books do. */
  async function carryOut(effect: Exclude<ShippingEffect, { readonly do: 'count' }>): Promise<ShippingEvent> {
    switch (effect.do) {
      case 'rest':
        await new Promise<void>((resolve) => schedule(effect.ms, resolve));
        return { kind: 'woken' };
      case 'look': {
        const position = await records.run('proofPosition', {});
        become({ position });
        return { kind: 'position', position };
      }
      case 'build': {
        const built = await buildSegment(parts, effect.position);
        return built ? { kind: 'stored', ...built } : { kind: 'nothing-to-send' };
      }
      case 'send':
        return trySend(effect.segment);
      case 'settle': {
        const { segment, how, status } = effect;
        const { epoch, first } = segment;
        await records.run('settleSegment', { epoch, first, how, status, at: clock.now() });
        if (how === 'set-aside')
          log.error('the receiver refuses a segment; it is set aside', about(segment, status));
        await refresh();
        return { kind: 'settled' };
      }
      default:
        return assertNever(effect);
    }
  }

  async function trySend(segment: StoredSegment): Promise<ShippingEvent> {
    const { epoch, first } = segment;
    const bytes = await records.run('readSegment', { epoch, first });
    // The segment was settled already, or the books were restored: read the position again.
    if (bytes === null) return { kind: 'books-error' };
    const { status, retryAfterMs, problem } = await parts.send(segment, bytes, ending.signal);
    if (ending.signal.aborted) return { kind: 'woken' };
    if (problem) {
      log.warn('a segment of proof of play was not taken', {
        ...about(segment, status),
        why: problem.message,
      });
      become({ lastError: { ...pick(problem), at: clock.now() } });
    } else become({ lastError: null, lastSentAt: clock.now() });
    return { kind: 'tried', status, retryAfterMs };
  }

  function booksErrorIn(error: unknown): ShippingEvent {
    // Any other error is a bug and ends the process (rule 25).
    if (!(error instanceof RecordsError)) throw error;
    log.warn('proof of play waits for the books', { error });
    return { kind: 'books-error' };
  }

  async function refresh(): Promise<void> {
    const position = await records.run('proofPosition', {}).catch(() => null);
    if (position && !ending.signal.aborted) become({ position });
  }

  /** Plays settle between two segments, too, so the position is read regularly. */
  function lookAgain(): void {
    if (ending.signal.aborted) return;
    void refresh();
    schedule(LOOK_AGAIN_MS, lookAgain);
  }

  take(first);
  lookAgain();
  return {
    state: () => state,
    /** Aborts a request under way; the next run sends again what was not acknowledged. */
    dispose: () => ending.abort(),
  };
}

const about = ({ epoch, first, last }: StoredSegment, status: number | null) => ({
  ...{ epoch, first, last, status },
});

const pick = ({ code, message, advice }: Problem): Problem => ({ code, message, advice });
