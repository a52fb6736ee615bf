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
  /** Its URLs, newest first: the signature of an older one may have expired. */
  readonly urls: readonly string[];
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
 * @param before the needs before one of the lists was replaced: URLs that were not among them are newer
 */
export function needsOf(
  wishes: Partial<WantedBy>,
  before: ReadonlyMap<string, Need> = new Map(),
): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  /** The URLs of files that have several. Apart, because hashing ten thousand long URLs takes long. */
  const several = new Map<string, Set<string>>();
  for (const by of MEDIA_USERS) {
    for (const { url: from, identity, form = 'media', expiresAt = null } of wishes[by] ?? []) {
      const url = identity ?? mediaIdentity(from);
      const known = needs.get(url);
      const inPlaylist = by === 'playlist' || known?.inPlaylist === true;
      if (known && known.urls[0] !== from)
        several.set(url, (several.get(url) ?? new Set(known.urls)).add(from));
      needs.set(url, {
        url,
        urls: known?.urls ?? [from],
        form: known?.form ?? form,
        by: known?.by ?? by,
        inPlaylist,
        expiresAt: known ? later(known.expiresAt, expiresAt) : expiresAt,
      });
    }
  }
  for (const [url, all] of several) {
    const need = needs.get(url);
    const old = new Set(before.get(url)?.urls.filter((each) => all.has(each)));
    if (need) needs.set(url, { ...need, urls: [...[...all].filter((each) => !old.has(each)), ...old] });
  }
  return needs;
}

/** Expired means now > `expiresAt`; at that time itself the file is still needed (rule 5). */
export const isNeeded = (need: Need | undefined, now: number): need is Need =>
  need !== undefined && (need.expiresAt === null || now <= need.expiresAt);

const later = (a: number | null, b: number | null) => (a === null || b === null ? null : Math.max(a, b));
