import type { Clock } from '../../shared/clock';
import type { Attempts } from './attempts';
import type { BackgroundWork } from './cache-base';
import { DownloadTurns, type Job } from './download-turns';
import type { RoomMaker } from './make-room';
import type { StoredFiles } from './stored-files';
import type { Need } from './want-list';

export const DOWNLOADS_AT_ONCE = 2;

export interface DownloadPlacesParts {
  readonly stored: Pick<StoredFiles, 'byUrl'>;
  readonly attempts: Attempts;
  readonly room: Pick<RoomMaker, 'look' | 'knownBytes'>;
  /** Whether an earlier try left a part to continue. */
  readonly isBegun: (url: string) => boolean;
  readonly run: (job: Job) => Promise<void>;
  readonly clock: Clock;
  readonly background: BackgroundWork;
}

/**
 * The downloads under way, at most two, and which one yields its place.
 * @param onFree called when a place became free
 */
export function createDownloadPlaces(parts: DownloadPlacesParts, onFree: () => void) {
  const { stored, attempts, room } = parts;
  const jobs = new Map<string, Job>();
  const turns = new DownloadTurns();

  /**
   * Frees a place for a file: a file for the next slot interrupts the least urgent download, other files wait
   * for the end of a turn. Returns when to check again, in ms.
   */
  function makeWayFor(need: Need): number {
    const running = [...jobs.values()];
    const isUrgent = (need.by === 'online' || need.by === 'native') && !turns.hasYielded(need.url);
    const lessUrgent = running.findLast(
      ({ purpose, need: { by } }) => purpose === 'refresh' || (by !== 'online' && by !== 'native'),
    );
    if (!isUrgent || !lessUrgent) return endTurnFor(need.url);
    if (!isPlaceComing()) lessUrgent.abort.abort();
    return Number.POSITIVE_INFINITY;
  }

  /** The same for a stored file that is to be revalidated. */
  const endTurnFor = (waiting: string): number =>
    isPlaceComing()
      ? Number.POSITIVE_INFINITY
      : turns.endFirst([...jobs.values()], waiting, parts.clock.monotonic());

  const isPlaceComing = () => [...jobs.values()].some((job) => job.abort.signal.aborted);

  function start(need: Need, purpose: Job['purpose']): void {
    const { url } = need;
    attempts.settle(url);
    // Reserved before the first byte, so that two downloads that start together do not count on the same room.
    const reservedBytes = room.knownBytes(url);
    const ends = turns.begin(url, parts.isBegun(url), parts.clock.monotonic());
    const abort = new AbortController();
    const progress = { reservedBytes, writtenBytes: 0, hasYielded: false };
    const job: Job = { url, need, purpose, abort, ...ends, ...progress };
    jobs.set(url, job);
    const done = parts.run(job).finally(() => {
      jobs.delete(url);
      if (!job.hasYielded) turns.ended(url, stored.byUrl.has(url));
      onFree();
    });
    parts.background.start('a download ended unexpectedly', done);
  }

  return {
    turns,
    has: (url: string): boolean => jobs.has(url),
    areTaken: (): boolean => jobs.size >= DOWNLOADS_AT_ONCE,
    isIdle: (): boolean => jobs.size === 0,
    underWay: (): Iterable<Job> => jobs.values(),
    start,
    makeWayFor,
    endTurnFor,
  };
}
