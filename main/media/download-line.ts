import type { Clock } from '../../shared/clock';
import type { Attempts } from './attempts';
import type { BackgroundWork } from './background-work';
import type { DiskTrouble } from './disk-trouble';
import { DownloadTurns } from './download-turns';
import type { RoomMaker, RoomSeeker } from './make-room';
import type { SetAside } from './set-aside';
import type { StoredFiles } from './stored-files';
import { isNeeded, type Need } from './want-list';

/** A download under way. */
export interface Job extends RoomSeeker {
  readonly url: string;
  /** `refresh`: a file is there, and the server is asked for a newer one. */
  readonly purpose: 'fetch' | 'refresh';
  readonly abort: AbortController;
  /** Monotonic ms at which it gives up its place, if a file waits that had a turn before. */
  readonly turnEndsAt: number;
  /** Monotonic ms at which it gives up its place to a file that never had a turn. */
  readonly firstTurnEndsAt: number;
  /** It gave up its place. */
  hasYielded: boolean;
  writtenBytes: number;
}

export const DOWNLOADS_AT_ONCE = 2;
export interface DownloadLineParts {
  readonly stored: Pick<StoredFiles, 'byUrl'>;
  readonly aside: SetAside;
  readonly attempts: Attempts;
  readonly trouble: Pick<DiskTrouble, 'pauseMs'>;
  readonly room: Pick<RoomMaker, 'look' | 'knownBytes'>;
  readonly needs: () => ReadonlyMap<string, Need>;
  /** Whether an earlier try left something that it goes on from. */
  readonly isBegun: (url: string) => boolean;
  /** Whether anything may be started at all. */
  readonly isOpen: () => boolean;
  readonly run: (job: Job) => Promise<void>;
  /** A time that was waited for has come; the line looks by itself. */
  readonly onWake: () => void;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly background: BackgroundWork;
}

/**
 * What is fetched when: two at once, in the order of need; and when something is
 * due, again. No download keeps its place for ever: after ten minutes it makes way
 * for one that waits, keeps what came, and goes on behind the others.
 */
export interface DownloadLine {
  /** Starts what is due; harmless at any time. */
  advance(): void;
  underWay(): Iterable<Job>;
  isIdle(): boolean;
  /** Ends downloads that nobody wants any more. */
  abortUnwanted(): void;
  /** No more waiting for a time to come. */
  close(): void;
}

