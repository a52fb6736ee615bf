import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ExportFormat, ExportState, ExportTarget } from '../../shared/admin';
import type { Clock } from '../../shared/clock';
import { instant } from '../../shared/instant';
import type { Log } from '../../shared/log';
import type { PlayCursor } from '../../shared/proof-of-play';
import { type Records, RecordsFault } from '../records/records-client';
import type { Schedule } from '../service/schedule';
import type { ExportDisk } from './export-disk';
import { exportHead, exportLines } from './export-rows';
import { signStatement } from './export-signature';
import type { ExportJob, KeptExport } from './kept-export';
import type { SigningKey } from './signing-key';

/** Where an export can go. */
export type ExportPlace = ExportTarget & { readonly folder: string };

export interface PlayExportParts {
  readonly records: Pick<Records, 'run'>;
  /** What is under way, kept across restarts. */
  readonly kept: KeptExport;
  readonly places: () => Promise<readonly ExportPlace[]>;
  readonly disk: ExportDisk;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Lets other work run after so many ms of this; resolves when it is this one's turn again. */
  readonly rest: (workedMs: number) => Promise<void>;
  readonly log: Log;
  readonly player: string | null;
  readonly version: string;
  readonly onChange: (state: ExportState) => void;
}

export type ExportRefusal = {
  readonly kind: 'refused';
  readonly code: 'busy' | 'no-target' | 'nothing-to-resume';
};

/** Writes proof of play to a drive or a folder, one export at a time; it goes on whatever the overlay does. */
export interface PlayExport {
  state(): ExportState;
  /** `from` ≤ time < `to`, of all environments (rule 26). */
  start(order: {
    readonly target: string;
    readonly format: ExportFormat;
    readonly from: number;
    readonly to: number;
  }): Promise<ExportState | ExportRefusal>;
  /** Goes on where the drive was pulled out, if what it holds is what was written. */
  resume(): Promise<ExportState | ExportRefusal>;
  cancel(): Promise<ExportState>;
  /** Stops at the next page and leaves what is written to the next start; for an orderly end. */
  stop(): Promise<void>;
}

/** Some 20 ms of the records window, and as many here. */
const PLAYS_AT_ONCE = 250;
/** What is surely on the drive is moved on after so many bytes. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
const TELL_EVERY_MS = 250;
/** How often the books are asked again before the export breaks off, and how long after, ms. */
const BOOKS_TRIES = 5;
const BOOKS_PAUSE_MS = 1_000;

type Interruption = Extract<ExportState, { state: 'interrupted' }>['code'];

/** Ends the writing, with the reason why. */
class Broken extends Error {
  constructor(
    readonly code: Interruption,
    message: string,
  ) {
    super(message);
  }
}

