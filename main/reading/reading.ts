import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type { Log } from '../../shared/log';
import { asError, describeError, errorCode, messageOf } from '../describe-error';
import { workers } from '../late-modules';
import type { Schedule } from '../schedule';
import { pause } from '../turns';
import { type FromWorker, joinPart, type ToWorker } from './in-parts';
import {
  type ContentOf,
  type OptionsOf,
  type OutputOf,
  type Pieces,
  type ReaderName,
  readPieces,
} from './readers';

/** Bytes, or UTF-16 code units, up to which an input is read where it is: some 3 ms of reading (rule 31). */
export const READ_IN_PLACE = 64 * 1024;

/** UTF-16 code units that are copied to the worker in one turn of main. */
const PIECE_LENGTH = 4 * 1024 * 1024;

/** Why an input was not read, apart from its content. It concerns this input alone (rule 31). */
export interface ReadingError {
  readonly kind: 'unreadable';
  readonly code: 'reading-too-long' | 'reading-too-large' | 'reading-failed';
  /** One line, fit for a log. */
  readonly message: string;
}

export interface ReadingOptions {
  /** The built program of the worker. */
  readonly worker: string;
  readonly schedule: Schedule;
  /** Gets errors that end a worker (rule 25). */
  readonly log?: Pick<Log, 'error'>;
  /** For one reading in the worker, from its start to its last part, ms. Default 30,000. */
  readonly deadlineMs?: number;
  /** Memory of a worker, MB. Default 512: a document of 64 MB and what is read of it. */
  readonly memoryMb?: number;
  /** A worker that has nothing to read ends after this time, ms. Default 10,000. */
  readonly idleMs?: number;
  /** Readings that run at once; others wait. Default 2. */
  readonly atOnce?: number;
}

/** The built program of the reading worker: beside the built file that asks, or one level up from its chunk. */
export function readingWorkerFile(): string {
  const beside = join(__dirname, 'reading-worker.js');
  return existsSync(beside) ? beside : join(__dirname, '..', 'reading-worker.js');
}

/** A text; a long one is in pieces, which only the worker joins. */
export type Text = string | readonly string[];

/** Input of `read`: pieces are allowed where a reader takes text. */
type Readable<N extends ReaderName> = ContentOf<N> extends string ? Text : ContentOf<N>;

export type Reading = ReturnType<typeof createReading>;

/** Reads foreign bytes (rule 31). */
export function createReading(options: ReadingOptions) {
  const { worker: program, schedule, log } = options;
  const { deadlineMs = 30_000, memoryMb = 512, idleMs = 10_000, atOnce = 2 } = options;
  /** Workers without work; some may have ended since. */
  const idle: ReadingWorker[] = [];
  const waiting: (() => void)[] = [];
  let busy = 0;

  function takeWorker(): ReadingWorker {
    let ready = idle.pop();
    while (ready?.isOver) ready = idle.pop();
    return ready ?? new ReadingWorker(program, memoryMb, log);
  }

  /** Reads in this worker, which is idle afterwards. */
  async function readIn(
    worker: ReadingWorker,
    name: ReaderName,
    pieces: Pieces,
    readerOptions: unknown,
  ): Promise<unknown> {
    const cancel = schedule(deadlineMs, () =>
      worker.end(unreadable('reading-too-long', `reading it took longer than ${deadlineMs} ms`)),
    );
    try {
      return await worker.read(name, pieces, readerOptions);
    } finally {
      cancel();
      worker.cancelEnd = schedule(idleMs, () => worker.end());
      idle.push(worker);
    }
  }

  async function inWorker(name: ReaderName, pieces: Pieces, readerOptions: unknown): Promise<unknown> {
    if (busy < atOnce) busy += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await readIn(takeWorker(), name, pieces, readerOptions);
    } catch (error) {
      // Without memory or threads the system starts no worker.
      return failed(error);
    } finally {
      // Hands its place on, so that no other reading can take it before the one that waits.
      const next = waiting.shift();
      if (next) next();
      else busy -= 1;
    }
  }

  return {
    /** Whether workers run, each of which may take `memoryMb` of this process. */
    hasWorkers: (): boolean => busy > 0 || idle.some(({ isOver }) => !isOver),
    /**
     * Reads `content` with the named reader: in place up to `READ_IN_PLACE`, else in a worker. Never rejects. A reading
     * that exceeds its deadline or memory ends its own worker, and no other reading.
     */
    read<N extends ReaderName>(name: N, content: Readable<N>, readerOptions: OptionsOf<N>) {
      const pieces = [content].flat();
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      const output =
        length > READ_IN_PLACE
          ? inWorker(name, pieces, readerOptions)
          : readPieces(name, pieces, readerOptions).catch(failed);
      return output as Promise<OutputOf<N> | ReadingError>;
    },
  };
}

