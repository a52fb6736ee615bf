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
import type { SigningKey } from './signing-key';

/** Where an export can go. */
export type ExportPlace = ExportTarget & { readonly folder: string };

export interface PlayExportParts {
  readonly records: Pick<Records, 'run'>;
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

export type ExportRefusal = { readonly kind: 'refused'; readonly code: 'busy' | 'no-target' };

interface ExportOrder {
  /** Id of an `ExportPlace`. */
  readonly target: string;
  readonly format: ExportFormat;
  /** `from` ≤ time < `to`, ms since 1970. */
  readonly from: number;
  readonly to: number;
}

/** What is being written. */
interface ExportJob extends ExportOrder {
  /** Of the file; no path. */
  readonly name: string;
  readonly createdAt: number;
}

interface WrittenExport {
  readonly bytes: number;
  readonly rows: number;
  /** In hex. */
  readonly sha256: string;
}

/** Writes proof of play to a drive or a folder, one export at a time; it goes on whatever the overlay does. */
export interface PlayExport {
  state(): ExportState;
  /** Plays of all environments (rule 26). What an export that was broken off left in the target is removed. */
  start(order: ExportOrder): Promise<ExportState | ExportRefusal>;
  /** Ends the export that runs and removes what it has written; resolves when that is done. */
  cancel(): Promise<ExportState>;
}

/** Some 20 ms of the records window, and as many here. */
const PLAYS_AT_ONCE = 250;
/** So much is written before it has to be on the drive: progress and errors are told in time. */
const SYNC_EVERY_BYTES = 4 * 1024 * 1024;
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

/** At once it removes what earlier runs left half written, wherever an export can go. */
export function openPlayExport(parts: PlayExportParts): PlayExport {
  const { records, disk, clock, log } = parts;
  let state: ExportState = { state: 'none' };
  let running: Promise<void> | null = null;
  /** The file that is being written. */
  let writing: string | null = null;
  let isCancelled = false;
  let toldAt = Number.NEGATIVE_INFINITY;

  function become(next: ExportState): void {
    state = next;
    parts.onChange(next);
  }

  function tellProgress(next: Extract<ExportState, { state: 'running' }>): void {
    const now = clock.monotonic();
    if (now - toldAt < TELL_EVERY_MS) {
      state = next;
      return;
    }
    toldAt = now;
    become(next);
  }

  /** Never rejects: a drive that does not let itself be cleared says so when it is written to. */
  async function removeHalf(folder: string): Promise<void> {
    const names = await disk.list(folder).catch(() => []);
    for (const name of halfExports(names)) {
      if (writing === null || !name.startsWith(writing))
        await disk.remove(join(folder, name)).catch(() => undefined);
    }
  }

  async function nextPage({ from, to }: ExportJob, after: PlayCursor | null) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await records.run('provePlays', {
          environment: null,
          from,
          to,
          flightId: null,
          after,
          order: 'oldest-first',
          limit: PLAYS_AT_ONCE,
        });
      } catch (fault) {
        if (!(fault instanceof RecordsFault) || attempt >= BOOKS_TRIES) {
          throw new Broken('books', 'The books do not answer. Export again in a moment.');
        }
        await new Promise<void>((resolve) => parts.schedule(BOOKS_PAUSE_MS, resolve));
      }
    }
  }

  /** Null: it was cancelled. */
  async function write(place: ExportPlace, job: ExportJob): Promise<WrittenExport | null> {
    const { name: file, format, from, to } = job;
    // A drive's folder is its mount point: making it would fill the kiosk's own disk once the drive is gone.
    if (place.kind === 'folder') await disk.makeFolder(place.folder);
    await removeHalf(place.folder);
    const part = await disk.create(join(place.folder, `${file}.part`));
    const hash = createHash('sha256');
    let bytes = 0;
    let rows = 0;
    let unsynced = 0;
    const append = async (text: string) => {
      const content = Buffer.from(text);
      if (content.byteLength > 0) await part.write(content);
      hash.update(content);
      bytes += content.byteLength;
      unsynced += content.byteLength;
      if (unsynced < SYNC_EVERY_BYTES) return;
      await part.sync();
      unsynced = 0;
    };
    try {
      await append(exportHead(format));
      let firstAt: number | null = null;
      let after: PlayCursor | null = null;
      do {
        const startedAt = clock.monotonic();
        const page = await nextPage(job, after);
        await append(exportLines(format, page.plays));
        rows += page.plays.length;
        firstAt ??= page.plays[0]?.play.at ?? from;
        after = page.next;
        if (after !== null) {
          const done = Math.min(1, Math.max(0, (after.at - firstAt) / Math.max(1, to - firstAt)));
          tellProgress({ state: 'running', file, target: targetOf(place), rows, done });
          await parts.rest(clock.monotonic() - startedAt);
        }
      } while (after !== null && !isCancelled);
      await part.sync();
    } catch (fault) {
      await part.close().catch(() => undefined);
      throw fault;
    }
    await part.close();
    return isCancelled ? null : { bytes, rows, sha256: hash.digest('hex') };
  }

  /** The signature first: a content under its final name is always signed. */
  async function finish(place: ExportPlace, job: ExportJob, written: WrittenExport): Promise<ExportState> {
    const { name, format, from, to, createdAt } = job;
    const content = join(place.folder, name);
    const signature = signStatement(
      {
        player: parts.player,
        from: instant(from),
        to: instant(to),
        content: format,
        ...written,
        createdAt: instant(createdAt),
        endcap: parts.version,
      },
      parts.key,
    );
    const file = await disk.create(`${content}.sig.part`);
    try {
      await file.write(Buffer.from(signature));
      await file.sync();
    } finally {
      await file.close();
    }
    await disk.rename(`${content}.sig.part`, `${content}.sig`);
    await disk.rename(`${content}.part`, content);
    await disk.syncFolder(place.folder);
    log.info('plays were exported', { file: name, rows: written.rows, bytes: written.bytes });
    return { state: 'finished', file: name, target: targetOf(place), ...written, at: clock.now() };
  }

  async function run(place: ExportPlace, job: ExportJob): Promise<void> {
    let last: ExportState = { state: 'cancelled', file: job.name };
    try {
      const written = await write(place, job);
      if (written) last = await finish(place, job, written);
    } catch (fault) {
      const { code, message } = fault instanceof Broken ? fault : diskFault(fault, place);
      log.warn('an export was broken off', { file: job.name, code, fault });
      if (!isCancelled && state.state === 'running') last = { ...state, state: 'interrupted', code, message };
    }
    writing = null;
    if (last.state !== 'finished') await removeHalf(place.folder);
    become(last);
  }

  void parts
    .places()
    .then((places) => Promise.all(places.map(({ folder }) => removeHalf(folder))))
    .catch((fault: unknown) => log.warn('half exports could not be looked for', { fault }));

  return {
    state: () => state,
    async start(order) {
      if (running) return { kind: 'refused', code: 'busy' };
      const place = (await parts.places()).find(({ id }) => id === order.target);
      if (running) return { kind: 'refused', code: 'busy' };
      if (!place) return { kind: 'refused', code: 'no-target' };
      const createdAt = clock.now();
      // Plays of the future are none: what comes while it is written is left to the next export.
      const to = Math.max(order.from + 1, Math.min(order.to, createdAt));
      const name = exportName({ ...order, to, player: parts.player, createdAt });
      writing = name;
      isCancelled = false;
      toldAt = Number.NEGATIVE_INFINITY;
      tellProgress({ state: 'running', file: name, target: targetOf(place), rows: 0, done: 0 });
      running = run(place, { ...order, to, name, createdAt }).finally(() => {
        running = null;
      });
      return state;
    },
    async cancel() {
      isCancelled = true;
      await running;
      return state;
    },
  };
}

