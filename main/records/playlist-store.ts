import { MOST_ADS_AT_ONCE, type StoredPlaylist } from '../../shared/records';
import { oneByOne } from '../one-by-one';
import { portions } from '../reading/portions';
import type { Records } from './records-client';

/** Where the playlist is kept for the next start. */
export interface PlaylistStore {
  /** Replaces the stored playlist in one step (rule 3). False: a newer one came before that, and is stored instead. */
  storePlaylist(playlist: StoredPlaylist): Promise<boolean>;
  /** The service says that what it last answered still holds. */
  renewPlaylist(receivedAt: number): Promise<void>;
}

/** Parts of playlists gone by that are dropped in one transaction. */
const DROPPED_AT_ONCE = 20;

/**
 * Hands a playlist to the records window part by part, so that a reservation
 * waits for a hundred ads at most (fewer where they are large) and not for ten thousand; only the last step makes it the
 * stored one. What a playlist before it, or one that broke off, left is dropped.
 *
 * @param newId names a playlist like no other
 * @param pause lets other work run; resolves when it is this one's turn again
 */
export function createPlaylistStore(parts: {
  readonly records: Records;
  readonly environment: string;
  readonly newId: () => string;
  readonly pause: () => Promise<void>;
}): PlaylistStore {
  const { records, environment, pause } = parts;
  let newest: StoredPlaylist | null = null;
  const inOrder = oneByOne();

  async function store(playlist: StoredPlaylist): Promise<boolean> {
    const version = parts.newId();
    const { ads, ...rest } = playlist;
    let part = 0;
    for (const portion of portions(ads, MOST_ADS_AT_ONCE)) {
      if (playlist !== newest) return false;
      await records.run('storeAds', { environment, version, part, ads: [...portion] });
      part += 1;
      await pause();
    }
    await records.run('storePlaylist', { environment, version, parts: part, ...rest });
    while ((await records.run('dropAds', { environment, limit: DROPPED_AT_ONCE })) > 0) await pause();
    return true;
  }

  return {
    storePlaylist(playlist) {
      newest = playlist;
      return inOrder(() => store(playlist));
    },
    renewPlaylist: (receivedAt) =>
      inOrder(async () => void (await records.run('renewPlaylist', { environment, receivedAt }))),
  };
}
