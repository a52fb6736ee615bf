import type { Basics } from '../basics';
import { doublingMs } from '../egress/back-off';
import type { Attempts } from './attempts';
import type { BackgroundWork, CacheBase } from './cache-base';
import type { DiskErrors } from './disk-errors';
import type { RoomMaker, RoomSeeker } from './make-room';
import type { SetAside } from './set-aside';
import type { StoredFiles } from './stored-files';
import { isNeeded, type Need } from './want-list';

export const DOWNLOADS_AT_ONCE = 2;
/** How long a download keeps its place while others wait, ms (rule 31). */
const TURN_MS = 10 * 60_000;
/**
 * Longest turn, ms. The turn of a file that cannot be continued doubles each time, up to this; otherwise a
 * slow line would never complete it. Only files that were tried before wait this long, so that endless
 * downloads do not delay new files for hours.
 */
const MAX_TURN_MS = 16 * TURN_MS;

export interface DownloadLineParts extends Pick<Basics, 'clock' | 'schedule'> {
  readonly stored: Pick<StoredFiles, 'byUrl'>;
  readonly aside: Pick<SetAside, 'msFor' | 'strikeOf' | 'urls'>;
  readonly attempts: Attempts;
  readonly problems: CacheBase['problems'];
  readonly room: Pick<RoomMaker, 'look' | 'knownBytes'>;
  readonly diskErrors: Pick<DiskErrors, 'pauseMs'>;
  readonly needs: () => ReadonlyMap<string, Need>;
  /** Whether an earlier try left a part to continue. */
  readonly isBegun: (url: string) => boolean;
  readonly isOpen: () => boolean;
  readonly run: (job: Job) => Promise<void>;
  /** Called when a wait is over, before the line starts the downloads that are due. */
  readonly onWake: () => void;
  readonly background: BackgroundWork;
}

export interface Job extends RoomSeeker {
  /** `refresh`: the file is stored, and the server is asked for a newer version. */
  readonly purpose: 'fetch' | 'refresh';
  readonly abort: AbortController;
  /** Monotonic ms. */
  readonly startedAt: number;
  /** How long it keeps its place if a file waits that was tried before, ms. */
  readonly turnMs: number;
  writtenBytes: number;
}

export type DownloadLine = ReturnType<typeof createDownloadLine>;

/**
 * Decides which file is downloaded when: two at once, most needed first. When other files wait, a download
 * yields its place after ten minutes: it keeps the bytes it received and continues after the others (rule
 * 31).
 */
