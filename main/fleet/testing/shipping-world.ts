import { HOUR_MS } from '../../../shared/clock';
import 'fake-indexeddb/auto';
import { generateKeyPairSync } from 'node:crypto';
import { BooksConflict } from '../../../renderer/records/database';
import { SequenceWorld } from '../../../renderer/records/testing/sequence-world';
import { silentLog } from '../../../shared/log';
import {
  type RecordsCommand,
  type RecordsInput,
  type RecordsOutput,
  recordsCommands,
} from '../../../shared/records';
import { type Records, RecordsError } from '../../records/records-client';
import { type MortalProcess, mortalProcess } from '../../records/testing/mortal-process';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { proofRow } from '../proof-rows';
import { type Shipper, type ShippingState, startShipper } from '../shipper';
import type { SegmentResult } from '../shipping-decisions';
import { signingKeyOf } from '../signing-key';
import { SegmentReceiver } from './segment-receiver';

/** Whether the receiver stores a body, and the answer that the kiosk gets. `status` null: no answer. */
export interface Answer {
  readonly takes: boolean;
  readonly status: number | null;
  readonly retryAfterMs?: number;
}

export interface ShippingLife extends MortalProcess {
  readonly shipper: Shipper;
}

export const EVERY_MS = 900_000;
const ORIGIN = {
  playerId: 'player-1',
  store: { storeId: 'store-1', zone: null, screenId: null, labels: { aisle: '4' } },
};

/** A shipper over real records commands; the test controls time, receiver, errors and death of the process. */
export class ShippingWorld {
  readonly books = new SequenceWorld();
  readonly receiver = new SegmentReceiver();
  readonly key = signingKeyOf(generateKeyPairSync('ed25519').privateKey);
  readonly results: SegmentResult[] = [];
  /** As a shipper reported it last. */
  state: ShippingState | null = null;
  /** When each request came, ms since the epoch. */
  readonly requests: number[] = [];
  /** What aborts each of them. */
  readonly signals: AbortSignal[] = [];
  /** Answers to the next requests; later requests are accepted with 200. */
  answers: Answer[] = [];
  /** The receiver refuses segments that contain such a sequence number. */
  poison: (seq: number) => boolean = () => false;
  maxRows = 5;
  readonly time = handTurnedTime(this.books.now);
  /** What `clock.now` adds to the hand-turned clock, ms. */
  #correction = 0;
  #moves = 0;
  #underWay = 0;

  /** What the log says of warnings, and of their ends. */
  readonly lines: string[] = [];
  readonly log = {
    ...silentLog,
    info: (event: string) => void this.lines.push(event),
    warn: (event: string) => void this.lines.push(event),
  };

  readonly clock = {
    now: () => this.time.clock.now() + this.#correction,
    monotonic: () => this.time.clock.monotonic(),
  };

  /** Changes the books; the time that passes meanwhile fires no timers. */
  async inBooks<Result>(act: (books: SequenceWorld) => Promise<Result>): Promise<Result> {
    this.books.now = this.clock.now();
    const result = await act(this.books);
    this.#correction += this.books.now - this.clock.now();
    return result;
  }

