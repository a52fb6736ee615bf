import type { Schedule } from '../schedule';
import type { DiskErrors } from './disk-errors';
import { createDownloadPlaces, type DownloadPlacesParts } from './download-places';
import type { SetAside } from './set-aside';
import { isNeeded, type Need } from './want-list';

export interface DownloadLineParts extends DownloadPlacesParts {
  readonly aside: SetAside;
  readonly diskErrors: Pick<DiskErrors, 'pauseMs'>;
  readonly needs: () => ReadonlyMap<string, Need>;
  /** Whether downloads may start. */
  readonly isOpen: () => boolean;
  /** Called when a wait is over, before the line starts the downloads that are due. */
  readonly onWake: () => void;
  readonly schedule: Schedule;
}

export type DownloadLine = ReturnType<typeof createDownloadLine>;

/**
 * Decides which file is downloaded when: two at once, most needed first. When other files wait, a download
 * yields its place after ten minutes: it keeps the bytes it received and continues after the others (rule
 * 31).
 */
export function createDownloadLine(parts: DownloadLineParts) {
  const { stored, aside, attempts, room } = parts;
  const places = createDownloadPlaces(parts, advance);
  const { turns } = places;
  let cancelWake: (() => void) | null = null;

  /** Starts the downloads that are due. May be called at any time. */
  function advance(): void {
    if (!parts.isOpen()) return;
    const pauseMs = parts.diskErrors.pauseMs();
    wakeLater(pauseMs > 0 ? pauseMs : Math.min(startWhatIsDue(), whenSetAsideIsOver(parts)));
  }

  /** Order: missing files, then files to revalidate, then files that yielded. Returns when to run again, in ms. */
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
      if (stored.byUrl.has(url) || places.has(url) || !isNeeded(need, now) || !isInLine(url)) continue;
      const waitMs = Math.max(aside.msFor(url), attempts.waitMs(url));
      if (waitMs > 0) wakeIn = Math.min(wakeIn, waitMs);
      if (waitMs > 0 && !isWorthAsking(parts, url)) continue;
      if (isTooTight(need)) continue;
      if (places.areTaken()) {
        wakeIn = Math.min(wakeIn, places.makeWayFor(need));
        break;
      }
      places.start(need, 'fetch');
      isTooTight = room.look();
    }
    return wakeIn;
  }

  function askWhatMayHaveChanged(urls: Iterable<string>, isInLine: (url: string) => boolean): number {
    const now = parts.clock.now();
    for (const url of urls) {
      if (places.has(url) || !isInLine(url)) continue;
      const need = parts.needs().get(url);
      if (!isNeeded(need, now) || !stored.byUrl.has(url)) {
        if (!aside.strikeOf(url)) attempts.settle(url);
        continue;
      }
      if (places.areTaken()) return places.endTurnFor(url);
      places.start(need, 'refresh');
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

  return {
    advance,
    underWay: places.underWay,
    isIdle: places.isIdle,
    /** Aborts downloads of files that are not wanted any more. */
    abortUnwanted(): void {
      for (const job of places.underWay()) if (!parts.needs().has(job.url)) job.abort.abort();
      turns.keepOnly(parts.needs());
    },
    close: (): void => cancelWake?.(),
  };
}

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
