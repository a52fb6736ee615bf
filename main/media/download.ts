import { createHash, type Hash } from 'node:crypto';
import type { Basics } from '../basics';
import { messageOf } from '../describe-error';
import { encodingsOf } from '../egress/answer-body';
import { askedWaitMs } from '../egress/back-off';
import type { Fetch } from '../egress/http-client';
import type { Reading } from '../reading/reading';
import { hashFile, type Pace } from './checksum';
import type { Disk, GrowingFile } from './disk';
import { type DiskCode, diskCode, type MediaProblemCode } from './media-problem';
import { type MediaForm, TYPE_BYTES } from './media-type';
import type { PartNote, Validators } from './stored-media';
import { checkStructure } from './structure/check-structure';

/** Bytes between two checkpoints; after a crash, a transfer continues from the last one. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
/**
 * A `Last-Modified` that is at least this much older than `Date` is a strong validator (RFC 9110, section
 * 8.8.2.2), ms.
 */
const SURELY_LATER_MS = 1_000;
/** A transfer with fewer bytes than this in `windowMs` is aborted, because another file could use its place. */
const SLOWEST_BYTES = 16 * 1024;

export interface DownloadParts extends Pick<Basics, 'clock' | 'schedule'> {
  readonly fetch: Fetch;
  readonly disk: Disk;
  readonly reading: Pick<Reading, 'read'>;
  /** Limits the rate of all downloads together, and of what they read again. */
  readonly pace: Pace;
  readonly maxFileBytes: number;
  /** Length of the window for `SLOWEST_BYTES`, ms. */
  readonly windowMs: number;
}

export interface DownloadTask {
  /** What the part's note names the file by. */
  readonly url: string;
  /** Where to fetch it. */
  readonly from: string;
  /** A page must come from its own host, because a captive portal answers with a page too. */
  readonly form: MediaForm;
  readonly partPath: string;
  readonly partNotePath: string;
  /** An interrupted download to continue; null: none. */
  readonly part: PartNote | null;
  /** Validators of the stored file, to fetch it only if it has changed; null: none is stored. */
  readonly known: (Validators & { readonly bytes: number | null }) | null;
  /**
   * Reserves room for a file of `bytes` bytes in all; called again if the file turns out to be larger. False:
   * no room.
   */
  readonly reserve: (bytes: number) => Promise<boolean>;
  readonly onProgress: (bytesOnDisk: number) => void;
  readonly signal: AbortSignal;
}

export type DownloadResult =
  /** The part is whole, synced and checked; `validators` belong to this content. */
  | {
      readonly kind: 'downloaded';
      readonly type: string;
      readonly bytes: number;
      readonly sha256: string;
      readonly validators: Validators;
    }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'no-room'; readonly bytes: number }
  | { readonly kind: 'cancelled'; readonly part: PartNote | null }
  /** It arrived complete but cannot be shown; `content` identifies this version. */
  | {
      readonly kind: 'refused';
      readonly code: MediaProblemCode;
      readonly detail: string;
      readonly content: string;
      readonly validators: Validators;
    }
  | {
      readonly kind: 'failed';
      readonly code: MediaProblemCode;
      readonly detail: string;
      /** How long the server asks to wait, ms; 0: it is overloaded, and does not say; null: it does not ask. */
      readonly retryAfterMs: number | null;
      /** The interrupted download to continue; null: none. */
      readonly part: PartNote | null;
      /** It continued an earlier one, and got further by as much as the slowest transfer does in its window. */
      readonly isFurther: boolean;
    }
  | { readonly kind: 'disk-failed'; readonly code: DiskCode; readonly detail: string };

/** Ends a download early with a result; thrown within this file only. */
class Stop extends Error {
  constructor(readonly result: DownloadResult) {
    super(result.kind);
  }
}

/**
 * Downloads one file into its part, or continues the part (`Range` with `If-Range`, RFC 9110 section 13.1.5),
 * and hashes it on the way. Never mixes two versions: it continues only if validator, length and position
 * match, else it starts again. Never rejects.
 */
