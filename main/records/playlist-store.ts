import { MAX_ADS_AT_ONCE, type StoredPlaylist } from '../../shared/records';
import { portions } from '../reading/portions';
import { oneByOne } from '../turns';
import type { Records } from './records-client';

type Store = ReturnType<typeof createPlaylistStore>;
export type PlaylistStore = Pick<Store, 'storePlaylist' | 'renewPlaylist'>;
export type PlaylistRestore = Pick<Store, 'storeAgain'>;

/**
 * Stores the playlist for the next start. Sends it to the records window in parts, so that a reservation waits for a
 * hundred ads at most (fewer where they are large) and not for ten thousand. Only the last step makes it the stored
 * playlist.
 *
 * @param newId returns a unique version for a playlist
 * @param pause lets other work run; resolves when this work may continue
 */
export function createPlaylistStore(parts: {
  readonly records: Records;
  readonly environment: string;
  readonly newId: () => string;
  readonly pause: () => Promise<void>;
}) {
  const { records, environment, pause } = parts;
  const inOrder = oneByOne();

  async function store(playlist: StoredPlaylist): Promise<void> {
    const version = parts.newId();
    const { ads, ...rest } = playlist;
    let part = 0;
    for (const portion of portions(ads, MAX_ADS_AT_ONCE)) {
      await records.run('storeAds', { environment, version, part, ads: [...portion] });
      part += 1;
      await pause();
    }
    await records.run('storePlaylist', { environment, version, parts: part, ...rest });
  }

  return {
    /** Replaces the stored playlist in one step (rule 3). */
    storePlaylist: (playlist: StoredPlaylist): Promise<void> => inOrder(() => store(playlist)),
    /**
     * Stores the current playlist again. `current` is called only when its turn comes, because a newer playlist may
     * be stored before; null: there is none.
     */
    storeAgain: (current: () => StoredPlaylist | null): Promise<void> =>
      inOrder(async () => {
        const playlist = current();
        if (playlist) await store(playlist);
      }),
    /** The service confirmed its last answer at `receivedAt`, ms since the epoch. */
    renewPlaylist: (receivedAt: number): Promise<void> =>
      inOrder(async () => void (await records.run('renewPlaylist', { environment, receivedAt }))),
  };
}
