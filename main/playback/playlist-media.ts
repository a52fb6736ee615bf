import type { Ad } from '../../shared/ad';
import type { Basics } from '../basics';
import type { Decider } from '../decisions/decider';
import { validUntil } from '../decisions/explain';
import type { MediaCache } from '../media/media-cache';
import { inTurns, type Turns } from '../turns';
import type { AdFiles } from './ad-files';

export interface PlaylistMediaParts extends Pick<Basics, 'pause'> {
  readonly decider: Pick<Decider, 'mediaReady' | 'mediaGone'>;
  readonly media: Pick<MediaCache, 'want'>;
  readonly files: AdFiles;
}

/** The media of the playlist: which can be shown, and which are wanted. */
export class PlaylistMedia {
  /** Ads whose key is not the address of their only file, by each address: when one fails, the next has its turn. */
  readonly #alternatives = new Map<string, Map<string, Ad>>();
  /** The keys of those ads. */
  #keys = new Set<string>();
  /** Counts the calls of `want`: a later one replaces one that is still being prepared. */
  #wants = 0;

  constructor(private readonly parts: PlaylistMediaParts) {}

  readonly isShowable = (ad: Ad): boolean => this.parts.files.playable(ad) !== null;

  /** The ad of each media that is valid longest, by media key: thousands of ads share a few files. */
  async distinct(ads: readonly Ad[], turns: Turns): Promise<Map<string, Ad>> {
    const distinct = new Map<string, Ad>();
    await turns.each(ads, (ad) => this.#distinguish(ad, distinct));
    return distinct;
  }

  /** Takes over the stored playlist in one turn: nothing plays yet that could be delayed. */
  restore(ads: readonly Ad[]): void {
    const distinct = new Map<string, Ad>();
    for (const ad of ads) this.#distinguish(ad, distinct);
    for (const [key, ad] of distinct) this.#watch(key, ad);
    this.parts.media.want('playlist', this.parts.files.wanted(ads));
  }

  /** Watches the files of these ads only; those of a candidate that never took over are no longer watched. */
  async watch(distinct: Iterable<readonly [string, Ad]>, turns: Turns): Promise<void> {
    const before = this.#keys;
    this.#keys = new Set();
    this.#alternatives.clear();
    await turns.each(distinct, ([key, ad]) => this.#watch(key, ad));
    await turns.each(before, (key) => {
      // The files of an ad that has left may be lost unnoticed from now on.
      if (!this.#keys.has(key)) this.parts.decider.mediaGone(key);
    });
  }

  /** In turns: for ten thousand ads at once all other work would wait. */
  async want(playing: readonly Ad[], upcoming: readonly Ad[]): Promise<void> {
    const { files, media, pause } = this.parts;
    this.#wants += 1;
    const mine = this.#wants;
    const turns = inTurns(pause);
    const now = await files.wantedInTurns(playing, turns);
    const next = await files.wantedInTurns(upcoming, turns);
    if (mine !== this.#wants) return;
    // In this order, a file that moves from the upcoming to the current playlist stays wanted throughout.
    media.want('playlist', now);
    await pause();
    if (mine === this.#wants) media.want('upcoming', next);
  }

  /** Tells the decider whether a file can be shown now; returns whether its ads may have other files too. */
  fileChanged(url: string, ready: boolean): boolean {
    const others = this.#alternatives.get(url);
    this.#tell(url, ready);
    for (const [key, ad] of others ?? []) this.#tell(key, this.isShowable(ad));
    return others !== undefined;
  }

  #tell(key: string, ready: boolean): void {
    if (ready) this.parts.decider.mediaReady(key);
    else this.parts.decider.mediaGone(key);
  }

  #distinguish(ad: Ad, distinct: Map<string, Ad>): void {
    const key = this.parts.files.key(ad);
    if (key === null) return;
    const known = distinct.get(key);
    if (known === undefined || validUntil(ad, null) > validUntil(known, null)) distinct.set(key, ad);
  }

  #watch(key: string, ad: Ad): void {
    this.#tell(key, this.isShowable(ad));
    const urls = this.parts.files.urls(ad);
    if (urls.length < 2 && urls[0] === key) return;
    this.#keys.add(key);
    for (const url of urls) {
      const known = this.#alternatives.get(url) ?? new Map<string, Ad>();
      this.#alternatives.set(url, known.set(key, ad));
    }
  }
}
