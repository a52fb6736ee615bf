import { isUncountable } from './frequency-caps';
import { NO_MEDIA, type PlaylistColumns } from './playlist-columns';

export type Tally = ReturnType<typeof tallyOf>;

/**
 * Whether nothing but its caps can keep the ad of a row from playing at `at` (ms since the epoch). Audiences must be up
 * to date.
 */
export function passesAllButCaps(columns: PlaylistColumns, row: number, at: number): boolean {
  const { isBlocked, mediaOf, mediaIsReady, audienceOf, audienceMatches, validUntil } = columns;
  return (
    isBlocked[row] === 0 &&
    mediaIsReady[mediaOf[row] as number] !== 0 &&
    audienceMatches[audienceOf[row] as number] !== 0 &&
    at <= (validUntil[row] as number)
  );
}

/**
 * Finds the least recently played eligible row of each source at `at` (ms since the epoch); −1: it has none. Earlier rows
 * win ties.
 *
 * @param best by source; takes the result
 */
export function findBestRows(columns: PlaylistColumns, at: number, best: Int32Array): void {
  const { sourceOf, capsOf, freeFrom, recencyOf, lastPlayed, turn } = columns;
  best.fill(-1);
  const bestPlayed = new Float64Array(best.length).fill(Number.POSITIVE_INFINITY);
  for (let row = 0; row < sourceOf.length; row += 1) {
    const source = sourceOf[row] as number;
    const played = lastPlayed[recencyOf[row] as number] as number;
    const before = bestPlayed[source] as number;
    if (played > before) continue;
    if (played === before && (turn[row] as number) >= (turn[best[source] as number] as number)) continue;
    if (!passesAllButCaps(columns, row, at) || at < (freeFrom[capsOf[row] as number] as number)) continue;
    best[source] = row;
    bestPlayed[source] = played;
  }
}

/** Ads by verdict; an ad with several reasons counts under each. `playable`: this kiosk can show a file of it. */
export function tallyOf(columns: PlaylistColumns, at: number) {
  const tally = {
    ads: columns.ads.length,
    playable: 0,
    eligible: 0,
    expired: 0,
    audience: 0,
    capped: 0,
    uncountable: 0,
    noMedia: 0,
    blocked: 0,
  };
  for (let row = 0; row < columns.ads.length; row += 1) {
    const list = columns.caps[columns.capsOf[row] ?? 0];
    const isCapped = at < (columns.freeFrom[columns.capsOf[row] ?? 0] ?? 0);
    const uncountable = list !== undefined && isUncountable(list.flightId, list.caps);
    const expired = at > (columns.validUntil[row] ?? 0);
    const audience = columns.audienceMatches[columns.audienceOf[row] ?? 0] === 0;
    const noMedia = columns.mediaIsReady[columns.mediaOf[row] ?? NO_MEDIA] === 0;
    const blocked = columns.isBlocked[row] !== 0;
    if (columns.mediaOf[row] !== NO_MEDIA) tally.playable += 1;
    if (expired) tally.expired += 1;
    if (audience) tally.audience += 1;
    if (isCapped && !uncountable) tally.capped += 1;
    if (uncountable) tally.uncountable += 1;
    if (noMedia) tally.noMedia += 1;
    if (blocked) tally.blocked += 1;
    if (!(expired || audience || isCapped || noMedia || blocked)) tally.eligible += 1;
  }
  return tally;
}
