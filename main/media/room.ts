import { isNeeded, type Need } from './want-list';

const DAY_MS = 86_400_000;

/** A stored file, as far as making room is concerned. Times are ms since the epoch, UTC. */
export interface Occupant {
  readonly url: string;
  readonly bytes: number;
  readonly storedAt: number;
  /** When it was last handed out to be played, or stored. */
  readonly usedAt: number;
  /** It plays now or next. */
  readonly inUse: boolean;
  /** It may not play for now (three strikes). */
  readonly setAside: boolean;
}

export interface RoomQuestion<O extends Occupant> {
  /** Bytes that have to become free; 0 or less: there is room. */
  readonly shortBy: number;
  readonly newcomer: Need;
  readonly occupants: Iterable<O>;
  readonly needs: ReadonlyMap<string, Need>;
  readonly now: number;
}

/**
 * Which files go so that a new one fits, or null when those that may go are not
 * enough (rule 13): expired, unreferenced and unplayable ones first, then the
 * least recently used; never what plays now or next, nor what is waited for.
 * A file of the current playlist gives way to another of it only after a day
 * without use, so that a cache too small for its playlist is not churned; a
 * playlist about to take over may displace what plays, or it never could. Files of
 * the house give way to those of ads, and take the place of none that is wanted.
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

/** Bytes of all files that may be evicted for a newcomer. */
export function evictableBytes<O extends Occupant>(question: Omit<RoomQuestion<O>, 'shortBy'>): number {
  let bytes = 0;
  for (const file of question.occupants) if (evictionOrder(file, question) !== null) bytes += file.bytes;
  return bytes;
}

/** Whether a newcomer may displace what the current playlist uses. */
const mayDisplacePlaylist = ({ by, inPlaylist }: Pick<Need, 'by' | 'inPlaylist'>) =>
  by === 'upcoming' && !inPlaylist;

/** Newcomers of one kind may take the places of the same files. */
export const newcomerKind = (newcomer: Pick<Need, 'by' | 'inPlaylist'>) =>
  newcomer.by === 'house' ? 'house' : mayDisplacePlaylist(newcomer) ? 'upcoming' : 'other';

/** Lower goes first; null stays. */
function evictionOrder<O extends Occupant>(
  file: O,
  { newcomer, needs, now }: Omit<RoomQuestion<O>, 'shortBy'>,
): 0 | 1 | null {
  if (file.inUse) return null;
  const need = needs.get(file.url);
  if (!isNeeded(need, now) || file.setAside) return 0;
  if (need.by === 'house') return newcomer.by === 'house' ? null : 1;
  if (need.by !== 'playlist' || newcomer.by === 'house') return null;
  const displaced = mayDisplacePlaylist(newcomer);
  // A use in the future is one before the clock was put back: it counts as fresh.
  const idleMs = now - Math.max(file.usedAt, file.storedAt);
  return displaced || idleMs >= DAY_MS ? 1 : null;
}