export async function download(parts: DownloadParts, task: DownloadTask): Promise<DownloadResult> {
  const { disk } = parts;
  const transfer = new Transfer(parts, task);
  try {
    return await transfer.run();
  } catch (error) {
    if (task.signal.aborted) {
      await transfer.leave(true);
      return { kind: 'cancelled', part: transfer.part };
    }
    const result = error instanceof Stop ? error.result : null;
    if (result?.kind !== 'failed') {
      // After a disk error the part is deleted: on a full disk, the books need its space more.
      await transfer.leave(false);
      return result ?? { kind: 'disk-failed', code: diskCode(error), detail: messageOf(error) };
    }
    await transfer.leave(['short', 'unreachable', 'status'].includes(result.code));
    return { ...result, part: transfer.part, isFurther: transfer.isFurther() };
  } finally {
    await transfer.close().catch(() => {});
    if (transfer.part === null && !transfer.whole) {
      await disk.remove(task.partNotePath).catch(() => {});
      await disk.remove(task.partPath).catch(() => {});
    }
  }
}

class Transfer {
  /** The part as its note on disk describes it; null: nothing to continue. */
  part: PartNote | null;
  whole = false;
  #file: GrowingFile | null = null;
  #hash: Hash = createHash('sha256');
  #bytes = 0;
  /** Where it continued an earlier download; null: it began at the first byte. */
  #continuedAt: number | null = null;
  #reserved = 0;
  /** The first bytes, until they are enough to detect the type; null afterwards. */
  #head: Buffer | null = Buffer.alloc(0);
  #validators: Validators = { etag: null, lastModified: null };
  /** Whether `Last-Modified` is a strong validator. */
  #isDateStrong = false;
  #cameAsPage = false;
  #total: number | null = null;

  constructor(
    private readonly parts: DownloadParts,
    private readonly task: DownloadTask,
  ) {
    this.part = task.part;
  }

  async run(): Promise<DownloadResult> {
    await this.#pickUp();
    if (this.part && this.#bytes === this.#total) return this.#finish();
    const watch = watchTransfer(this.parts, this.task.signal);
    try {
      let response = await this.#request(watch);
      if (this.part && !this.#continues(response)) {
        await this.#startOver();
        if (response.status !== 200) {
          await response.body?.cancel();
          response = await this.#request(watch);
        }
      }
      this.#continuedAt = this.part && this.#bytes;
      await this.#receive(response, watch);
    } finally {
      watch.stop();
    }
    return this.#finish();
  }

  /**
   * Hashes the part on disk again, because the state of a running hash cannot be stored. No faster than it came: a server
   * may break off after each 16 KB of a file of half a gigabyte.
   */
  async #pickUp(): Promise<void> {
    const { part, partPath, signal } = this.task;
    if (!part) return;
    const { disk, pace } = this.parts;
    const hash =
      part.safeBytes > 0
        ? await hashFile(disk, partPath, part.safeBytes, pace, signal).catch(() => null)
        : null;
    // Aborted before the part was read: keep the part.
    signal.throwIfAborted();
    if (hash?.copy().digest('hex') !== part.sha256) {
      this.part = null;
      return;
    }
    this.#hash = hash;
    this.#head = null;
    this.#bytes = part.safeBytes;
    this.#total = part.total;
    this.#validators = { etag: part.etag, lastModified: part.lastModified };
    this.#isDateStrong = true;
    this.#file = await disk.openToAppend(partPath, part.safeBytes);
    this.task.onProgress(this.#bytes);
    await this.#reserve(part.total ?? part.safeBytes);
  }

  async #startOver(): Promise<void> {
    await this.close();
    this.part = null;
    this.#hash = createHash('sha256');
    this.#head = Buffer.alloc(0);
    this.#bytes = 0;
  }

