import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportFormat, ExportState, ExportTarget } from '../../shared/admin';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { PlayCursor } from '../../shared/proof-of-play';
import { syncFolder } from '../disk/whole-file';
import { type Records, RecordsFault } from '../records/records-client';
import type { Schedule } from '../service/schedule';
import { exportHead, exportLines } from './export-rows';
import { signStatement } from './export-signature';
import type { SigningKey } from './signing-key';

/** Where an export can go. */
export type ExportPlace = ExportTarget & { readonly folder: string };

/** The part of a file that an export writes through; injected, so that tests can pull the drive out. */
export interface ExportFile {
  write(content: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface ExportDisk {
  /** Opens a file for writing from `position` on; what lies behind it is cut off. */
  open(path: string, position: number): Promise<ExportFile>;
  /** SHA-256 over the first `bytes` of a file; null when it is shorter or not there. */
  hash(path: string, bytes: number): Promise<Hash | null>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  makeFolder(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
}

export interface PlayExportParts {
  readonly records: Pick<Records, 'run'>;
  readonly places: () => Promise<readonly ExportPlace[]>;
  readonly disk: ExportDisk;
  readonly key: SigningKey;
  readonly clock: Clock;
  readonly schedule: Schedule;
  /** Lets other work run; resolves when it is this one's turn again. */
  readonly pause: () => Promise<void>;
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
  /** Stops at the next page and leaves what is written; for an orderly end. */
  stop(): Promise<void>;
}

const PLAYS_AT_ONCE = 1_000;
/** What is surely on the drive is moved on after so many bytes. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;
const TELL_EVERY_MS = 250;
/** How often the books are asked again before the export breaks off, and how long after, ms. */
const BOOKS_TRIES = 5;
const BOOKS_PAUSE_MS = 1_000;

/** What is surely on the drive. */
interface Checkpoint {
  readonly bytes: number;
  readonly rows: number;
  readonly after: PlayCursor | null;
  readonly hash: Hash;
}

interface Job {
  readonly place: ExportPlace;
  readonly format: ExportFormat;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly createdAt: number;
  checkpoint: Checkpoint | null;
  /** Time of the first play written. */
  firstAt: number | null;
}

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

export function createPlayExport(parts: PlayExportParts): PlayExport {
  const { records, disk, clock, log } = parts;
  let state: ExportState = { state: 'none' };
  let job: Job | null = null;
  let running: Promise<void> | null = null;
  let ending: 'cancel' | 'stop' | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;

  function become(next: ExportState): void {
    state = next;
    parts.onChange(next);
  }

  const partOf = ({ place, name }: Job) => join(place.folder, `${name}.part`);
  const shown = ({ place }: Job): ExportTarget => ({
    id: place.id,
    kind: place.kind,
    label: place.label,
    freeBytes: place.freeBytes,
  });

  function progress(current: Job, rows: number, at: number | null): void {
    const start = Math.max(current.from, current.firstAt ?? current.from);
    const done = at === null ? 0 : Math.min(1, Math.max(0, (at - start) / Math.max(1, current.to - start)));
    const now = clock.monotonic();
    const next: ExportState = { state: 'running', file: current.name, target: shown(current), rows, done };
    if (now - toldAt < TELL_EVERY_MS) {
      state = next;
      return;
    }
    toldAt = now;
    become(next);
  }

  async function nextPage(current: Job, after: PlayCursor | null) {
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
  async function openPart(current: Job): Promise<{ file: ExportFile; at: Checkpoint }> {
    const path = partOf(current);
    // A drive's folder is its mount point: making it would fill the kiosk's own disk once the drive is gone.
    if (current.place.kind === 'folder') await disk.makeFolder(current.place.folder);
    const kept = current.checkpoint;
    if (kept) {
      const found = await disk.hash(path, kept.bytes);
      if (found?.copy().digest('hex') === kept.hash.copy().digest('hex')) {
        return { file: await disk.open(path, kept.bytes), at: kept };
      }
      log.warn('what was exported so far is not on the drive any more; the export starts over');
    }
    const file = await disk.open(path, 0);
    const head = Buffer.from(exportHead(current.format));
    if (head.byteLength > 0) await file.write(head);
    const hash = createHash('sha256').update(head);
    return { file, at: { bytes: head.byteLength, rows: 0, after: null, hash } };
  }

  async function write(current: Job): Promise<void> {
    const { file, at } = await openPart(current);
    let { bytes, rows, after } = at;
    const hash = at.hash.copy();
    let isOpen = true;
    try {
      progress(current, rows, after?.at ?? null);
      for (;;) {
        if (ending !== null) return;
        const page = await nextPage(current, after);
        const first = page.plays[0];
        current.firstAt ??= first?.play.at ?? null;
        const content = Buffer.from(exportLines(current.format, page.plays));
        if (content.byteLength > 0) await file.write(content);
        hash.update(content);
        bytes += content.byteLength;
        rows += page.plays.length;
        after = page.next;
        if (after === null) break;
        progress(current, rows, after.at);
        if (bytes - (current.checkpoint?.bytes ?? 0) >= CHECKPOINT_BYTES) {
          await file.sync();
          current.checkpoint = { bytes, rows, after, hash: hash.copy() };
        }
        await parts.pause();
      }
      await file.sync();
      isOpen = false;
      await file.close();
    } finally {
      if (isOpen) await file.close().catch(() => undefined);
    }
    await finish(current, { bytes, rows, sha256: hash.digest('hex') });
  }

  /** The signature first: a content under its final name is always signed. */
  async function finish(current: Job, whole: { bytes: number; rows: number; sha256: string }) {
    const { place, name, format } = current;
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
    await disk.rename(partOf(current), content);
    await disk.syncFolder(place.folder);
    job = null;
    log.info('plays were exported', { file: name, rows: whole.rows, bytes: whole.bytes });
    become({ state: 'finished', file: name, target: shown(current), ...whole, at: clock.now() });
  }

  async function run(current: Job): Promise<void> {
    try {
      await write(current);
    } catch (fault) {
      const { code, message } = fault instanceof Broken ? fault : diskFault(fault, current.place);
      log.warn('an export was interrupted', { file: current.name, code, fault });
      if (ending === null) {
        const rows = current.checkpoint?.rows ?? 0;
        const done = state.state === 'running' ? state.done : 0;
        become({
          state: 'interrupted',
          file: current.name,
          target: shown(current),
          rows,
          done,
          code,
          message,
        });
      }
    }
    if (ending === 'cancel') {
      await disk.remove(partOf(current)).catch(() => undefined);
      job = null;
      become({ state: 'cancelled', file: current.name });
    }
  }

  function begin(current: Job): ExportState {
    job = current;
    ending = null;
    toldAt = Number.NEGATIVE_INFINITY;
    progress(current, current.checkpoint?.rows ?? 0, current.checkpoint?.after?.at ?? null);
    running = run(current).finally(() => {
      running = null;
    });
    return state;
  }

  const placeOf = async (target: string) =>
    (await parts.places()).find((place) => place.id === target) ?? null;

  return {
    state: () => state,
    async start({ target, format, from, to }) {
      if (running) return { kind: 'refused', code: 'busy' };
      const place = await placeOf(target);
      if (running) return { kind: 'refused', code: 'busy' };
      if (!place) return { kind: 'refused', code: 'no-target' };
      if (job) void disk.remove(partOf(job)).catch(() => undefined);
      const createdAt = clock.now();
      // Plays of the future are none: what comes while it is written is left to the next export.
      const end = Math.max(from + 1, Math.min(to, createdAt));
      const name = exportName({ player: parts.player, from, to: end, createdAt, format });
      return begin({ place, format, name, from, to: end, createdAt, checkpoint: null, firstAt: null });
    },
    async resume() {
      if (running) return { kind: 'refused', code: 'busy' };
      const interrupted = job;
      if (!interrupted || state.state !== 'interrupted')
        return { kind: 'refused', code: 'nothing-to-resume' };
      const place = await placeOf(interrupted.place.id);
      if (running) return { kind: 'refused', code: 'busy' };
      return place ? begin({ ...interrupted, place }) : { kind: 'refused', code: 'no-target' };
    },
    async cancel() {
      ending = 'cancel';
      if (running) await running;
      else if (job) {
        await disk.remove(partOf(job)).catch(() => undefined);
        const { name } = job;
        job = null;
        become({ state: 'cancelled', file: name });
      }
      return state;
    },
    async stop() {
      ending = 'stop';
      await running;
    },
  };
}

const EARLIEST = Date.UTC(1, 0, 1);
const LATEST = Date.UTC(9999, 11, 31);

function instant(at: number): string {
  return new Date(Math.min(LATEST, Math.max(EARLIEST, at))).toISOString();
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

/** Real files. A name that is a link is not followed: nothing on a drive leads the kiosk elsewhere. */
export const exportDisk: ExportDisk = {
  async open(path, position) {
    const fresh = position === 0;
    if (fresh) await rm(path, { force: true });
    const flags = fresh
      ? constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL
      : constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0);
    const handle = await open(path, flags, 0o600);
    let at = position;
    try {
      await handle.truncate(position);
    } catch (fault) {
      await handle.close().catch(() => undefined);
      throw fault;
    }
    return {
      async write(content) {
        let written = 0;
        while (written < content.byteLength) {
          const { bytesWritten } = await handle.write(content, written, content.byteLength - written, at);
          written += bytesWritten;
          at += bytesWritten;
        }
      },
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  async hash(path, bytes) {
    const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch(() => null);
    if (!handle) return null;
    try {
      return await hashOf(handle, bytes);
    } finally {
      await handle.close().catch(() => undefined);
    }
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  syncFolder,
};

async function hashOf(handle: FileHandle, bytes: number): Promise<Hash | null> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(1024 * 1024);
  let at = 0;
  while (at < bytes) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.byteLength, bytes - at), at);
    if (bytesRead === 0) return null;
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return hash;
}
