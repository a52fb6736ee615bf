import { isDeepStrictEqual } from 'node:util';
import type { Ad } from '../../shared/ad';
import type { StoredPlaylist } from '../../shared/records';
import { inTurns, oneByOne } from '../turns';
import type { LossParts } from './books-losses';
import type { BooksMirror } from './books-mirror';
import type { PlaylistStore } from './playlist-store';

/** Longest time until a playlist whose ads stay the same is stored again, ms. */
const STORED_AGAIN_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

/**
 * The stored playlist, its mirror in memory and its copy in a file. While the ads stay the same, a whole answer only
 * renews the stored time, as a 304 does: 500 ads take 2 MB, every few minutes.
 */
export function createStoredPlaylist(
  parts: Pick<LossParts, 'files' | 'environment' | 'clock' | 'log'> & { readonly pause: () => Promise<void> },
  mirror: BooksMirror,
  store: PlaylistStore,
): PlaylistStore {
  const { files, environment, clock, pause, log } = parts;
  const inOrder = oneByOne();
  /** Monotonic ms. */
  let storedAt = Number.NEGATIVE_INFINITY;

  async function renew(receivedAt: number, playlist: StoredPlaylist | null): Promise<void> {
    await store.renewPlaylist(receivedAt);
    mirror.playlist = playlist && { ...playlist, receivedAt };
    mirror.isChanged = true;
  }

  async function put(next: StoredPlaylist): Promise<void> {
    const before = mirror.playlist?.ads;
    const isRecent = clock.monotonic() - storedAt < STORED_AGAIN_MS;
    if (isRecent && before && (await areRenewed(before, next, pause))) return renew(next.receivedAt, next);
    // Where this fails, it may be stored all the same: then the next one is to be stored whole.
    storedAt = Number.NEGATIVE_INFINITY;
    await store.storePlaylist(next);
    storedAt = clock.monotonic();
    mirror.playlist = next;
    files
      .writePlaylist(environment, next)
      .catch((error: unknown) => log.warn('the playlist could not be copied', { error }));
  }

  return {
    storePlaylist: (next) => inOrder(() => put(next)),
    renewPlaylist: (receivedAt) => inOrder(() => renew(receivedAt, mirror.playlist)),
  };
}

/**
 * Whether an answer has the ads of the one before, with the same ends where these come within a day. What services
 * change in each answer does not count: the id of the request, beacons, a later end weeks ahead. In turns, because an
 * answer may have ten thousand ads.
 */
async function areRenewed(
  before: readonly Ad[],
  { ads, receivedAt }: StoredPlaylist,
  pause: () => Promise<void>,
): Promise<boolean> {
  if (before.length !== ads.length) return false;
  const soon = receivedAt + DAY_MS;
  const turns = inTurns(pause);
  for (const [index, ad] of ads.entries()) {
    const known = before[index];
    if (!known || endOf(ad) < endOf(known)) return false;
    if (!isDeepStrictEqual(whatPlays(known, soon), whatPlays(ad, soon))) return false;
    if (turns.isOver()) await turns.next();
  }
  return true;
}

/** What decides whether and how an ad plays, until the time `soon` at least. */
function whatPlays({ id, sequence, metadata, durationMs, mediaFiles }: Ad, soon: number) {
  const { requestId: _request, expiresAt, ...judged } = metadata;
  const end = Math.min(expiresAt ?? soon, soon);
  return { id, sequence, judged, end, durationMs, mediaFiles };
}

const endOf = ({ metadata }: Ad) => metadata.expiresAt ?? Number.POSITIVE_INFINITY;
