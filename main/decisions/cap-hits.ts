import type { Ad, FrequencyCap } from '../../shared/ad';
import { CAP_WINDOWS } from './frequency-caps';
import type { PlaylistColumns } from './playlist-columns';
import { passesAllButCaps } from './row-verdicts';

/** Stands for every window that is not known by name. */
const UNKNOWN_WINDOW = 'unknown';
const WINDOWS: readonly string[] = [...CAP_WINDOWS, UNKNOWN_WINDOW];
const BITS: ReadonlyMap<string, number> = new Map(CAP_WINDOWS.map((window, bit) => [window, 1 << bit]));
const UNKNOWN_BIT = 1 << CAP_WINDOWS.length;
const NEVER_SEEN = -1;

/** The windows, as bits, for which an ad was counted. Valid until its caps let it play. */
interface Counted {
  readonly flightId: string | null;
  readonly windows: number;
}

export type CapHits = ReturnType<typeof createCapHits>;

/**
 * Counts the ads that a cap keeps from playing, each once for every time that its cap is reached. `look` is one pass
 * over flat arrays; it compares windows only for ads whose counters changed since the last `look`.
 *
 * @param capFree the time from which a cap of list `list` lets its flight play, ms since the epoch
 */
export function createCapHits(
  columns: PlaylistColumns,
  before: ReadonlyMap<string, Counted>,
  capFree: (list: number, cap: FrequencyCap) => number,
) {
  const { ads, indexOfRow, caps, capsOf, freeFrom } = columns;
  /** By cap list: how often its flight's counters changed. */
  const changes = new Int32Array(caps.length);
  /** By cap list: the value of `changes` when the list last let its flight play. */
  const freedAt = new Int32Array(caps.length).fill(NEVER_SEEN);
  /** By row: the value of `changes` at its last `look`, and the windows counted, as bits. */
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

  /** The windows for which a row was counted since its list last let it play, as bits. */
  const countedFor = (row: number): number =>
    (seen[row] as number) >= (freedAt[capsOf[row] as number] as number) ? (windows[row] as number) : 0;

  function changed(list: number): void {
    changes[list] = (changes[list] ?? 0) + 1;
  }

  return {
    /**
     * Call before a play is counted at `at` for the flight of cap list `list`. If its caps allow the play, a new hit
     * can follow.
     */
    beforePlay(list: number, at: number): void {
      if (at < (freeFrom[list] as number)) return;
      changed(list);
      freedAt[list] = changes[list] as number;
    },
    /** Call when the time has changed from which the caps of list `list` let their flight play. */
    changed,
    /** How many ads a cap newly keeps from playing at `at`, by window. Refresh the audiences first. */
    look(at: number): ReadonlyMap<string, number> {
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
        if (seen[row] === changes[list] || !passesAllButCaps(columns, row, at)) continue;
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
    /** The counted windows by ad id, so that the next playlist does not count the same ads again. */
    counted(): ReadonlyMap<string, Counted> {
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