  async #request({ signal, begin }: Watch): Promise<Response> {
    const { from, known } = this.task;
    const headers: Record<string, string> = {};
    if (this.part) {
      headers.range = `bytes=${this.#bytes}-`;
      headers['if-range'] = this.#validators.etag ?? this.#validators.lastModified ?? '';
    } else if (known) {
      if (known.etag !== null) headers['if-none-match'] = known.etag;
      if (known.lastModified !== null) headers['if-modified-since'] = known.lastModified;
    }
    begin();
    try {
      const response = await this.parts.fetch(from, { signal, headers });
      begin();
      return response;
    } catch (error) {
      const late = signal.aborted && !this.task.signal.aborted;
      throw failed('unreachable', late ? `no answer within ${this.parts.windowMs} ms` : messageOf(error));
    }
  }

  /** Whether this answer continues the part, that is, has the same version and the right position. */
  #continues(response: Response): boolean {
    if (response.status !== 206) {
      // 200: another version, or a server without ranges. 416: no bytes after ours. All others are errors.
      if (response.status === 416) return false;
      if (response.status !== 200) throw statusError(response, this.parts.clock.now());
      if (this.#isPage(response)) throw failed('unreachable', 'expected the rest of the file, got a page');
      return false;
    }
    const [, first, total] =
      /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    const same = (name: string, mine: string | null) => {
      const theirs = response.headers.get(name);
      return theirs === null || theirs === mine;
    };
    const { etag, lastModified } = this.#validators;
    // A server may send less than the rest, so its end proves nothing of a file of unknown length.
    const expected = total === '*' ? this.#total : Number(total);
    const isTheRest =
      Number(first) === this.#bytes &&
      expected !== null &&
      (this.#total === null || expected === this.#total) &&
      // A 206 must repeat the ETag (RFC 9110, section 15.3.7), but not the date.
      (etag === null ? same('etag', etag) : response.headers.get('etag') === etag) &&
      same('last-modified', lastModified) &&
      encodingsOf(response.headers.get('content-encoding')).length === 0;
    if (isTheRest) this.#total = expected;
    return isTheRest;
  }

  /** Whether it looks like the page of a captive portal or a filter: the ad's server names versions of its files. */
  #isPage({ headers }: Response): boolean {
    return (
      this.task.form === 'media' &&
      /^text\/html\b/i.test(headers.get('content-type') ?? '') &&
      !headers.has('etag') &&
      !headers.has('last-modified')
    );
  }

  /** What came is not the file. Where it came as a page, that is no fault of the ad. */
  #notTheFile(code: 'not-media' | 'encoded', detail: string): Stop {
    return this.#cameAsPage
      ? failed('unreachable', 'expected the file, got a page, as a log-in page does')
      : failed(code, detail);
  }

  async #receive(response: Response, watch: Watch): Promise<void> {
    const body = this.#bodyToTake(response);
    this.#checkLength(this.#total ?? 0);
    await this.#reserve(this.#total ?? CHECKPOINT_BYTES);
    this.#file ??= await this.parts.disk.openToAppend(this.task.partPath, 0);
    await this.#receiveBody(body, watch);
    if (this.#total !== null && this.#bytes !== this.#total) {
      throw failed('short', `expected ${this.#total} bytes, got ${this.#bytes}`);
    }
  }

  /** The body of an answer whose status and headers allow taking it. */
  #bodyToTake(response: Response): ReadableStream<Uint8Array> {
    const { known } = this.task;
    if (response.status === 304 && known && !this.part) throw new Stop({ kind: 'unchanged' });
    const expected = this.part ? 206 : 200;
    if (response.status !== expected || !response.body) throw statusError(response, this.parts.clock.now());
    if (this.task.form === 'page' && isElsewhere(response.url, this.task.from)) {
      throw failed('not-media', 'its address leads to another host, as a log-in page does');
    }
    this.#cameAsPage = this.#isPage(response);
    const encodings = encodingsOf(response.headers.get('content-encoding')).join(', ');
    if (encodings !== '') {
      const detail = `expected the file as it is, got it encoded (${encodings.slice(0, 60)})`;
      throw this.#notTheFile('encoded', detail);
    }
    if (!this.part) this.#readHead(response);
    const isEndMarked = response.headers.has('content-length') || response.headers.has('transfer-encoding');
    if (this.task.form === 'media' && !isEndMarked && this.#total === null) {
      throw failed('short', 'expected the length of the file or its end marked, got neither');
    }
    if (known && !this.part && this.#isSameAs(known)) throw new Stop({ kind: 'unchanged' });
    return response.body;
  }

  /**
   * Whether an answer has the known version, because many servers ignore conditions. Weak ETags suffice, as for a 304
   * (RFC 9110, section 13.1.2).
   */
  #isSameAs(known: NonNullable<DownloadTask['known']>): boolean {
    const { etag, lastModified } = this.#validators;
    const isAsLong = this.#total !== null && this.#total === known.bytes;
    if (known.etag === null) return isAsLong && (known.lastModified ?? lastModified) === lastModified;
    return etag === known.etag && (isAsLong || this.#total === null || known.bytes === null);
  }

  async #receiveBody(body: ReadableStream<Uint8Array>, watch: Watch): Promise<void> {
    const reader = body.getReader();
    let safe = this.#bytes;
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        const late = watch.signal.aborted && !this.task.signal.aborted;
        const why = late ? `almost no data came for ${this.parts.windowMs} ms` : messageOf(error);
        throw failed('short', `the connection ended after ${this.#bytes} bytes: ${why}`);
      });
      if (done) return;
      await this.#take(value);
      watch.came(value.byteLength);
      if (this.#bytes - safe >= CHECKPOINT_BYTES) {
        await this.#checkpoint();
        safe = this.#bytes;
      }
      await this.parts.pace(value.byteLength);
    }
  }

  #readHead({ headers }: Response): void {
    const stated = headers.get('content-length');
    this.#total = stated === null ? null : Number(stated);
    this.#validators = { etag: headers.get('etag'), lastModified: headers.get('last-modified') };
    const age = Date.parse(headers.get('date') ?? '') - Date.parse(headers.get('last-modified') ?? '');
    this.#isDateStrong = age >= SURELY_LATER_MS;
  }

  #checkLength(bytes: number): void {
    const { maxFileBytes } = this.parts;
    if (bytes <= maxFileBytes) return;
    const { etag, lastModified } = this.#validators;
    throw new Stop({
      kind: 'refused',
      code: 'too-large',
      detail: `${this.#total ?? `more than ${maxFileBytes}`} bytes, at most ${maxFileBytes} are taken`,
      content: `${this.#total} ${etag} ${lastModified}`,
      validators: this.#validators,
    });
  }

  async #take(chunk: Uint8Array): Promise<void> {
    if (this.#head !== null) await this.#lookAtHead(this.#head, chunk);
    this.#checkLength(this.#bytes + chunk.byteLength);
    if (this.#bytes + chunk.byteLength > this.#reserved) await this.#reserve(this.#bytes + CHECKPOINT_BYTES);
    this.#hash.update(chunk);
    await this.#file?.write(chunk);
    this.#bytes += chunk.byteLength;
    this.task.onProgress(this.#bytes);
  }

  /** Rejects a captive portal's page or an endless stream before all of it has arrived. */
  async #lookAtHead(before: Buffer, chunk: Uint8Array): Promise<void> {
    const head = Buffer.concat([before, chunk.subarray(0, TYPE_BYTES)]);
    const isEnough = head.length >= TYPE_BYTES;
    this.#head = isEnough ? null : head;
    if (!isEnough || this.task.form === 'page') return;
    const found = await this.parts.reading.read('media', head, undefined);
    if ('code' in found && found.code === 'not-media') throw this.#notTheFile('not-media', found.detail);
  }

  async #reserve(bytes: number): Promise<void> {
    if (bytes <= this.#reserved) return;
    if (!(await this.task.reserve(bytes))) throw new Stop({ kind: 'no-room', bytes });
    this.#reserved = bytes;
  }

  /** Only a strong validator can prove later that the rest belongs to the same version. */
  #canContinue(): boolean {
    const { etag, lastModified } = this.#validators;
    return etag !== null ? !etag.startsWith('W/') : lastModified !== null && this.#isDateStrong;
  }

  async #checkpoint(): Promise<void> {
    if (!this.#file || !this.#canContinue() || this.#bytes === 0) return;
    await this.#file.sync();
    const note: PartNote = {
      url: this.task.url,
      ...this.#validators,
      total: this.#total,
      safeBytes: this.#bytes,
      sha256: this.#hash.copy().digest('hex'),
    };
    await this.parts.disk.replaceText(this.task.partNotePath, JSON.stringify(note));
    this.part = note;
  }

  async #finish(): Promise<DownloadResult> {
    const { disk } = this.parts;
    const validators = this.#validators;
    if (this.#bytes === 0) throw this.#notTheFile('not-media', 'the file is empty');
    await this.#file?.sync();
    await this.close();
    const sha256 = this.#hash.digest('hex');
    const file = await disk.openToRead(this.task.partPath);
    const found = await checkStructure(this.parts.reading, file, this.task.form).finally(() => file.close());
    if ('code' in found) {
      if (found.code === 'not-media') throw this.#notTheFile('not-media', found.detail);
      throw new Stop({ kind: 'refused', ...found, content: sha256, validators });
    }
    this.whole = true;
    return { kind: 'downloaded', type: found.type, bytes: this.#bytes, sha256, validators };
  }

  isFurther(): boolean {
    const cameBytes = (this.part?.safeBytes ?? 0) - (this.#continuedAt ?? Number.POSITIVE_INFINITY);
    return cameBytes >= SLOWEST_BYTES;
  }

  /** Ends the transfer early. @param keep whether to write a checkpoint, to continue from later */
  async leave(keep: boolean): Promise<void> {
    try {
      if (keep && this.#file) await this.#checkpoint();
      else if (!keep) this.part = null;
    } catch {
      this.part = null;
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }
}

type Watch = ReturnType<typeof watchTransfer>;

/**
 * Aborts a transfer that receives too few bytes in a window. `begin` begins one: before a request, and with its answer,
 * whose bytes cannot come earlier.
 */
function watchTransfer({ schedule, windowMs }: DownloadParts, caller: AbortSignal) {
  const late = new AbortController();
  let came = 0;
  let cancel = () => {};
  function begin(): void {
    cancel();
    came = 0;
    cancel = schedule(windowMs, look);
  }
  function look(): void {
    if (came < SLOWEST_BYTES) late.abort();
    begin();
  }
  return {
    signal: AbortSignal.any([caller, late.signal]),
    begin,
    came(bytes: number): void {
      came += bytes;
    },
    stop(): void {
      cancel();
      // Closes the connection of an answer that was not read to its end.
      late.abort();
    },
  };
}

/** Whether an answer came from another host; `actual` is empty for house files. */
function isElsewhere(actual: string, asked: string): boolean {
  return actual !== '' && URL.parse(actual)?.host !== URL.parse(asked)?.host;
}

function failed(code: MediaProblemCode, detail: string, retryAfter: number | null = null): Stop {
  return new Stop({ kind: 'failed', code, detail, retryAfterMs: retryAfter, part: null, isFurther: false });
}

function statusError({ status, headers }: Response, now: number): Stop {
  const isOverloaded = status === 429 || status >= 500;
  const waitMs = askedWaitMs(headers, now) ?? (isOverloaded ? 0 : null);
  // 511: a network that wants a log-in (RFC 6585, section 6).
  return failed(status === 511 ? 'unreachable' : 'status', `expected status 200, got ${status}`, waitMs);
}
