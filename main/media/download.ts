import { createHash, type Hash } from 'node:crypto';
import type { Clock } from '../../shared/clock';
import type { Reading } from '../reading/reading';
import { retryAfterMs } from '../service/retry-after';
import { atOnce, hashFile, type Pace } from './checksum';
import type { Disk, GrowingFile } from './disk';
import { diskCode, type MediaProblemCode, words } from './media-problem';
import { type MediaForm, sniffMediaType } from './media-type';
import type { PartNote, Validators } from './stored-media';
import { checkStructure } from './structure/check-structure';

/** Bytes between two moments at which a transfer is made safe against a crash. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
/** Enough of a file to say what it is. */
const HEAD_BYTES = 64;
/** What was sent so long after its date of change cannot have changed again at that date (RFC 9110, section 8.8.2.2), ms. */
const SURELY_LATER_MS = 1_000;
/** A server that sends less than this in `windowMs` holds a place that another file could use. */
const SLOWEST_BYTES = 16 * 1024;

export interface DownloadParts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly disk: Disk;
  readonly reading: Pick<Reading, 'read'>;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  /** Slows all downloads together, so that nothing else on the machine has to wait for them. */
  readonly pace: Pace;
  readonly maxFileBytes: number;
  /** How long a server may send next to nothing, ms. */
  readonly windowMs: number;
}

export interface DownloadOrder {
  readonly url: string;
  /** What is expected: a page comes from its own host, so that no log-in page is taken for it. */
  readonly form: MediaForm;
  readonly partPath: string;
  readonly partNotePath: string;
  /** What broke off before and can be continued. */
  readonly part: PartNote | null;
  /** What is known of the server's file: it is only fetched when it has changed. */
  readonly known: (Validators & { readonly bytes: number | null }) | null;
  /** Asks for room for a file of so many bytes in all; called again when it turns out larger. */
  readonly reserve: (bytes: number) => Promise<boolean>;
  readonly onProgress: (bytesOnDisk: number) => void;
  readonly signal: AbortSignal;
}

export type DownloadResult =
  /** The part is whole, synced, and shown to be media; `validators` are those of this very content. */
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
  /** Came whole, and cannot be shown; `content` tells it from another version. */
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
      readonly retryAfterMs: number | null;
      /** What there is to continue. */
      readonly part: PartNote | null;
      readonly disk: boolean;
    };

/** What ends a download early, thrown within this file only. */
class Stop extends Error {
  constructor(readonly result: DownloadResult) {
    super(result.kind);
  }
}

/**
 * Fetches one file into its part, or continues it there (`Range` with `If-Range`,
 * RFC 9110 section 13.1.5), hashing on the way. Two versions are never mixed: what
 * continues must be the same by its validator, its length and its position, or the
 * file is fetched from the start. Never rejects.
 */
export async function download(parts: DownloadParts, order: DownloadOrder): Promise<DownloadResult> {
  const { disk } = parts;
  const transfer = new Transfer(parts, order);
  try {
    return await transfer.run();
  } catch (fault) {
    if (order.signal.aborted) {
      await transfer.leave(true);
      return { kind: 'cancelled', part: transfer.part };
    }
    const result = fault instanceof Stop ? fault.result : null;
    if (result && result.kind !== 'failed') {
      await transfer.leave(false);
      return result;
    }
    const failed: Extract<DownloadResult, { kind: 'failed' }> = result ?? {
      kind: 'failed',
      code: diskCode(fault),
      detail: words(fault),
      retryAfterMs: null,
      part: null,
      disk: true,
    };
    // A full disk needs its space for the books more than for half a creative.
    const keep =
      !failed.disk && (failed.code === 'short' || failed.code === 'unreachable' || failed.code === 'status');
    await transfer.leave(keep);
    return { ...failed, part: transfer.part };
  } finally {
    await transfer.close().catch(() => {});
    if (transfer.part === null && !transfer.whole) {
      await disk.remove(order.partNotePath).catch(() => {});
      await disk.remove(order.partPath).catch(() => {});
    }
  }
}

class Transfer {
  /** What could be continued later, as the note on disk says it. */
  part: PartNote | null;
  whole = false;
  #file: GrowingFile | null = null;
  #hash: Hash = createHash('sha256');
  #bytes = 0;
  #reserved = 0;
  /** The first bytes, until they have said what the file is; null afterwards. */
  #head: Buffer | null = Buffer.alloc(0);
  #validators: Validators = { etag: null, lastModified: null };
  /** Whether the date of change is long enough ago to tell one version from the next. */
  #isDateStrong = false;
  #total: number | null = null;

  constructor(
    private readonly parts: DownloadParts,
    private readonly order: DownloadOrder,
  ) {
    this.part = order.part;
  }

