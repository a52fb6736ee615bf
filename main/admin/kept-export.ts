import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { ExportFormat, ExportTarget } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { PlayCursor } from '../../shared/proof-of-play';
import { createWholeFile } from '../disk/whole-file';

/** What is surely on the drive. */
const Checkpoint = z.object({
  bytes: z.int().min(0),
  rows: z.int().min(0),
  after: z.nullable(PlayCursor),
  /** Of these bytes, in hex. */
  sha256: z.string().length(64),
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** An export that is not finished: what was ordered, and how much of it is surely on the drive. */
const ExportJob = z.object({
  version: z.literal(1),
  target: ExportTarget,
  format: ExportFormat,
  /** Of the file; no path. */
  name: z.string().regex(/^[\w.-]{1,200}$/),
  from: z.number(),
  to: z.number(),
  createdAt: z.number(),
  /** Time of the first play written. */
  firstAt: z.number().nullable(),
  checkpoint: Checkpoint.nullable(),
});
export type ExportJob = z.infer<typeof ExportJob>;

export interface KeptExport {
  /** Null when none is under way, or what is kept cannot be read. */
  read(): Promise<ExportJob | null>;
  /** Never rejects: an export goes on although nobody could remember it. */
  keep(job: ExportJob | null): Promise<void>;
}

export function keptExport(path: string, log: Log): KeptExport {
  const file = createWholeFile(path, 0o600);
  return {
    async read() {
      const text = await readFile(path, 'utf8').catch(() => null);
      if (text === null) return null;
      try {
        return ExportJob.parse(JSON.parse(text));
      } catch {
        log.warn('what is kept of an export cannot be read; it is forgotten', { path });
        return null;
      }
    },
    keep: (job) =>
      (job === null ? file.remove() : file.write(`${JSON.stringify(job)}\n`)).catch((fault: unknown) =>
        log.warn('how far an export is could not be kept', { fault }),
      ),
  };
}
