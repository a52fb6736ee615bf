import type { MediaForm } from './media-type';

/**
 * Who needs media, most urgent first: the slot to come, a native ad at hand, the house (its files
 * are on this machine, and are shown when nothing else may be), the playlist about to take over,
 * the one that plays.
 */
export const WISHERS = ['online', 'native', 'house', 'upcoming', 'playlist'] as const;
export type Wisher = (typeof WISHERS)[number];

/** A file that somebody needs. Times are ms since the epoch, UTC. */
export interface WantedMedia {
  readonly url: string;
  /** Absent: a picture or a video. */
  readonly form?: MediaForm;
  /** When it is needed; absent: some time. */
  readonly neededAt?: number;
  /** After this nobody needs it any more; null or absent: no end is known. */
  readonly expiresAt?: number | null;
}

export type Wishes = Readonly<Record<Wisher, readonly WantedMedia[]>>;

/** Everybody's wish for one URL. */
export interface Need {
  readonly url: string;
  readonly form: MediaForm;
  /** The most urgent of those who want it. */
  readonly by: Wisher;
  /** The playlist that plays wants it, perhaps among others. */
  readonly inPlaylist: boolean;
  /** When the last of those who want it lets go; null: not known. */
  readonly expiresAt: number | null;
}

/** All wishes by URL, in the order in which they are to be fetched. */
export function needsOf(wishes: Wishes): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  for (const by of WISHERS) {
    for (const { url, form = 'media', expiresAt = null } of inOrderOfNeed(wishes[by])) {
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

function inOrderOfNeed(wanted: readonly WantedMedia[]): readonly WantedMedia[] {
  if (wanted.every(({ neededAt }) => neededAt === undefined)) return wanted;
  const at = ({ neededAt }: WantedMedia) => neededAt ?? Number.MAX_VALUE;
  return [...wanted].sort((a, b) => at(a) - at(b));
}

/** Expired: now > `expiresAt`; equal is still good (rule 5). */
export const isNeeded = (need: Need | undefined, now: number): need is Need =>
  need !== undefined && (need.expiresAt === null || now <= need.expiresAt);

const later = (a: number | null, b: number | null) => (a === null || b === null ? null : Math.max(a, b));
