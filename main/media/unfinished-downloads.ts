import { basename } from 'node:path';
import type { CacheBase } from './cache-base';
import type { PartNote } from './stored-media';

/** Interrupted downloads that can be continued, by URL. */
export interface UnfinishedDownloads {
  keep(part: PartNote): void;
  /** Removes and returns a part, for the download that continues it. */
  take(url: string): PartNote | null;
  has(url: string): boolean;
  urls(): readonly string[];
  /** Size of all parts on the disk. */
  bytes(): number;
  /** Forgets a part and removes its files. */
  drop(url: string): Promise<void>;
  /** Forgets parts whose file is missing. @param names the files in the folder */
  keepOnly(names: ReadonlySet<string>): void;
}

export function createUnfinishedDownloads({ disk, paths }: CacheBase): UnfinishedDownloads {
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