const targetOf = ({ id, kind, label, freeBytes }: ExportPlace): ExportTarget => ({
  id,
  kind,
  label,
  freeBytes,
});

/**
 * Of the names in a folder, those that an export left which was broken off: its parts, and a signature whose content
 * did not get its name any more.
 */
export function halfExports(names: readonly string[]): string[] {
  const all = new Set(names);
  return names.filter((name) => {
    const content = /^(endcap-plays_[\w.-]+\.(?:csv|ndjson))(?:\.sig)?(?:\.part)?$/.exec(name)?.[1];
    if (content === undefined || name === content) return false;
    return name.endsWith('.part') || (all.has(`${content}.part`) && !all.has(content));
  });
}

/** `endcap-plays_PLAYER_20261101_20261201_20261201T093000Z.csv`: letters that every drive takes. */
function exportName({
  player,
  from,
  to,
  createdAt,
  format,
}: Pick<ExportJob, 'from' | 'to' | 'createdAt' | 'format'> & { readonly player: string | null }): string {
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
      return { code: 'no-space', message: `${where} is full. Make room on it and export again.` };
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return { code: 'not-writable', message: `${where} cannot be written to (${code}).` };
    default:
      return place.kind === 'usb'
        ? { code: 'target-gone', message: `${where} is gone (${code}). Plug it in again and export again.` }
        : { code: 'not-writable', message: `${where} cannot be written to (${code}).` };
  }
}
