import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExportFormat, ExportState, ExportTarget } from '../../shared/admin';
import { type Clock, instant } from '../../shared/clock';
import { errorCode, messageOf } from '../describe-error';
import { type DiskRoom, freeBytesOf, fullBelow } from '../disk-room';
import type { SigningKey } from '../fleet/signing-key';
import { exportHead, exportLines, type PageOfPlays, playsAfter } from '../records/exported-plays';
import type { Records } from '../records/records-client';
import { syncFolder, writeWholeFile } from '../whole-file';
import { signStatement } from './export-signature';

export type ExportPlace = ExportTarget & { readonly folder: string };

export interface ExportOrder {
  /** Id of an `ExportPlace`. */
  readonly target: string;
  readonly format: ExportFormat;
  /** `from` ≤ time < `to`, ms since 1970. */
  readonly from: number;
  readonly to: number;
}

export interface ExportJob extends ExportOrder {
  readonly place: ExportPlace;
  /** File name without a path. */
  readonly name: string;
  readonly createdAt: number;
}

const pathOf = ({ place, name }: ExportJob): string => join(place.folder, name);

export interface WritingParts {
  readonly records: Pick<Records, 'run'>;
  readonly disk: ExportDisk;
  readonly key: SigningKey;
  readonly clock: Clock;
  /** Yields to other work after this many ms of work. */
  readonly rest: (workedMs: number) => Promise<void>;
  readonly player: string | null;
  readonly version: string;
}

/** After this many bytes it syncs, so that progress and errors are reported in time. */
const SYNC_EVERY_BYTES = 4 * 1024 * 1024;

type InterruptionCode = Extract<ExportState, { state: 'interrupted' }>['code'];

/** Stops the writing, with the reason. */
class Interruption extends Error {
  constructor(
    readonly code: InterruptionCode,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Writes the plays to a file with the name of the job and `.part`. Resolves to null if it was cancelled.
 *
 * @param tell called with the rows written so far, and with the share of the period that is done, 0 to 1
 */
export async function writePlays(
  parts: WritingParts,
  job: ExportJob,
  isCancelled: () => boolean,
  tell: (rows: number, done: number) => void,
) {
  const { records, disk, clock } = parts;
  const { format, from, to } = job;
  await leaveRoom(parts, job.place);
  const part = await disk.create(`${pathOf(job)}.part`);
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
    await leaveRoom(parts, job.place);
  };
  try {
    await append(exportHead(format));
    let firstAt: number | null = null;
    let page: PageOfPlays | null = null;
    do {
      const startedAt = clock.monotonic();
      page = await playsAfter(records, job, page).catch((error: unknown): never => {
        throw new Interruption(
          'books',
          `The books cannot be read now (${messageOf(error)}). Export again in a moment.`,
        );
      });
      await append(exportLines(format, page.plays));
      rows += page.plays.length;
      firstAt ??= page.plays[0]?.play.at ?? from;
      if (page.next !== null) {
        const done = Math.min(1, Math.max(0, (page.next.at - firstAt) / Math.max(1, to - firstAt)));
        tell(rows, done);
        await parts.rest(clock.monotonic() - startedAt);
      }
    } while (page.next !== null && !isCancelled());
    await part.sync();
  } catch (error) {
    await part.close().catch(() => undefined);
    throw error;
  }
  await part.close();
  return isCancelled() ? null : { bytes, rows, sha256: hash.digest('hex') };
}

/**
 * Throws an `Interruption` where the next bytes of an export to the kiosk's own disk would take the room that the books
 * need.
 */
async function leaveRoom({ disk }: WritingParts, place: ExportPlace): Promise<void> {
  if (place.kind !== 'folder') return;
  const room = await disk.statfs(place.folder);
  if (freeBytesOf(room) < SYNC_EVERY_BYTES + 1.5 * fullBelow(room)) throw isFull(place);
}

/** Signs the written content, then gives it its final name, so that a content with that name is always signed. */
export async function signPlays(
  parts: WritingParts,
  job: ExportJob,
  written: NonNullable<Awaited<ReturnType<typeof writePlays>>>,
): Promise<void> {
  const { format, from, to, createdAt } = job;
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
  const content = pathOf(job);
  await writeWholeFile(`${content}.sig`, signature, 0o600);
  await rename(`${content}.part`, content);
  await syncFolder(job.place.folder);
}

const nameOf = ({ kind, label }: ExportPlace) => `The ${kind === 'usb' ? 'drive' : 'folder'} ${label}`;
const isFull = (place: ExportPlace) =>
  new Interruption('no-space', `${nameOf(place)} is full. Make room on it and export again.`);

/** Why an export was interrupted, for the overlay. */
export function interruptionOf(
  error: unknown,
  place: ExportPlace,
): { code: InterruptionCode; message: string } {
  if (error instanceof Interruption) return error;
  const code = errorCode(error) ?? 'unknown';
  if (['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code)) return isFull(place);
  const where = nameOf(place);
  if (place.kind === 'usb' && !['EACCES', 'EPERM', 'EROFS'].includes(code))
    return { code: 'target-gone', message: `${where} is gone (${code}). Plug it in again and export again.` };
  return { code: 'not-writable', message: `${where} cannot be written to (${code}).` };
}

/** The file operations that an export needs; injected, so that tests can simulate a drive that is pulled out. */
export type ExportDisk = typeof exportDisk;

/** Real files. Links are not followed, so that nothing on a drive can lead the kiosk elsewhere. */
export const exportDisk = {
  /** Creates a file; an existing one of the same name is removed first. */
  async create(path: string) {
    await rm(path, { force: true });
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    return {
      // `writeFile` repeats short writes.
      write: (content: Uint8Array) => handle.writeFile(content),
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  remove: (path: string) => rm(path, { force: true }),
  /** The names in a folder. */
  list: (path: string) => readdir(path),
  statfs: (path: string): Promise<DiskRoom> => statfs(path),
};