  live(): ShippingLife {
    let timers = 0;
    const life = mortalProcess(() => {
      this.#moves += 1;
    });
    const step: typeof life.step = (act, lost) =>
      life.step(() => {
        this.#underWay += 1;
        return act().finally(() => {
          this.#underWay -= 1;
        });
      }, lost);
    const records: Records = {
      run: <C extends RecordsCommand>(command: C, input: RecordsInput<C>): Promise<RecordsOutput<C>> =>
        step(
          async () => {
            // As through the real port: input and output are copied and parsed.
            const parsed = recordsCommands[command].input.parse(structuredClone(input));
            const run = this.books.commands[command] as (value: unknown) => Promise<unknown>;
            const output = await run(parsed).catch((error: Error) => {
              throw new RecordsError(
                error instanceof BooksConflict ? 'conflict' : 'storage',
                command,
                error.message,
              );
            });
            return recordsCommands[command].output.parse(output) as RecordsOutput<C>;
          },
          () => new RecordsError('timeout', command, 'no answer'),
        ),
    };
    const origin = { kiosk: this.key.fingerprint, ...ORIGIN };
    const shipper = startShipper({
      records,
      key: this.key,
      clock: this.clock,
      maxRows: this.maxRows,
      everyMs: EVERY_MS,
      random: () => 0.5,
      log: this.log,
      rowOf: (entry) => proofRow(entry, origin),
      rest: () => Promise.resolve(),
      schedule: (ms, run) => {
        timers += 1;
        const cancel = this.time.schedule(ms, () => {
          timers -= 1;
          if (life.isAlive()) run();
        });
        return () => {
          timers -= 1;
          cancel();
        };
      },
      send: (segment, bytes, signal) =>
        step(async () => {
          this.requests.push(this.clock.now());
          this.signals.push(signal);
          const { status, retryAfterMs = null } = this.#answerTo(bytes);
          const isTaken = status !== null && status >= 200 && status <= 299;
          const problem = isTaken ? null : { code: 'error', message: `${segment.first}`, advice: 'Wait.' };
          return { status, retryAfterMs, problem };
        }),
      onResult: (result) => this.results.push(result),
      onChange: (state) => {
        this.state = state;
      },
    });
    const shipping = {
      ...life,
      shipper,
      // A resting shipper has a timer; a compressing one has none.
      isResting: () => !life.isAlive() || timers >= 1,
    };
    this.#lives.push(shipping);
    return shipping;
  }

  readonly #lives: Array<ShippingLife & { isResting(): boolean }> = [];

  #answerTo(bytes: Uint8Array): Answer {
    const read = this.receiver.read(bytes);
    const answer = this.answers.shift() ?? { takes: true, status: 200 };
    if (read.rows.some(({ seq }) => this.poison(Number(seq)))) return { takes: false, status: 400 };
    if (answer.takes) this.receiver.take(read);
    return answer;
  }

  /** Waits until nothing more happens unless time passes. */
  async quiet(): Promise<void> {
    for (let before = -1; ; ) {
      for (let turn = 0; turn < 4; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      const isStill = before === this.#moves && this.#underWay === 0;
      if (isStill && this.#lives.every((life) => life.isResting())) return;
      before = this.#moves;
    }
  }

  /** Lets time pass. All but the last hour passes without timers, as on a machine that slept. */
  async pass(ms: number): Promise<void> {
    await this.quiet();
    if (ms > HOUR_MS) this.time.drift(ms - HOUR_MS);
    const until = this.time.clock.monotonic() + Math.min(ms, HOUR_MS);
    for (let left = Math.min(ms, HOUR_MS); left > 0; left = until - this.time.clock.monotonic()) {
      await this.time.advance(Math.min(left, Math.max(1, this.time.waits()[0] ?? left)));
      await this.quiet();
    }
  }

  /** Removes all errors, starts a new process and lets time pass until every play has arrived. */
  async heal(): Promise<ShippingLife> {
    this.answers = [];
    this.poison = () => false;
    for (const life of this.#lives) life.die();
    const life = this.live();
    await this.inBooks(async (books) => {
      await books.numberAll();
      while ((await books.endBeacons(100)) > 0);
    });
    for (let period = 0; period < 200; period += 1) {
      await this.pass(period === 0 ? 30 * HOUR_MS : EVERY_MS);
      const { waiting, setAside, pending } = await this.books.commands.proofPosition({});
      if (waiting === 0 && setAside.length === 0 && pending === null) return life;
    }
    throw new Error('something never arrives');
  }

  async end(): Promise<void> {
    for (const life of this.#lives) life.die();
    await this.books.database.delete();
  }
}
