import type { Ad } from '../../shared/ad';
import type { RecencyEntry } from '../../shared/books';

/**
 * What recency is kept by (rule 9): source, flight and media URL, so that it
 * survives refreshes in which the same creative comes back as another ad.
 */
export function recencyKey(ad: Ad, mediaUrl: string): string {
  return JSON.stringify([ad.metadata.sourceId, ad.metadata.flightId, mediaUrl]);
}

/**
 * Keys that may be forgotten: those of no ad in the playlist, oldest first, beyond
 * the `keep` most recent of them (a creative may be absent from one answer and
 * back in the next).
 */
export function forgettable(
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