export function createDownloadLine(parts: DownloadLineParts): DownloadLine {
  const { stored, aside, attempts, room } = parts;
  const jobs = new Map<string, Job>();
  const turns = new DownloadTurns();
  let cancelWake: (() => void) | null = null;

  function advance(): void {
    if (!parts.isOpen()) return;
    const pauseMs = parts.trouble.pauseMs();
    wakeLater(pauseMs > 0 ? pauseMs : Math.min(startWhatIsDue(), whenSetAsideIsOver(parts)));
  }

  /** What is missing first, then what may have changed, then what made way; answers in how many ms to look again. */
  function startWhatIsDue(): number {
    const needs = parts.needs();
    const isInLine = (url: string) => !turns.hasYielded(url);
    const wakeIn = Math.min(
      fetchWhatIsMissing(needs.values(), isInLine),
      askWhatMayHaveChanged(attempts.toBeAsked(), isInLine),
    );
    const behind = turns.yielded;
    if (behind.length === 0) return wakeIn;
    const missing = behind.map((url) => needs.get(url)).filter((need) => need !== undefined);
    return Math.min(
      wakeIn,
      fetchWhatIsMissing(missing, () => true),
      askWhatMayHaveChanged(behind, () => true),
    );
  }

  function fetchWhatIsMissing(wanted: Iterable<Need>, isInLine: (url: string) => boolean): number {
    const now = parts.clock.now();
    let wakeIn = Number.POSITIVE_INFINITY;
    let isTooTight = room.look();
    for (const need of wanted) {
      const { url } = need;
      if (stored.byUrl.has(url) || jobs.has(url) || !isNeeded(need, now) || !isInLine(url)) continue;
      const waitMs = Math.max(aside.msFor(url), attempts.waitMs(url));
      if (waitMs > 0) wakeIn = Math.min(wakeIn, waitMs);
      if (waitMs > 0 && !isWorthAsking(parts, url)) continue;
      if (isTooTight(need)) continue;
      if (jobs.size >= DOWNLOADS_AT_ONCE) {
        wakeIn = Math.min(wakeIn, makeWayFor(need));
        break;
      }
      start(need, 'fetch');
      isTooTight = room.look();
    }
    return wakeIn;
  }

  function askWhatMayHaveChanged(urls: Iterable<string>, isInLine: (url: string) => boolean): number {
    const now = parts.clock.now();
    for (const url of urls) {
      if (jobs.has(url) || !isInLine(url)) continue;
      const need = parts.needs().get(url);
      if (!isNeeded(need, now) || !stored.byUrl.has(url)) {
        if (!aside.strikeOf(url)) attempts.settle(url);
        continue;
      }
      if (jobs.size >= DOWNLOADS_AT_ONCE) return endTurnFor(url);
      start(need, 'refresh');
    }
    return Number.POSITIVE_INFINITY;
  }

  function wakeLater(ms: number): void {
    cancelWake?.();
    cancelWake = Number.isFinite(ms)
      ? parts.schedule(ms, () => {
          cancelWake = null;
          parts.onWake();
          advance();
        })
      : null;
  }

  /**
   * What the next slot waits for does not queue behind the playlist: the least
   * urgent download is put off. Others wait for the end of a turn; answers in how
   * many ms to look again.
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

  const endTurnFor = (waiting: string): number =>
    isPlaceComing()
      ? Number.POSITIVE_INFINITY
      : turns.endFirst([...jobs.values()], waiting, parts.clock.monotonic());

  const isPlaceComing = () => [...jobs.values()].some((job) => job.abort.signal.aborted);

  function start(need: Need, purpose: Job['purpose']): void {
    const { url } = need;
    attempts.settle(url);
    // Known from an earlier try: two that start together do not count on the same room.
    const reservedBytes = room.knownBytes(url);
    const ends = turns.begin(url, parts.isBegun(url), parts.clock.monotonic());
    const abort = new AbortController();
    const job: Job = {
      url,
      need,
      purpose,
      abort,
      reservedBytes,
      writtenBytes: 0,
      ...ends,
      hasYielded: false,
    };
    jobs.set(url, job);
    const done = parts.run(job).finally(() => {
      jobs.delete(url);
      if (!job.hasYielded) turns.ended(url, stored.byUrl.has(url));
      advance();
    });
    parts.background.start('a download ended in a fault', done);
  }

  return {
    advance,
    underWay: () => jobs.values(),
    isIdle: () => jobs.size === 0,
    abortUnwanted() {
      for (const job of jobs.values()) if (!parts.needs().has(job.url)) job.abort.abort();
      turns.keepOnly(parts.needs());
    },
    close: () => cancelWake?.(),
  };
}

/** In how many ms the first file set aside may play again. */
function whenSetAsideIsOver({ aside, stored }: DownloadLineParts): number {
  let wakeIn = Number.POSITIVE_INFINITY;
  for (const url of aside.urls()) {
    const waitMs = aside.msFor(url);
    if (waitMs > 0 && stored.byUrl.has(url)) wakeIn = Math.min(wakeIn, waitMs);
  }
  return wakeIn;
}

/** A file set aside may have changed meanwhile: its server can be asked, where it knows its own file. */
function isWorthAsking({ attempts, aside }: DownloadLineParts, url: string): boolean {
  const strike = aside.strikeOf(url);
  return (
    attempts.isToBeAsked(url) &&
    strike !== undefined &&
    (strike.etag !== null || strike.lastModified !== null)
  );
}
