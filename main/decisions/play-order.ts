import type { Ad } from '../../shared/ad';
import type { RecencyEntry } from '../../shared/books';
import { layOut, NEVER_PLAYED, type PlaylistColumns, recencyKey } from './playlist-columns';

/** A turn that was taken, with what is needed to return it. */
export interface TakenTurn {
  readonly entry: RecencyEntry;
  readonly columns: PlaylistColumns;
  readonly row: number;
  readonly previous: RecencyEntry | null;
  readonly previousTurn: number;
}

/** Which ads played how recently (rule 9): the columns `lastPlayed` and `turn`. */
export class PlayOrder {
  readonly #recency: Map<string, RecencyEntry>;
  #columns = layOut([], () => null);
  #next = 0;

  /** Of an empty playlist, until `setPlaylist`. */
  constructor(recency: readonly RecencyEntry[]) {
    this.#recency = new Map(recency.map((entry) => [entry.key, entry]));
    for (const entry of recency) this.#next = Math.max(this.#next, entry.sequence + 1);
  }

  setPlaylist(columns: PlaylistColumns): void {
    const turnBefore = turnsToHandOn(this.#columns);
    this.#columns = columns;
    // Loops by index: a long playlist is taken over in one turn of main (rule 31).
    const { ads, recencyKeys, recencyOf, lastPlayed, turn } = columns;
    const lastAd: (string | null)[] = new Array(recencyKeys.length).fill(null);
    for (let index = 0; index < recencyKeys.length; index += 1) {
      const last = this.#recency.get(recencyKeys[index] as string);
      lastPlayed[index] = last?.sequence ?? NEVER_PLAYED;
      lastAd[index] = last?.adId ?? null;
    }
    for (let row = 0; row < ads.length; row += 1) {
      const key = recencyOf[row] as number;
      const { id } = ads[row] as Ad;
      const lastTurn = lastAd[key] === id ? (lastPlayed[key] as number) : NEVER_PLAYED;
      turn[row] = turnBefore(recencyKeys[key] as string, id) ?? lastTurn;
    }
  }

  /** Whether an ad of the playlist shares its key. */
  isListed(ad: Ad, mediaUrl: string): boolean {
    return this.#columns.recencyIndex.has(recencyKey(ad, mediaUrl));
  }

  /** @param row of the ad in the playlist of this moment; −1 when the ad is of an earlier one */
  takeTurn(ad: Ad, mediaUrl: string, row: number, at: number): TakenTurn {
    const columns = this.#columns;
    const key = recencyKey(ad, mediaUrl);
    const previous = this.#recency.get(key) ?? null;
    const previousTurn = columns.turn[row] ?? NEVER_PLAYED;
    const entry = { key, sequence: this.#next, at, adId: ad.id };
    this.#next += 1;
    this.#remember(entry);
    if (row >= 0) columns.turn[row] = entry.sequence;
    return { entry, columns, row, previous, previousTurn };
  }

  returnTurn({ entry, columns, row, previous, previousTurn }: TakenTurn): void {
    if (columns.turn[row] === entry.sequence) columns.turn[row] = previousTurn;
    if (this.#recency.get(entry.key)?.sequence !== entry.sequence) return;
    if (previous !== null) this.#remember(previous);
    else {
      this.#recency.delete(entry.key);
      this.#setLastPlayed(entry.key, NEVER_PLAYED);
    }
  }

  /** Undoes turns, the last one first, as if they had never been taken. */
  undo(turns: readonly TakenTurn[]): void {
    for (const turn of turns.toReversed()) this.returnTurn(turn);
    this.#next = turns[0]?.entry.sequence ?? this.#next;
  }

  forget(keep: number): string[] {
    const keys = keysToForget(this.#recency.values(), new Set(this.#columns.recencyKeys), keep);
    for (const key of keys) this.#recency.delete(key);
    return keys;
  }

  #remember(entry: RecencyEntry): void {
    this.#recency.set(entry.key, entry);
    this.#setLastPlayed(entry.key, entry.sequence);
  }

  #setLastPlayed(key: string, sequence: number): void {
    const known = this.#columns.recencyIndex.get(key);
    if (known !== undefined) this.#columns.lastPlayed[known] = sequence;
  }
}

/**
 * Hands the turns of a playlist on to the next one, to be called for each of its ads in order: an ad has its own, or
 * that of the ad that was at its place among those of its key.
 */
function turnsToHandOn({ ads, recencyKeys, recencyIndex, recencyOf, turn }: PlaylistColumns) {
  const ofKeys = recencyKeys.map(() => ({ all: [] as number[], ofAds: new Map<string, number[]>() }));
  for (let row = ads.length - 1; row >= 0; row -= 1) {
    const { id } = ads[row] as Ad;
    const { all, ofAds } = ofKeys[recencyOf[row] as number] as (typeof ofKeys)[number];
    all.push(turn[row] as number);
    const ofAd = ofAds.get(id) ?? [];
    ofAds.set(id, ofAd);
    ofAd.push(turn[row] as number);
  }
  return (key: string, id: string): number | undefined => {
    const ofKey = ofKeys[recencyIndex.get(key) ?? -1];
    const atItsPlace = ofKey?.all.pop();
    return ofKey?.ofAds.get(id)?.pop() ?? atItsPlace;
  };
}

/**
 * Keys that may be forgotten: those of no ad in the playlist, oldest first, beyond
 * the `keep` most recent of them (a creative may be absent from one answer and
 * back in the next).
 */
export function keysToForget(
  entries: Iterable<RecencyEntry>,
  inPlaylist: ReadonlySet<string>,
  keep: number,
): string[] {
  return [...entries]
    .filter((entry) => !inPlaylist.has(entry.key))
    .sort((a, b) => a.sequence - b.sequence)
    .slice(0, -keep || undefined)
    .map((entry) => entry.key);
}
