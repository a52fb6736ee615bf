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
  readonly url: string;
  /** Absent: `media`. */
  readonly form?: MediaForm;
  /** The file is not needed after this time; null or absent: not known. */
  readonly expiresAt?: number | null;
}

export type WantedBy = Readonly<Record<MediaUser, readonly WantedMedia[]>>;

/** The need for one URL, of all users together. */
export interface Need {
  readonly url: string;
  readonly form: MediaForm;
  /** The most urgent user. */
  readonly by: MediaUser;
  /** Whether the current playlist is among its users. */
  readonly inPlaylist: boolean;
  /** When its last user no longer needs it; null: not known. */
  readonly expiresAt: number | null;
}

/** All needs by URL, in the order in which they are to be downloaded. */
export function needsOf(wishes: WantedBy): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  for (const by of MEDIA_USERS) {
    for (const { url, form = 'media', expiresAt = null } of wishes[by]) {
      const known = needs.get(url);
      const inPlaylist = by === 'playlist' || known?.inPlaylist === true;
      needs.set(url, {
        url,
        form: known?.form ?? form,
        by: known?.by ?? by,
        inPlaylist,
        expiresAt: known ? later(known.expiresAt, expiresAt) : expiresAt,
      });
    }
  }
  return needs;
}

/** Expired means now > `expiresAt`; at that time itself the file is still needed (rule 5). */
export const isNeeded = (need: Need | undefined, now: number): need is Need =>
  need !== undefined && (need.expiresAt === null || now <= need.expiresAt);

const later = (a: number | null, b: number | null) => (a === null || b === null ? null : Math.max(a, b));
