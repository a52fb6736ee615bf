import { isDeepStrictEqual } from 'node:util';
import type { Ad } from '../../shared/ad';
import { DAY_MS } from '../../shared/clock';
import { MAX_ADS_AT_ONCE, type StoredPlaylist } from '../../shared/records';
import type { Basics } from '../basics';
import { mediaIdentity } from '../media/media-identity';
import { portions } from '../reading/portions';
import { inTurns, oneByOne } from '../turns';
import type { BooksMirror } from './books-mirror';
import type { Records } from './records-client';
import type { SnapshotFiles } from './snapshot';

/** Longest time until a playlist whose ads stay the same is stored again, ms. */
const STORED_AGAIN_MS = 3_600_000;

interface StoredPlaylistParts extends Pick<Basics, 'clock' | 'newId' | 'pause' | 'log'> {
  readonly records: Records;
  readonly files: Pick<SnapshotFiles, 'writePlaylist'>;
  readonly environment: string;
}

export type PlaylistStore = Omit<ReturnType<typeof createStoredPlaylist>, 'storeAgain'>;

/**
 * The playlist stored for the next start, its mirror in memory and its copy in a file. While the ads stay the same, a
 * whole answer only renews the stored time, as a 304 does: 500 ads take 2 MB, every few minutes.
 */
export function createStoredPlaylist(parts: StoredPlaylistParts, mirror: BooksMirror) {
  const { records, files, environment, clock, pause, log } = parts;
  const inOrder = oneByOne();
  /** Monotonic ms. */
  let storedAt = Number.NEGATIVE_INFINITY;

  /**
   * Sends it to the records window in parts, so that a reservation waits for a hundred ads at most (fewer where they are
   * large) and not for ten thousand. Only the last step makes it the stored playlist.
   */
  async function store({ ads, ...rest }: StoredPlaylist): Promise<void> {
    const version = parts.newId();
    let part = 0;
    for (const portion of portions(ads, MAX_ADS_AT_ONCE)) {
      await records.run('storeAds', { environment, version, part, ads: [...portion] });
      part += 1;
      await pause();
    }
    await records.run('storePlaylist', { environment, version, parts: part, ...rest });
  }

  async function renew(receivedAt: number, playlist: StoredPlaylist | null): Promise<void> {
    await records.run('renewPlaylist', { environment, receivedAt });
    mirror.playlist = playlist && { ...playlist, receivedAt };
    mirror.isChanged = true;
  }

  async function put(next: StoredPlaylist): Promise<void> {
    const before = mirror.playlist?.ads;
    const isRecent = clock.monotonic() - storedAt < STORED_AGAIN_MS;
    if (isRecent && before && (await areRenewed(before, next, pause))) return renew(next.receivedAt, next);
    // Where this fails, it may be stored all the same: then the next one is to be stored whole.
    storedAt = Number.NEGATIVE_INFINITY;
    await store(next);
    storedAt = clock.monotonic();
    mirror.playlist = next;
    files
      .writePlaylist(environment, next)
      .catch((error: unknown) => log.warn('the playlist could not be copied', { error }));
  }

  return {
    /** Replaces the stored playlist in one step (rule 3). */
    storePlaylist: (next: StoredPlaylist) => inOrder(() => put(next)),
    /** The service confirmed its last answer at `receivedAt`, ms since the epoch. */
    renewPlaylist: (receivedAt: number) => inOrder(() => renew(receivedAt, mirror.playlist)),
    /** Stores the current playlist again, if there is one. */
    storeAgain: () =>
      inOrder(async () => {
        if (mirror.playlist) await store(mirror.playlist);
      }),
  };
}

/**
 * Whether an answer has the ads of the one before, with the same ends where these come within a day. What services
 * change in each answer does not count: the id of the request, beacons, signatures, a later end weeks ahead. In turns,
 * because an answer may have ten thousand ads.
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
  const files = mediaFiles.map((file) => ({ ...file, url: mediaIdentity(file.url) }));
  return { id, sequence, judged, end, durationMs, files };
}

const endOf = ({ metadata }: Ad) => metadata.expiresAt ?? Number.POSITIVE_INFINITY;