const unreadable = (code: ReadingError['code'], message: string): ReadingError => ({
  kind: 'unreadable',
  code,
  message,
});

/** A reader broke its contract: the input counts as unreadable. */
const failed = (error: unknown): ReadingError =>
  unreadable('reading-failed', `the reader failed: ${messageOf(error).slice(0, 200)}`);

/** A worker, which reads one input after another. */
class ReadingWorker {
  isOver = false;
  cancelEnd = () => {};
  readonly #worker: Worker;
  #finish: (result: unknown) => void = () => {};
  #rest: unknown = null;

  constructor(program: string, memoryMb: number, log: ReadingOptions['log']) {
    this.#worker = new (workers().Worker)(program, { resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
    this.#worker.on('message', this.#hear);
    // An error that nothing handles ends the worker, and only the worker.
    this.#worker.on('error', (error) => {
      if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY') {
        this.end(unreadable('reading-too-large', 'reading it took too much memory'));
        return;
      }
      log?.error('a reading worker ended unexpectedly', { error: describeError(asError(error)) });
      this.end(failed(error));
    });
    this.#worker.on('exit', () => this.end());
  }

  async read(name: ReaderName, pieces: Pieces, options: unknown): Promise<unknown> {
    this.cancelEnd();
    this.#worker.ref();
    const result = new Promise<unknown>((resolve) => {
      this.#finish = resolve;
    });
    for (const piece of portionsOf(pieces)) {
      this.#tell({ kind: 'content', piece });
      await pause();
    }
    this.#tell({ kind: 'read', reader: name, options });
    const output = await result;
    // An idle worker keeps no result.
    this.#finish = () => {};
    this.#rest = null;
    this.#worker.unref();
    return output;
  }

  /** Ends the worker; its current reading gets this error. */
  end(error = failed('its worker ended')): void {
    this.isOver = true;
    this.cancelEnd();
    this.#finish(error);
    void this.#worker.terminate();
  }

  readonly #hear = (message: FromWorker): void => {
    // What the worker sent before it ended still arrives.
    if (this.isOver) return;
    switch (message.kind) {
      case 'result':
        this.#rest = message.rest;
        // One part ahead: the worker copies it while main handles the previous one.
        this.#tell({ kind: 'more' });
        break;
      case 'part':
        joinPart(this.#rest, message.part);
        break;
      case 'end':
        this.#finish(this.#rest);
        return;
    }
    // In a turn of its own, so that no more than two parts come in one turn.
    setImmediate(() => this.#tell({ kind: 'more' }));
  };

  #tell(message: ToWorker): void {
    if (!this.isOver) this.#worker.postMessage(message);
  }
}

/** Cuts long texts into pieces that are short enough for one turn. */
function* portionsOf(pieces: Pieces): Generator<string | Uint8Array, void, void> {
  for (const piece of pieces) {
    if (typeof piece === 'object') yield piece;
    else for (let at = 0; at < piece.length; at += PIECE_LENGTH) yield piece.slice(at, at + PIECE_LENGTH);
  }
}
