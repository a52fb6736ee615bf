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
  /** Monotonic ms at which it gives up its place, if others wait for one. */
  readonly turnEndsAt: number;
  /** It gave up its place. */
  hasYielded: boolean;
  writtenBytes: number;
}

export const DOWNLOADS_AT_ONCE = 2;
/** A download keeps its place for so long while others wait, ms (rule 31). */
const TURN_MS = 10 * 60_000;
/** Of one that cannot be continued each turn is twice the last, up to this: else a slow line would never bring it. */
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
  let cancelWake: (() => void) | null = null;

  function advance(): void {
    if (!parts.isOpen()) return;
    const pauseMs = parts.trouble.pauseMs();
    wakeLater(pauseMs > 0 ? pauseMs : Math.min(fetchWhatIsMissing(), askWhatMayHaveChanged()));
  }

  /** Answers in how many ms to look again. */
  function fetchWhatIsMissing(): number {
    const now = parts.clock.now();
    let wakeIn = Number.POSITIVE_INFINITY;
    let isTooTight = room.look();
    for (const need of inTurn()) {
      const { url } = need;
      if (stored.byUrl.has(url) || jobs.has(url) || !isNeeded(need, now)) continue;
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

  /** By need; those that made way behind all others. */
  function* inTurn(): Generator<Need> {
    const needs = parts.needs();
    for (const need of needs.values()) if (!yielded.has(need.url)) yield need;
    for (const url of [...yielded.keys()]) {
      const need = needs.get(url);
      if (need) yield need;
    }
  }

  function* toAsk(): Generator<string> {
    yield* attempts.toBeAsked();
    yield* yielded.keys();
  }

  function askWhatMayHaveChanged(): number {
    const now = parts.clock.now();
    let wakeIn = Number.POSITIVE_INFINITY;
    for (const url of toAsk()) {
      if (jobs.has(url)) continue;
      const need = parts.needs().get(url);
      if (!isNeeded(need, now) || !stored.byUrl.has(url)) {
        if (!aside.strikeOf(url)) attempts.settle(url);
        continue;
      }
      if (jobs.size >= DOWNLOADS_AT_ONCE) {
        wakeIn = endTurn();
        break;
      }
      start(need, 'refresh');
    }
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
      (job) => job.purpose === 'refresh' || job.need.by === 'playlist' || job.need.by === 'upcoming',
    );
    if (!isUrgent || !lessUrgent) return endTurn();
    if (!isPlaceComing()) lessUrgent.abort.abort();
    return Number.POSITIVE_INFINITY;
  }

  /** The download whose turn ended first makes way; while none has ended, answers in how many ms one does. */
  function endTurn(): number {
    if (isPlaceComing()) return Number.POSITIVE_INFINITY;
    const [first] = [...jobs.values()].sort((a, b) => a.turnEndsAt - b.turnEndsAt);
    if (!first) return Number.POSITIVE_INFINITY;
    const leftMs = first.turnEndsAt - parts.clock.monotonic();
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
    const job: Job = {
      url,
      need,
      purpose,
      abort: new AbortController(),
      // Known from an earlier try: two that start together do not count on the same room.
      reservedBytes: room.knownBytes(url),
      writtenBytes: 0,
      turnEndsAt: parts.clock.monotonic() + Math.min(TURN_MS * 2 ** turns, LONGEST_TURN_MS),
      hasYielded: false,
    };
    jobs.set(url, job);
    const done = parts.run(job).finally(() => {
      jobs.delete(url);
      if (!job.hasYielded) yielded.delete(url);
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
    },
    close: () => cancelWake?.(),
  };
}
