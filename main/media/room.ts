import { DAY_MS } from '../../shared/clock';
import type { StoredMedia } from './stored-media';
import { isNeeded, type Need } from './want-list';

/** A stored file, for the decision what to evict. */
export interface Occupant extends Pick<StoredMedia, 'url' | 'bytes' | 'storedAt' | 'usedAt'> {
  /** It plays now or next. */
  readonly inUse: boolean;
  /** It may not play for now because of strikes. */
  readonly setAside: boolean;
}

export interface RoomQuestion<O extends Occupant> {
  /** Bytes that have to become free; 0 or less: there is room. */
  readonly shortBy: number;
  readonly newFile: Need;
  readonly occupants: Iterable<O>;
  readonly needs: ReadonlyMap<string, Need>;
  readonly now: number;
}

/**
 * Which files to evict so that a new one fits; null: evicting all that may be evicted frees too little (rule
 * 13). Expired, unneeded and unplayable files go first, then the least recently used. Files that play now or
 * next stay, and so do those that an online, native or upcoming ad waits for.
 * A file of the current playlist makes room for another file of it only after a day without use, so that a
 * cache that is too small does not download them in turns. A playlist about to take over may displace files
 * of the current one, or it never could take over. House files make room for those of ads, and displace no
 * wanted file.
 */
export function filesToEvict<O extends Occupant>(question: RoomQuestion<O>): readonly O[] | null {
  if (question.shortBy <= 0) return [];
  const candidates = [...question.occupants]
    .flatMap((file) => {
      const order = evictionOrder(file, question);
      return order === null ? [] : [{ file, order }];
    })
    .sort((a, b) => a.order - b.order || a.file.usedAt - b.file.usedAt);
  const evicted: O[] = [];
  let missing = question.shortBy;
  for (const { file } of candidates) {
    evicted.push(file);
    missing -= file.bytes;
    if (missing <= 0) return evicted;
  }
  return null;
}

export function evictableBytes<O extends Occupant>(question: Omit<RoomQuestion<O>, 'shortBy'>): number {
  let bytes = 0;
  for (const file of question.occupants) if (evictionOrder(file, question) !== null) bytes += file.bytes;
  return bytes;
}

const mayDisplacePlaylist = ({ by, inPlaylist }: Pick<Need, 'by' | 'inPlaylist'>) =>
  by === 'upcoming' && !inPlaylist;

/** New files of one kind may displace the same files. */
export const newFileKind = (newFile: Pick<Need, 'by' | 'inPlaylist'>) =>
  newFile.by === 'house' ? 'house' : mayDisplacePlaylist(newFile) ? 'upcoming' : 'other';

/** Lower goes first; null: the file stays. */
function evictionOrder<O extends Occupant>(
  file: O,
  { newFile, needs, now }: Omit<RoomQuestion<O>, 'shortBy'>,
): 0 | 1 | null {
  if (file.inUse) return null;
  const need = needs.get(file.url);
  if (!isNeeded(need, now) || file.setAside) return 0;
  if (need.by === 'house') return newFile.by === 'house' ? null : 1;
  if (need.by !== 'playlist' || newFile.by === 'house') return null;
  const displaced = mayDisplacePlaylist(newFile);
  // A time in the future means that the clock was put back since: the file counts as just used.
  const idleMs = now - Math.max(file.usedAt, file.storedAt);
  return displaced || idleMs >= DAY_MS ? 1 : null;
}
