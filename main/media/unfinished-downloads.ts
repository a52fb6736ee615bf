import type { Disk } from './disk';
import type { CachePaths, PartNote } from './stored-media';

export type UnfinishedDownloads = ReturnType<typeof createUnfinishedDownloads>;

/** Interrupted downloads that can be continued, by URL. */
export function createUnfinishedDownloads(disk: Disk, paths: CachePaths) {
  const parts = new Map<string, PartNote>();
  return {
    keep: (part: PartNote): void => void parts.set(part.url, part),
    /** Removes and returns a part, for the download that continues it. */
    take(url: string): PartNote | null {
      const part = parts.get(url) ?? null;
      parts.delete(url);
      return part;
    },
    has: (url: string): boolean => parts.has(url),
    urls: (): readonly string[] => [...parts.keys()],
    /** Size of all parts on the disk. */
    bytes: (): number => [...parts.values()].reduce((sum, { safeBytes }) => sum + safeBytes, 0),
    async drop(url: string): Promise<void> {
      parts.delete(url);
      await disk.remove(paths.partNote(url)).catch(() => {});
      await disk.remove(paths.part(url)).catch(() => {});
    },
  };
}