  async run(): Promise<DownloadResult> {
    await this.#pickUp();
    if (this.part && this.#bytes === this.#total) return this.#finish();
    const watch = this.#watch();
    try {
      let response = await this.#request(watch.signal);
      if (this.part && !(await this.#continues(response))) {
        await this.#startOver();
        if (response.status !== 200) {
          await response.body?.cancel();
          response = await this.#request(watch.signal);
        }
      }
      await this.#receive(response, watch);
    } finally {
      watch.stop();
    }
    return this.#finish();
  }

  /** Reads again what is on disk of the part: a hash under way cannot be stored. */
  async #pickUp(): Promise<void> {
    const { part, partPath, signal } = this.order;
    if (!part) return;
    const { disk } = this.parts;
    const hash =
      part.safeBytes > 0
        ? await hashFile(disk, partPath, part.safeBytes, atOnce, signal).catch(() => null)
        : null;
    // Put off before it was read: it is continued another time.
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
    this.order.onProgress(this.#bytes);
    await this.#reserve(part.total ?? part.safeBytes);
  }

  async #startOver(): Promise<void> {
    await this.close();
    this.part = null;
    this.#hash = createHash('sha256');
    this.#head = Buffer.alloc(0);
    this.#bytes = 0;
    this.#total = null;
    this.#validators = { etag: null, lastModified: null };
  }

  async #request(signal: AbortSignal): Promise<Response> {
    const { url, known } = this.order;
    const headers: Record<string, string> = {};
    if (this.part) {
      headers.range = `bytes=${this.#bytes}-`;
      headers['if-range'] = this.#validators.etag ?? this.#validators.lastModified ?? '';
    } else if (known) {
      if (known.etag !== null) headers['if-none-match'] = known.etag;
      if (known.lastModified !== null) headers['if-modified-since'] = known.lastModified;
    }
    try {
      return await this.parts.fetch(url, { signal, headers, credentials: 'omit' });
    } catch (fault) {
      const late = signal.aborted && !this.order.signal.aborted;
      throw failed('unreachable', late ? `no answer within ${this.parts.windowMs} ms` : words(fault));
    }
  }

