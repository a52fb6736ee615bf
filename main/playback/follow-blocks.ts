import type { Decider } from '../decisions/decider';
import type { BlockList } from '../fleet/link/block-list';
import type { MediaCache } from '../media/media-cache';

/**
 * Judges the ads of the playlist again when the blocks change, and when a file that is blocked by its SHA-256 comes or
 * goes (rule 30): its SHA-256 is known only while the file may play. Not at other files, because judging ten thousand
 * ads takes a whole turn (rule 31).
 */
export function followBlocks(parts: {
  readonly blocks: Pick<BlockList, 'current' | 'onChange'>;
  readonly media: Pick<MediaCache, 'files' | 'lookup' | 'onChange'>;
  readonly decider: Pick<Decider, 'blocksChanged'>;
}): void {
  const { blocks, media, decider } = parts;
  /** URLs of the files that are blocked by their SHA-256. */
  let blocked: Set<string>;
  let isDue = false;
  const isBlocked = (file: { readonly sha256: string } | null) =>
    file !== null && blocks.current().fitting({ sha256: [file.sha256] }) !== null;
  function findBlocked(): void {
    blocked = new Set(media.files().flatMap((file) => (isBlocked(file) ? [file.url] : [])));
  }
  findBlocked();
  blocks.onChange(() => {
    findBlocked();
    decider.blocksChanged();
  });
  media.onChange(
    (url) => {
      if (!blocks.current().hasFiles) return;
      if (blocked.delete(url)) isDue = true;
      if (!isBlocked(media.lookup(url))) return;
      blocked.add(url);
      isDue = true;
    },
    () => {
      if (isDue) decider.blocksChanged();
      isDue = false;
    },
  );
}
