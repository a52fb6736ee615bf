import type { Clock } from '../../shared/clock';
import type { Attempts } from './attempts';
import type { BackgroundWork } from './background-work';
import type { DiskTrouble } from './disk-trouble';
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
/** A download keeps its place for so long while others wait, ms (rule 31). */
const TURN_MS = 10 * 60_000;
/**
 * Of one that cannot be continued each turn is twice the last, up to this: else a slow line would never bring it.
 * Only files that had a turn before wait for so long, so that endless ones do not keep new files out for hours.
 */
const LONGEST_TURN_MS = 16 * TURN_MS;

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
  /** Turns of the files that made way for others and are not there yet; the one that waits longest is first. */
  const yielded = new Map<string, number>();
  /** Files that had a place once and are not there yet. */
  const hadTurn = new Set<string>();
  let cancelWake: (() => void) | null = null;

  function advance(): void {
    if (!parts.isOpen()) return;
    const pauseMs = parts.trouble.pauseMs();
    wakeLater(pauseMs > 0 ? pauseMs : Math.min(startWhatIsDue(), whenSetAsideIsOver()));
  }

  /** What is missing first, then what may have changed, then what made way; answers in how many ms to look again. */
  function startWhatIsDue(): number {
    const needs = parts.needs();
    const isInLine = (url: string) => !yielded.has(url);
    const wakeIn = Math.min(
      fetchWhatIsMissing(needs.values(), isInLine),
      askWhatMayHaveChanged(attempts.toBeAsked(), isInLine),
    );
    if (yielded.size === 0) return wakeIn;
    const behind = [...yielded.keys()];
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
      if (waitMs > 0 && !isWorthAsking(url)) continue;
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

  function whenSetAsideIsOver(): number {
    let wakeIn = Number.POSITIVE_INFINITY;
    for (const url of aside.urls()) {
      const waitMs = aside.msFor(url);
      if (waitMs > 0 && stored.byUrl.has(url)) wakeIn = Math.min(wakeIn, waitMs);
    }
    return wakeIn;
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

  /** A file set aside may have changed meanwhile: its server can be asked, where it knows its own file. */
  function isWorthAsking(url: string): boolean {
    const strike = aside.strikeOf(url);
    return (
      attempts.isToBeAsked(url) &&
      strike !== undefined &&
      (strike.etag !== null || strike.lastModified !== null)
    );
  }

  /**
   * What the next slot waits for does not queue behind the playlist: the least
   * urgent download is put off. Others wait for the end of a turn; answers in how
   * many ms to look again.
   */
  function makeWayFor(need: Need): number {
    const running = [...jobs.values()];
    const isUrgent = (need.by === 'online' || need.by === 'native') && !yielded.has(need.url);
    const lessUrgent = running.findLast(
      ({ purpose, need: { by } }) => purpose === 'refresh' || (by !== 'online' && by !== 'native'),
    );
    if (!isUrgent || !lessUrgent) return endTurnFor(need.url);
    if (!isPlaceComing()) lessUrgent.abort.abort();
    return Number.POSITIVE_INFINITY;
  }

  /** The download whose turn ended first makes way; while none has ended, answers in how many ms one does. */
  function endTurnFor(waiting: string): number {
    if (isPlaceComing()) return Number.POSITIVE_INFINITY;
    const endOf = hadTurn.has(waiting) ? (job: Job) => job.turnEndsAt : (job: Job) => job.firstTurnEndsAt;
    const [first] = [...jobs.values()].sort((a, b) => endOf(a) - endOf(b));
    if (!first) return Number.POSITIVE_INFINITY;
    const leftMs = endOf(first) - parts.clock.monotonic();
    if (leftMs > 0) return leftMs;
    const turns = (yielded.get(first.url) ?? 0) + 1;
    yielded.delete(first.url);
    yielded.set(first.url, turns);
    first.hasYielded = true;
    first.abort.abort();
    return Number.POSITIVE_INFINITY;
  }

  const isPlaceComing = () => [...jobs.values()].some((job) => job.abort.signal.aborted);

  function start(need: Need, purpose: Job['purpose']): void {
    const { url } = need;
    attempts.settle(url);
    const turns = parts.isBegun(url) ? 0 : (yielded.get(url) ?? 0);
    const startedAt = parts.clock.monotonic();
    hadTurn.add(url);
    const job: Job = {
      url,
      need,
      purpose,
      abort: new AbortController(),
      // Known from an earlier try: two that start together do not count on the same room.
      reservedBytes: room.knownBytes(url),
      writtenBytes: 0,
      turnEndsAt: startedAt + Math.min(TURN_MS * 2 ** turns, LONGEST_TURN_MS),
      firstTurnEndsAt: startedAt + TURN_MS,
      hasYielded: false,
    };
    jobs.set(url, job);
    const done = parts.run(job).finally(() => {
      jobs.delete(url);
      if (!job.hasYielded) yielded.delete(url);
      if (!job.hasYielded && stored.byUrl.has(url)) hadTurn.delete(url);
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
      for (const url of yielded.keys()) if (!parts.needs().has(url)) yielded.delete(url);
      for (const url of hadTurn) if (!parts.needs().has(url)) hadTurn.delete(url);
    },
    close: () => cancelWake?.(),
  };
}
