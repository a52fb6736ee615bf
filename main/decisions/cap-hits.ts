import type { Ad, FrequencyCap } from '../../shared/ad';
import { CAP_WINDOWS } from './frequency-caps';
import type { PlaylistColumns } from './playlist-columns';

/** Stands for every window that is not known by name. */
const UNKNOWN_WINDOW = 'unknown';
const WINDOWS: readonly string[] = [...CAP_WINDOWS, UNKNOWN_WINDOW];
const BITS: ReadonlyMap<string, number> = new Map(CAP_WINDOWS.map((window, bit) => [window, 1 << bit]));
const UNKNOWN_BIT = 1 << CAP_WINDOWS.length;
const NEVER_SEEN = -1;

/** What an ad was counted for, until its caps let it play: windows as bits. */
interface Counted {
  readonly flightId: string | null;
  readonly windows: number;
}

/**
 * Finds the ads that a cap keeps from playing, each once for every time that its cap is
 * reached. A look is one pass over flat arrays: windows are compared only for ads whose
 * counters changed since they were last looked at.
 */
export interface CapHits {
  /** A play of its flight is about to be counted at `at`. If list number `list` allows it, a new cap hit can follow. */
  beforePlay(list: number, at: number): void;
  /** When the caps of list number `list` let their flight play has become another time. */
  changed(list: number): void;
  /** How many ads a cap newly keeps from playing at `at`, by window. Audiences must be up to date. */
  look(at: number): ReadonlyMap<string, number>;
  /** By ad id: what has to be known to count no ad again in the next playlist. */
  counted(): ReadonlyMap<string, Counted>;
}

/** @param capFree from when a cap of list number `list` lets its flight play, ms since the epoch */
export function createCapHits(
  columns: PlaylistColumns,
  before: ReadonlyMap<string, Counted>,
  capFree: (list: number, cap: FrequencyCap) => number,
): CapHits {
  const { ads, indexOfRow, caps, capsOf, freeFrom } = columns;
  /** By cap list: goes up when its flight's counters change. */
  const changes = new Int32Array(caps.length);
  /** By cap list: its changes when it last let its flight play. */
  const freedAt = new Int32Array(caps.length).fill(NEVER_SEEN);
  /** By row: the changes at its last look, and what it was counted for. */
  const seen = new Int32Array(ads.length).fill(NEVER_SEEN);
  const windows = new Int32Array(ads.length);
  if (before.size > 0) {
    for (let row = 0; row < ads.length; row += 1) {
      const ad = ads[indexOfRow[row] as number] as Ad;
      const known = before.get(ad.id);
      if (known?.flightId === ad.metadata.flightId) windows[row] = known.windows;
    }
  }

  /** The windows of a list that are reached, as bits. */
  function reached(list: number, at: number): number {
    let bits = 0;
    for (const cap of caps[list]?.caps ?? [])
      if (at < capFree(list, cap)) bits |= BITS.get(cap.window) ?? UNKNOWN_BIT;
    return bits;
  }

  /** What a row was counted for since its list last let it play, as bits. */
  const countedFor = (row: number): number =>
    (seen[row] as number) >= (freedAt[capsOf[row] as number] as number) ? (windows[row] as number) : 0;

  function changed(list: number): void {
    changes[list] = (changes[list] ?? 0) + 1;
  }

  return {
    beforePlay(list, at) {
      if (at < (freeFrom[list] as number)) return;
      changed(list);
      freedAt[list] = changes[list] as number;
    },
    changed,
    look(at) {
      const { audienceOf, audienceMatches, mediaOf, mediaIsReady, validUntil, isBlocked } = columns;
      const counts = new Float64Array(WINDOWS.length);
      for (let row = 0; row < ads.length; row += 1) {
        const list = capsOf[row] as number;
        if (at >= (freeFrom[list] as number)) {
          if (windows[row] !== 0) {
            seen[row] = NEVER_SEEN;
            windows[row] = 0;
          }
          continue;
        }
        if (
          seen[row] === changes[list] ||
          isBlocked[row] !== 0 ||
          mediaIsReady[mediaOf[row] as number] === 0 ||
          audienceMatches[audienceOf[row] as number] === 0 ||
          at > (validUntil[row] as number)
        ) {
          continue;
        }
        const known = countedFor(row);
        const bits = reached(list, at);
        const added = bits & ~known;
        for (let window = 0; added >> window !== 0; window += 1)
          if ((added >> window) & 1) counts[window] = (counts[window] ?? 0) + 1;
        seen[row] = changes[list] as number;
        windows[row] = known | bits;
      }
      const found = new Map<string, number>();
      for (const [window, count] of counts.entries()) if (count > 0) found.set(WINDOWS[window] ?? '', count);
      return found;
    },
    counted() {
      const all = new Map<string, Counted>();
      for (let row = 0; row < ads.length; row += 1) {
        const bits = countedFor(row);
        if (bits === 0) continue;
        const { id, metadata } = ads[indexOfRow[row] as number] as Ad;
        all.set(id, { windows: bits, flightId: metadata.flightId });
      }
      return all;
    },
  };
}