/** What a restart or a power cut broke off goes on by itself where its drive is there. */
export async function openPlayExport(parts: PlayExportParts): Promise<PlayExport> {
  const { records, disk, clock, log, kept } = parts;
  let state: ExportState = { state: 'none' };
  let job: ExportJob | null = await kept.read();
  let running: Promise<void> | null = null;
  let ending: 'cancel' | 'stop' | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;

  function become(next: ExportState): void {
    state = next;
    parts.onChange(next);
  }

  const partOf = (place: ExportPlace, { name }: ExportJob) => join(place.folder, `${name}.part`);

  function done({ from, to, firstAt }: ExportJob, at: number | null): number {
    const start = Math.max(from, firstAt ?? from);
    return at === null ? 0 : Math.min(1, Math.max(0, (at - start) / Math.max(1, to - start)));
  }

  function progress(current: ExportJob, rows: number, at: number | null): void {
    const now = clock.monotonic();
    const { name: file, target } = current;
    const next: ExportState = { state: 'running', file, target, rows, done: done(current, at) };
    if (now - toldAt < TELL_EVERY_MS) {
      state = next;
      return;
    }
    toldAt = now;
    become(next);
  }

  function interrupted(current: ExportJob, code: Interruption, message: string): ExportState {
    const { name: file, target, checkpoint } = current;
    const rows = checkpoint?.rows ?? 0;
    return {
      state: 'interrupted',
      file,
      target,
      rows,
      done: done(current, checkpoint?.after?.at ?? null),
      code,
      message,
    };
  }

  /** Remembers how much is surely on the drive, here and over a restart. */
  async function remember(next: ExportJob): Promise<ExportJob> {
    job = next;
    await kept.keep(next);
    return next;
  }

  async function forget(): Promise<void> {
    job = null;
    await kept.keep(null);
  }

  async function nextPage(current: ExportJob, after: PlayCursor | null) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await records.run('provePlays', {
          environment: null,
          from: current.from,
          to: current.to,
          flightId: null,
          after,
          order: 'oldest-first',
          limit: PLAYS_AT_ONCE,
        });
      } catch (fault) {
        if (!(fault instanceof RecordsFault) || attempt >= BOOKS_TRIES) {
          throw new Broken('books', 'The books do not answer. Try again in a moment.');
        }
        await new Promise<void>((resolve) => parts.schedule(BOOKS_PAUSE_MS, resolve));
      }
    }
  }

  /** The file, from the checkpoint on where the drive holds what was written, else from the beginning. */
  async function openPart(place: ExportPlace, current: ExportJob) {
    const path = partOf(place, current);
    // A drive's folder is its mount point: making it would fill the kiosk's own disk once the drive is gone.
    if (place.kind === 'folder') await disk.makeFolder(place.folder);
    const { checkpoint } = current;
    if (checkpoint) {
      const hash = await disk.hash(path, checkpoint.bytes);
      if (hash?.copy().digest('hex') === checkpoint.sha256) {
        return { ...checkpoint, hash, file: await disk.open(path, checkpoint.bytes) };
      }
      log.warn('what was exported so far is not on the drive any more; the export starts over');
    }
    const file = await disk.open(path, 0);
    const head = Buffer.from(exportHead(current.format));
    if (head.byteLength > 0) await file.write(head);
    const hash = createHash('sha256').update(head);
    return { bytes: head.byteLength, rows: 0, after: null, hash, file };
  }

  async function write(place: ExportPlace, ordered: ExportJob): Promise<void> {
    let current = await remember(ordered);
    const part = await openPart(place, current);
    const { file, hash } = part;
    let { bytes, rows, after } = part;
    let isOpen = true;
    const checkpoint = async () => {
      await file.sync();
      const sha256 = hash.copy().digest('hex');
      current = await remember({ ...current, checkpoint: { bytes, rows, after, sha256 } });
    };
    try {
      progress(current, rows, after?.at ?? null);
      for (;;) {
        if (ending === 'stop') await checkpoint();
        if (ending !== null) return;
        const from = clock.monotonic();
        const page = await nextPage(current, after);
        const firstAt = current.firstAt ?? page.plays[0]?.play.at ?? null;
        current = { ...current, firstAt };
        const content = Buffer.from(exportLines(current.format, page.plays));
        if (content.byteLength > 0) await file.write(content);
        hash.update(content);
        bytes += content.byteLength;
        rows += page.plays.length;
        after = page.next;
        if (after === null) break;
        progress(current, rows, after.at);
        if (bytes - (current.checkpoint?.bytes ?? 0) >= CHECKPOINT_BYTES) await checkpoint();
        await parts.rest(clock.monotonic() - from);
      }
      await file.sync();
      isOpen = false;
      await file.close();
    } finally {
      if (isOpen) await file.close().catch(() => undefined);
    }
    await finish(place, current, { bytes, rows, sha256: hash.digest('hex') });
  }

  /** The signature first: a content under its final name is always signed. */
  async function finish(
    place: ExportPlace,
    current: ExportJob,
    whole: { bytes: number; rows: number; sha256: string },
  ) {
    const { name, format, target } = current;
    const content = join(place.folder, name);
    const signature = signStatement(
      {
        player: parts.player,
        from: instant(current.from),
        to: instant(current.to),
        content: format,
        ...whole,
        createdAt: instant(current.createdAt),
        endcap: parts.version,
      },
      parts.key,
    );
    const file = await disk.open(`${content}.sig.part`, 0);
    try {
      await file.write(Buffer.from(signature));
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(`${content}.sig.part`, `${content}.sig`);
    await disk.rename(partOf(place, current), content);
    await disk.syncFolder(place.folder);
    await forget();
    log.info('plays were exported', { file: name, rows: whole.rows, bytes: whole.bytes });
    become({ state: 'finished', file: name, target, ...whole, at: clock.now() });
  }

  async function run(place: ExportPlace, ordered: ExportJob): Promise<void> {
    try {
      await write(place, ordered);
    } catch (fault) {
      const { code, message } = fault instanceof Broken ? fault : diskFault(fault, place);
      log.warn('an export was interrupted', { file: ordered.name, code, fault });
      if (ending === null) become(interrupted(job ?? ordered, code, message));
    }
    if (ending === 'cancel') await discard(place, ordered);
  }

  async function discard(place: ExportPlace | null, current: ExportJob): Promise<void> {
    if (place) await disk.remove(partOf(place, current)).catch(() => undefined);
    await forget();
    become({ state: 'cancelled', file: current.name });
  }

  function begin(place: ExportPlace, current: ExportJob): ExportState {
    const { id, kind, label, freeBytes } = place;
    const aimed = { ...current, target: { id, kind, label, freeBytes } };
    job = aimed;
    ending = null;
    toldAt = Number.NEGATIVE_INFINITY;
    progress(aimed, aimed.checkpoint?.rows ?? 0, aimed.checkpoint?.after?.at ?? null);
    running = run(place, aimed).finally(() => {
      running = null;
    });
    return state;
  }

  const placeOf = async (target: string) =>
    (await parts.places()).find((place) => place.id === target) ?? null;

  async function resume(): Promise<ExportState | ExportRefusal> {
    if (running) return { kind: 'refused', code: 'busy' };
    const left = job;
    if (!left || state.state !== 'interrupted') return { kind: 'refused', code: 'nothing-to-resume' };
    const place = await placeOf(left.target.id);
    if (running) return { kind: 'refused', code: 'busy' };
    if (job !== left) return { kind: 'refused', code: 'nothing-to-resume' };
    return place ? begin(place, left) : { kind: 'refused', code: 'no-target' };
  }

  if (job) {
    state = interrupted(job, 'target-gone', `The kiosk restarted and ${job.target.label} is not there.`);
    void resume().catch((fault: unknown) => log.warn('an export could not go on', { fault }));
  }

  return {
    state: () => state,
    async start({ target, format, from, to }) {
      if (running) return { kind: 'refused', code: 'busy' };
      const old = job;
      const [place, oldPlace] = await Promise.all([placeOf(target), old && placeOf(old.target.id)]);
      if (running) return { kind: 'refused', code: 'busy' };
      if (!place) return { kind: 'refused', code: 'no-target' };
      if (old && oldPlace) void disk.remove(partOf(oldPlace, old)).catch(() => undefined);
      const createdAt = clock.now();
      // Plays of the future are none: what comes while it is written is left to the next export.
      const end = Math.max(from + 1, Math.min(to, createdAt));
      const name = exportName({ player: parts.player, from, to: end, createdAt, format });
      return begin(place, {
        version: 1,
        target: place,
        format,
        name,
        from,
        to: end,
        createdAt,
        firstAt: null,
        checkpoint: null,
      });
    },
    resume,
    async cancel() {
      ending = 'cancel';
      if (running) await running;
      else if (job) await discard(await placeOf(job.target.id), job);
      return state;
    },
    async stop() {
      ending = 'stop';
      await running;
    },
  };
}

