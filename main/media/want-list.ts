import { mediaIdentity } from './media-identity';
import type { MediaForm } from './media-type';

/**
 * Who needs media, most urgent first: the coming slot (online), a native ad that is ready, the house (local
 * files, shown when nothing else may play), online ads that came too late for their slot, the playlist about to take
 * over, the current playlist.
 */
export const MEDIA_USERS = ['online', 'native', 'house', 'late', 'upcoming', 'playlist'] as const;
export type MediaUser = (typeof MEDIA_USERS)[number];

/** A file that is needed. Times are ms since the epoch, UTC. */
export interface WantedMedia {
  /** Where to fetch it. */
  readonly url: string;
  /** `mediaIdentity` of the URL, where it is known already; absent: not yet. */
  readonly identity?: string;
  /** Absent: `media`. */
  readonly form?: MediaForm;
  /** The file is not needed after this time; null or absent: not known. */
  readonly expiresAt?: number | null;
}

export type WantedBy = Readonly<Record<MediaUser, readonly WantedMedia[]>>;

/** The need for one file, of all users together. */
export interface Need {
  /** Its identity. */
  readonly url: string;
  /** Its newest URL: the signature of an older one may have expired. */
  readonly from: string;
  readonly form: MediaForm;
  /** The most urgent user. */
  readonly by: MediaUser;
  /** Whether the current playlist is among its users. */
  readonly inPlaylist: boolean;
  /** When its last user no longer needs it; null: not known. */
  readonly expiresAt: number | null;
}

/**
 * All needs by identity, in the order in which they are to be downloaded.
 *
 * @param listed see `listedSince`
 */
export function needsOf(
  wishes: WantedBy,
  listed: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  const since = (url: string) => listed.get(url) ?? 0;
  for (const by of MEDIA_USERS) {
    for (const { url: from, identity, form = 'media', expiresAt = null } of wishes[by]) {
      const url = identity ?? mediaIdentity(from);
      const known = needs.get(url);
      const inPlaylist = by === 'playlist' || known?.inPlaylist === true;
      needs.set(url, {
        url,
        from: known && since(known.from) >= since(from) ? known.from : from,
        form: known?.form ?? form,
        by: known?.by ?? by,
        inPlaylist,
        expiresAt: known ? later(known.expiresAt, expiresAt) : expiresAt,
      });
    }
  }
  return needs;
}

/** Returns a function that replaces the list of one user, and returns the needs of all. */
export function createWantList() {
  const wishes: Record<MediaUser, readonly WantedMedia[]> = {
    online: [],
    native: [],
    house: [],
    late: [],
    upcoming: [],
    playlist: [],
  };
  /** Since which change each URL is in one of the lists: of two URLs of a file, the later one is newer. */
  let listed: ReadonlyMap<string, number> = new Map();
  let change = 0;
  return (who: MediaUser, media: readonly WantedMedia[]): ReadonlyMap<string, Need> => {
    wishes[who] = media;
    change += 1;
    const before = listed;
    const all = Object.values(wishes).flat();
    listed = new Map(all.map(({ url }) => [url, before.get(url) ?? change]));
    return needsOf(wishes, listed);
  };
}

/** Expired means now > `expiresAt`; at that time itself the file is still needed (rule 5). */
export const isNeeded = (need: Need | undefined, now: number): need is Need =>
  need !== undefined && (need.expiresAt === null || now <= need.expiresAt);

const later = (a: number | null, b: number | null) => (a === null || b === null ? null : Math.max(a, b));
