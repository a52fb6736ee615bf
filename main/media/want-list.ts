/** Who needs media, most urgent first: the slot to come, a native ad at hand, the playlist about to take over, the one that plays. */
export const WISHERS = ['online', 'native', 'upcoming', 'playlist'] as const;
export type Wisher = (typeof WISHERS)[number];

/** A file that somebody needs. Times are ms since the epoch, UTC. */
export interface WantedMedia {
  readonly url: string;
  /** When it is needed; absent: some time. */
  readonly neededAt?: number;
  /** After this nobody needs it any more; null or absent: no end is known. */
  readonly expiresAt?: number | null;
}

export type Wishes = Readonly<Record<Wisher, readonly WantedMedia[]>>;

/** Everybody's wish for one URL. */
export interface Need {
  readonly url: string;
  /** The most urgent of those who want it. */
  readonly by: Wisher;
  readonly wishers: ReadonlySet<Wisher>;
  /** When the last of those who want it lets go; null: not known. */
  readonly expiresAt: number | null;
}

/** All wishes by URL, in the order in which they are to be fetched. */
export function needsOf(wishes: Wishes): ReadonlyMap<string, Need> {
  const needs = new Map<string, Need>();
  for (const by of WISHERS) {
    const inOrder = wishes[by].some((wanted) => wanted.neededAt !== undefined)
      ? [...wishes[by]].sort((a, b) => (a.neededAt ?? Infinity) - (b.neededAt ?? Infinity) || 0)
      : wishes[by];
    for (const { url, expiresAt = null } of inOrder) {
      const known = needs.get(url);
      if (!known) needs.set(url, { url, by, wishers: new Set([by]), expiresAt });
      else if (!known.wishers.has(by) || later(known.expiresAt, expiresAt) !== known.expiresAt) {
        needs.set(url, {
          ...known,
          wishers: new Set([...known.wishers, by]),
          expiresAt: later(known.expiresAt, expiresAt),
        });
      }
    }
  }
  return needs;
}

/** Expired: now > `expiresAt`; equal is still good (rule 5). */
export const isNeeded = (need: Need | undefined, now: number): need is Need =>
  need !== undefined && (need.expiresAt === null || now <= need.expiresAt);

const later = (a: number | null, b: number | null) => (a === null || b === null ? null : Math.max(a, b));
