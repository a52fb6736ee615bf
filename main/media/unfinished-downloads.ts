import { basename } from 'node:path';
import type { Disk } from './disk';
import type { CachePaths, PartNote } from './stored-media';

/** Downloads that broke off and can be continued, by URL. */
export interface UnfinishedDownloads {
  keep(part: PartNote): void;
  /** For a download that continues it, which alone says what becomes of it. */
  take(url: string): PartNote | null;
  has(url: string): boolean;
  urls(): readonly string[];
  /** All of them on the disk. */
  bytes(): number;
  /** Gives one up, with what is on the disk of it. */
  drop(url: string): Promise<void>;
  /** Forgets those that are not in the folder any more; `names` are those of its files. */
  keepOnly(names: ReadonlySet<string>): void;
}

export function createUnfinishedDownloads(
  disk: Pick<Disk, 'remove'>,
  paths: Pick<CachePaths, 'part' | 'partNote'>,
): UnfinishedDownloads {
  const parts = new Map<string, PartNote>();
  return {
    keep: (part) => void parts.set(part.url, part),
    take(url) {
      const part = parts.get(url) ?? null;
      parts.delete(url);
      return part;
    },
    has: (url) => parts.has(url),
    urls: () => [...parts.keys()],
    bytes: () => [...parts.values()].reduce((sum, { safeBytes }) => sum + safeBytes, 0),
    async drop(url) {
      parts.delete(url);
      await disk.remove(paths.partNote(url)).catch(() => {});
      await disk.remove(paths.part(url)).catch(() => {});
    },
    keepOnly(names) {
      for (const url of [...parts.keys()]) if (!names.has(basename(paths.part(url)))) parts.delete(url);
    },
  };
}
