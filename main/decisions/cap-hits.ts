import type { Ad } from '../../shared/ad';
import { CAP_WINDOWS } from './frequency-caps';
import type { PlaylistColumns } from './playlist-columns';
import { passesAllButCaps } from './row-verdicts';

/** Stands for every window that is not known by name. */
const UNKNOWN_WINDOW = 'unknown';
const WINDOWS: readonly string[] = [...CAP_WINDOWS, UNKNOWN_WINDOW];
const BITS: ReadonlyMap<string, number> = new Map(CAP_WINDOWS.map((window, bit) => [window, 1 << bit]));
const UNKNOWN_BIT = 1 << CAP_WINDOWS.length;

/** The windows, as bits, for which an ad was counted. Valid until its caps let it play. */
interface Counted {
  readonly flightId: string | null;
  readonly windows: number;
}

/**
 * Counts the ads that a cap keeps from playing, each once whenever its cap is reached. Call `look` regularly: each
 * call checks all rows.
 */
export function createCapHits(columns: PlaylistColumns, before: ReadonlyMap<string, Counted>) {
  const { ads, caps, capsOf, capsOfFlight, capsFreeFrom, freeFrom } = columns;
  /** By cap list: the bits of its windows. Caps without a flight keep no ad from playing: it is uncountable. */
  const bitsOf = caps.map((list) =>
    list.flightId === null ? [] : list.caps.map(({ window }) => BITS.get(window) ?? UNKNOWN_BIT),
  );
  /** By row: the windows counted since its caps last let it play, as bits. */
  const windows = new Int32Array(ads.length);
  if (before.size > 0) {
    for (let row = 0; row < ads.length; row += 1) {
      const ad = ads[row] as Ad;
      const known = before.get(ad.id);
      if (known?.flightId === ad.metadata.flightId) windows[row] = known.windows;
    }
  }

  /** The windows of a list that are reached, as bits. */
  function reached(list: number, at: number): number {
    const [bits, from] = [bitsOf[list] as number[], capsFreeFrom[list] as readonly number[]];
    let all = 0;
    for (let cap = 0; cap < bits.length; cap += 1) if (at < (from[cap] as number)) all |= bits[cap] as number;
    return all;
  }

  return {
    /** Call before a play of a flight is counted at `at`. If its caps allow the play, a new hit can follow. */
    beforePlay(flightId: string | null, at: number): void {
      const lists = capsOfFlight.get(flightId ?? '') ?? [];
      const free = new Set(lists.filter((list) => at >= (freeFrom[list] as number)));
      if (free.size === 0) return;
      for (let row = 0; row < ads.length; row += 1) if (free.has(capsOf[row] as number)) windows[row] = 0;
    },
    /** How many ads a cap newly keeps from playing at `at`, by window. Refresh the audiences first. */
    look(at: number): ReadonlyMap<string, number> {
      const counts = new Map<string, number>();
      for (let row = 0; row < ads.length; row += 1) {
        const list = capsOf[row] as number;
        if (at >= (freeFrom[list] as number)) {
          windows[row] = 0;
          continue;
        }
        if (!passesAllButCaps(columns, row, at)) continue;
        const known = windows[row] as number;
        const added = reached(list, at) & ~known;
        if (added === 0) continue;
        windows[row] = known | added;
        for (const [bit, window] of WINDOWS.entries())
          if ((added >> bit) & 1) counts.set(window, (counts.get(window) ?? 0) + 1);
      }
      return counts;
    },
    /** The counted windows by ad id, so that the next playlist does not count the same ads again. */
    counted(): ReadonlyMap<string, Counted> {
      const all = new Map<string, Counted>();
      for (let row = 0; row < ads.length; row += 1) {
        const bits = windows[row] as number;
        if (bits === 0) continue;
        const { id, metadata } = ads[row] as Ad;
        all.set(id, { windows: bits, flightId: metadata.flightId });
      }
      return all;
    },
  };
}