export function createDownloadLine(parts: DownloadLineParts) {
  const { stored, aside, attempts, room, clock } = parts;
  const jobs = new Map<string, Job>();
  /** How many turns each file had that yielded and is not stored yet; the longest waiting first. */
  const turnsOf = new Map<string, number>();
  let cancelWake: (() => void) | null = null;

  /** Starts the downloads that are due. May be called at any time. */
  function advance(): void {
    if (!parts.isOpen()) return;
    for (const url of attempts.readdressed(parts.needs())) parts.problems.delete(url);
    const pauseMs = parts.diskErrors.pauseMs();
    wakeLater(pauseMs > 0 ? pauseMs : Math.min(startWhatIsDue(), whenSetAsideIsOver(parts)));
  }

  /** Returns when to run again, in ms. */
  function startWhatIsDue(): number {
    let wakeIn = Number.POSITIVE_INFINITY;
    let isTooTight = room.look();
    for (const [need, purpose] of inLine()) {
      const { url } = need;
      if (purpose === 'fetch') {
        const waitMs = Math.max(aside.msFor(url), attempts.waitMs(url));
        if (waitMs > 0) wakeIn = Math.min(wakeIn, waitMs);
        if ((waitMs > 0 && !isWorthAsking(parts, url)) || isTooTight(need)) continue;
      }
      if (jobs.size >= DOWNLOADS_AT_ONCE) {
        wakeIn = Math.min(wakeIn, makeWayFor(need, purpose));
        // A new file further back in the line may get a place sooner: only files that were tried wait for long turns.
        if (wasTried(url)) continue;
        return wakeIn;
      }
      start(need, purpose);
      isTooTight = room.look();
    }
    return wakeIn;
  }

  /** Missing files, then files to revalidate, then the files of both kinds that yielded their place. */
  function* inLine(): Generator<readonly [Need, Job['purpose']], void, void> {
    const now = clock.now();
    const needs = parts.needs();
    const purposeOf = (url: string): Job['purpose'] | null => {
      if (jobs.has(url) || !isNeeded(needs.get(url), now)) return null;
      if (!stored.byUrl.has(url)) return 'fetch';
      return attempts.isToBeAsked(url) || turnsOf.has(url) ? 'refresh' : null;
    };
    const refreshes: Need[] = [];
    for (const need of needs.values()) {
      const purpose = turnsOf.has(need.url) ? null : purposeOf(need.url);
      if (purpose === 'fetch') yield [need, purpose];
      else if (purpose === 'refresh') refreshes.push(need);
    }
    for (const need of refreshes) yield [need, 'refresh'];
    const behind = [...turnsOf.keys()].flatMap((url) => needs.get(url) ?? []);
    for (const purpose of ['fetch', 'refresh'] as const)
      for (const need of behind) if (purposeOf(need.url) === purpose) yield [need, purpose];
  }

  /**
   * Frees a place for a file: a file for the next slot interrupts the least urgent download, other files wait
   * for the end of a turn. Returns when to check again, in ms.
   */
  function makeWayFor({ url, by }: Need, purpose: Job['purpose']): number {
    const running = [...jobs.values()];
    if (running.some((job) => job.abort.signal.aborted)) return Number.POSITIVE_INFINITY;
    // Asked now, because a file may be wanted for another use than at its start.
    const needOf = (job: Job) => parts.needs().get(job.need.url) ?? job.need;
    const lessUrgent = running.findLast((job) => job.purpose === 'refresh' || !isForNextSlot(needOf(job)));
    if (lessUrgent && purpose === 'fetch' && isForNextSlot({ by }) && !turnsOf.has(url)) {
      lessUrgent.abort.abort();
      return Number.POSITIVE_INFINITY;
    }
    const endOf = ({ startedAt, turnMs }: Job) => startedAt + (wasTried(url) ? turnMs : TURN_MS);
    const [first] = running.toSorted((a, b) => endOf(a) - endOf(b));
    const leftMs = first ? endOf(first) - clock.monotonic() : Number.POSITIVE_INFINITY;
    if (!first || leftMs > 0) return leftMs;
    const turns = turnsOf.get(first.need.url) ?? 0;
    turnsOf.delete(first.need.url);
    turnsOf.set(first.need.url, turns + 1);
    first.abort.abort('yielded');
    return Number.POSITIVE_INFINITY;
  }

  /** Whether it yielded its place or failed. If files that fail ended turns early, no long download would complete. */
  const wasTried = (url: string) => turnsOf.has(url) || attempts.failures(url) > 0;

  function start(need: Need, purpose: Job['purpose']): void {
    const { url } = need;
    attempts.settle(url);
    const turns = parts.isBegun(url) ? 0 : (turnsOf.get(url) ?? 0);
    const job: Job = {
      need,
      purpose,
      abort: new AbortController(),
      startedAt: clock.monotonic(),
      turnMs: doublingMs(turns + 1, { minMs: TURN_MS, maxMs: MAX_TURN_MS }),
      // Reserved before the first byte, so that two downloads that start together do not count on the same room.
      reservedBytes: room.knownBytes(url),
      writtenBytes: 0,
    };
    jobs.set(url, job);
    const done = parts.run(job).finally(() => {
      jobs.delete(url);
      if (job.abort.signal.reason !== 'yielded') turnsOf.delete(url);
      advance();
    });
    parts.background.start('a download ended unexpectedly', done);
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

  return {
    advance,
    underWay: (): Iterable<Job> => jobs.values(),
    isIdle: (): boolean => jobs.size === 0,
    abortUnwanted(): void {
      const needs = parts.needs();
      for (const job of jobs.values()) if (!needs.has(job.need.url)) job.abort.abort();
      for (const url of turnsOf.keys()) if (!needs.has(url)) turnsOf.delete(url);
    },
    /** Aborts all downloads; no further one may start. */
    close(): void {
      cancelWake?.();
      for (const job of jobs.values()) job.abort.abort();
    },
  };
}

const isForNextSlot = ({ by }: Pick<Need, 'by'>) => by === 'online' || by === 'native';

/** Time until the first file that was set aside may play again, ms. */
function whenSetAsideIsOver({ aside, stored }: DownloadLineParts): number {
  let wakeIn = Number.POSITIVE_INFINITY;
  for (const url of aside.urls()) {
    const waitMs = aside.msFor(url);
    if (waitMs > 0 && stored.byUrl.has(url)) wakeIn = Math.min(wakeIn, waitMs);
  }
  return wakeIn;
}

/** Whether to ask the server if a file that was set aside has changed; that needs a validator. */
function isWorthAsking({ attempts, aside }: DownloadLineParts, url: string): boolean {
  const strike = aside.strikeOf(url);
  return (
    attempts.isToBeAsked(url) &&
    strike !== undefined &&
    (strike.etag !== null || strike.lastModified !== null)
  );
}
