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
  /** Whether anything may be started at all. */
  readonly isOpen: () => boolean;
  readonly run: (job: Job) => Promise<void>;
  /** A time that was waited for has come; the line looks by itself. */
  readonly onWake: () => void;
  readonly clock: Clock;
  readonly schedule: (ms: number, run: () => void) => () => void;
  readonly background: BackgroundWork;
}

/** What is fetched when: two at once, in the order of need; and when something is due, again. */
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
    for (const need of parts.needs().values()) {
      const { url } = need;
      if (stored.byUrl.has(url) || jobs.has(url) || !isNeeded(need, now)) continue;
      const waitMs = Math.max(aside.msFor(url), attempts.waitMs(url));
      if (waitMs > 0) wakeIn = Math.min(wakeIn, waitMs);
      if (waitMs > 0 && !isWorthAsking(url)) continue;
      if (isTooTight(need)) continue;
      if (jobs.size >= DOWNLOADS_AT_ONCE) {
        makeWayFor(need);
        break;
      }
      start(need, 'fetch');
      isTooTight = room.look();
    }
    return wakeIn;
  }

  function askWhatMayHaveChanged(): number {
    const now = parts.clock.now();
    for (const url of attempts.toBeAsked()) {
      if (jobs.size >= DOWNLOADS_AT_ONCE) break;
      const need = parts.needs().get(url);
      if (!isNeeded(need, now) || !stored.byUrl.has(url)) {
        if (!jobs.has(url) && !aside.strikeOf(url)) attempts.settle(url);
        continue;
      }
      if (!jobs.has(url)) start(need, 'refresh');
    }
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

  /** What the next slot waits for does not queue behind the playlist: the least urgent download is put off. */
  function makeWayFor(need: Need): void {
    if (need.by !== 'online' && need.by !== 'native') return;
    const running = [...jobs.values()];
    if (running.some((job) => job.abort.signal.aborted)) return;
    running
      .findLast(
        (job) => job.purpose === 'refresh' || job.need.by === 'playlist' || job.need.by === 'upcoming',
      )
      ?.abort.abort();
  }

  function start(need: Need, purpose: Job['purpose']): void {
    const { url } = need;
    attempts.settle(url);
    const job: Job = {
      url,
      need,
      purpose,
      abort: new AbortController(),
      // Known from an earlier try: two that start together do not count on the same room.
      reservedBytes: room.knownBytes(url),
      writtenBytes: 0,
    };
    jobs.set(url, job);
    const done = parts.run(job).finally(() => {
      jobs.delete(url);
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
    },
    close: () => cancelWake?.(),
  };
}