/** `endcap-plays_PLAYER_20261101_20261201_20261201T093000Z.csv`: letters that every drive takes. */
function exportName({
  player,
  from,
  to,
  createdAt,
  format,
}: {
  player: string | null;
  from: number;
  to: number;
  createdAt: number;
  format: ExportFormat;
}): string {
  const compact = (at: number) => instant(at).replace(/[-:]|\.\d+/g, '');
  const day = (at: number) => compact(at).slice(0, 8);
  const name = (player ?? 'kiosk').replace(/[^A-Za-z0-9.-]+/g, '-').slice(0, 40) || 'kiosk';
  return `endcap-plays_${name}_${day(from)}_${day(to)}_${compact(createdAt)}.${format}`;
}

function diskFault(fault: unknown, place: ExportPlace): { code: Interruption; message: string } {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown';
  const where = place.kind === 'usb' ? `The drive ${place.label}` : `The folder ${place.label}`;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return { code: 'no-space', message: `${where} is full. Make room on it and go on.` };
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return { code: 'not-writable', message: `${where} cannot be written to (${code}).` };
    default:
      return place.kind === 'usb'
        ? { code: 'target-gone', message: `${where} is gone (${code}). Plug it in again and go on.` }
        : { code: 'not-writable', message: `${where} cannot be written to (${code}).` };
  }
}