  /** Whether this answer goes on exactly where the part ends, with the same version. */
  async #continues(response: Response): Promise<boolean> {
    if (response.status !== 206) {
      // 200: another version, or no ranges here. 416: there is nothing behind our end. Others are faults.
      if (response.status === 200 || response.status === 416) return false;
      throw await statusFault(response, this.parts.clock.now());
    }
    const [, first, total] =
      /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '') ?? [];
    const same = (name: string, mine: string | null) => {
      const theirs = response.headers.get(name);
      return theirs === null || theirs === mine;
    };
    const { etag, lastModified } = this.#validators;
    const goesOn =
      Number(first) === this.#bytes &&
      (this.#total === null || total === '*' || Number(total) === this.#total) &&
      // What a part is known by has to be said of its rest too (RFC 9110, section 15.3.7); a date need not be.
      (etag === null ? same('etag', etag) : response.headers.get('etag') === etag) &&
      same('last-modified', lastModified) &&
      !response.headers.has('content-encoding');
    if (goesOn && total !== undefined && total !== '*') this.#total = Number(total);
    return goesOn;
  }

  async #receive(response: Response, watch: Watch): Promise<void> {
    const { known } = this.order;
    if (response.status === 304 && known && !this.part) throw new Stop({ kind: 'unchanged' });
    const expected = this.part ? 206 : 200;
    if (response.status !== expected || !response.body)
      throw await statusFault(response, this.parts.clock.now());
    if (this.order.form === 'page' && isElsewhere(response.url, this.order.url)) {
      await response.body.cancel();
      throw failed('not-media', 'its address leads to another host, as a log-in page does');
    }
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding.trim().toLowerCase() !== 'identity') {
      throw failed('encoded', `expected the file as it is, got it encoded (${encoding.slice(0, 60)})`);
    }
    if (!this.part) this.#readHead(response);
    const nothingToTellByBut = known?.etag === null && known.lastModified === null;
    if (nothingToTellByBut && this.#total !== null && this.#total === known.bytes) {
      await response.body.cancel();
      throw new Stop({ kind: 'unchanged' });
    }
    this.#checkLength(this.#total ?? 0);
    await this.#reserve(this.#total ?? CHECKPOINT_BYTES);
    this.#file ??= await this.parts.disk.openToAppend(this.order.partPath, 0);

    const reader = response.body.getReader();
    let safe = this.#bytes;
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((fault: unknown) => {
          const late = watch.signal.aborted && !this.order.signal.aborted;
          const why = late ? `next to nothing came for ${this.parts.windowMs} ms` : words(fault);
          throw failed('short', `the connection ended after ${this.#bytes} bytes: ${why}`);
        });
        if (done) break;
        await this.#take(value);
        watch.came(value.byteLength);
        if (this.#bytes - safe >= CHECKPOINT_BYTES) {
          await this.#checkpoint();
          safe = this.#bytes;
        }
        await this.parts.pace(value.byteLength);
      }
    } catch (fault) {
      await reader.cancel().catch(() => {});
      throw fault;
    }
    if (this.#total !== null && this.#bytes !== this.#total) {
      throw failed('short', `expected ${this.#total} bytes, got ${this.#bytes}`);
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
    if (this.#head !== null) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES)]);
      // A page of a captive portal is not worth its bytes.
      if (this.#head.length >= HEAD_BYTES) {
        if (this.order.form === 'media' && sniffMediaType(this.#head) === null) throw this.#notMedia();
        this.#head = null;
      }
    }
    this.#checkLength(this.#bytes + chunk.byteLength);
    if (this.#bytes + chunk.byteLength > this.#reserved) await this.#reserve(this.#bytes + CHECKPOINT_BYTES);
    this.#hash.update(chunk);
    await this.#file?.write(chunk);
    this.#bytes += chunk.byteLength;
    this.order.onProgress(this.#bytes);
  }

  #notMedia(): Stop {
    if (this.order.form === 'page') return failed('not-media', 'no page came');
    return failed('not-media', 'neither an image nor a video this kiosk shows');
  }

  async #reserve(bytes: number): Promise<void> {
    if (bytes <= this.#reserved) return;
    if (!(await this.order.reserve(bytes))) throw new Stop({ kind: 'no-room', bytes });
    this.#reserved = bytes;
  }

  /** Only a strong validator can prove later that the rest belongs to the same file. */
  #canContinue(): boolean {
    const { etag, lastModified } = this.#validators;
    return etag !== null ? !etag.startsWith('W/') : lastModified !== null && this.#isDateStrong;
  }

  async #checkpoint(): Promise<void> {
    if (!this.#file || !this.#canContinue() || this.#bytes === 0) return;
    await this.#file.sync();
    const note: PartNote = {
      url: this.order.url,
      ...this.#validators,
      total: this.#total,
      safeBytes: this.#bytes,
      sha256: this.#hash.copy().digest('hex'),
    };
    await this.parts.disk.replaceText(this.order.partNotePath, JSON.stringify(note));
    this.part = note;
  }

  async #finish(): Promise<DownloadResult> {
    const { disk } = this.parts;
    const validators = this.#validators;
    if (this.#bytes === 0) throw this.#notMedia();
    await this.#file?.sync();
    await this.close();
    const sha256 = this.#hash.digest('hex');
    const file = await disk.openToRead(this.order.partPath);
    const found = await checkStructure(this.parts.reading, file, this.order.form).finally(() => file.close());
    if ('code' in found) {
      if (found.code === 'not-media') throw failed('not-media', found.detail);
      throw new Stop({ kind: 'refused', ...found, content: sha256, validators });
    }
    this.whole = true;
    return { kind: 'downloaded', type: found.type, bytes: this.#bytes, sha256, validators };
  }

  /** Ends early: with a note to continue by, or with nothing left behind. */
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

  /** Gives up a server that sends next to nothing, window by window. */
  #watch(): Watch {
    const late = new AbortController();
    let came = 0;
    let cancel = () => {};
    const look = () => {
      if (came < SLOWEST_BYTES) late.abort();
      came = 0;
      cancel = this.parts.schedule(this.parts.windowMs, look);
    };
    cancel = this.parts.schedule(this.parts.windowMs, look);
    return {
      signal: AbortSignal.any([this.order.signal, late.signal]),
      came: (bytes) => {
        came += bytes;
      },
      stop: () => {
        cancel();
        // An answer that was not wanted to its end is given up with its connection.
        late.abort();
      },
    };
  }
}

/** A redirect away from the host that was asked; `actual` is empty where nobody says where an answer came from. */
function isElsewhere(actual: string, asked: string): boolean {
  return actual !== '' && URL.parse(actual)?.host !== URL.parse(asked)?.host;
}

interface Watch {
  readonly signal: AbortSignal;
  came(bytes: number): void;
  stop(): void;
}

function failed(code: MediaProblemCode, detail: string, retryAfter: number | null = null): Stop {
  return new Stop({ kind: 'failed', code, detail, retryAfterMs: retryAfter, part: null, disk: false });
}

async function statusFault(response: Response, now: number): Promise<Stop> {
  await response.body?.cancel().catch(() => {});
  return failed(
    'status',
    `expected status 200, got ${response.status}`,
    retryAfterMs(response.headers.get('retry-after'), now),
  );
}
