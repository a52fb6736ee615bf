import type { Ad } from '../../shared/ad';
import type { Log } from '../../shared/log';
import type { StoredPlaylist } from '../../shared/records';
import type { Decider } from '../decisioning/decider';
import type { MediaCache } from '../media/media-cache';
import type { PlaylistStore } from '../records/playlist-store';
import type { AdFiles } from './ad-files';
import { inTurns, type Turns } from './turns';

export interface PlaylistParts {
  readonly decider: Pick<
    Decider,
    'preparePlaylist' | 'setPlaylist' | 'setStaleAt' | 'mediaReady' | 'mediaGone'
  >;
  /** Lets other work run; resolves when it is this one's turn again. */
  readonly pause: () => Promise<void>;
  readonly store: PlaylistStore;
  readonly media: Pick<MediaCache, 'want' | 'lookup' | 'onChange' | 'problems'>;
  readonly files: AdFiles;
  readonly log: Log;
  /** How long after the last good answer ads without `expires_at` play, ms (rule 3). */
  readonly maxAgeMs: number;
  /** From now on these ads are the playlist: stored ones at the start, and an answer's once they take over. */
  readonly takenOver: (ads: readonly Ad[]) => void;
  /** Something that decides what may play has changed. */
  readonly changed: () => void;
}

export interface Playlist {
  /** Takes over what the books hold. */
  restore(stored: StoredPlaylist): void;
  /** A well-formed answer. It replaces the playlist once its first new media is on disk (rule 3); `nothing-playable` never does. */
  offer(playlist: StoredPlaylist): Promise<'accepted' | 'nothing-playable'>;
  /** The service says that what it last answered still holds. */
  unchanged(receivedAt: number): void;
  /** Of the playlist last accepted, whether or not it plays already; null: ask unconditionally. */
  validators(): { etag: string | null; lastModified: string | null } | null;
  current(): StoredPlaylist | null;
}

/** An answer that waits for its media. */
interface Candidate {
  readonly playlist: StoredPlaylist;
  /** Its ads, which also tell one answer from another. */
  readonly ads: readonly Ad[];
  /** Its ads of distinct media; see `distinctMedia`. */
  readonly media: ReadonlyMap<string, Ad>;
  /** Those of them that could not be shown when it came. */
  readonly fresh: readonly Ad[];
}

/** Keeps the one playlist that plays, and the one that waits for its media to take its place. */
export function createPlaylist(parts: PlaylistParts): Playlist {
  const { decider, files, media, log } = parts;
  let current: StoredPlaylist | null = null;
  let candidate: Candidate | null = null;
  let adopting: Candidate | null = null;

  /** Ads with more than one file, by the address of each: when one fails, the next has its turn. */
  const alternatives = new Map<string, Map<string, Ad>>();
  let isWanting = false;
  /** Counts the times media was asked for: a later one replaces one that is still being worked out. */
  let wants = 0;

  const isShowable = (ad: Ad) => files.playable(ad) !== null;

  /** One ad of each media, by its key: thousands of ads share a few files. */
  async function distinctMedia({ ads }: StoredPlaylist, turns: Turns): Promise<Map<string, Ad>> {
    const distinct = new Map<string, Ad>();
    for (const ad of ads) {
      distinguish(ad, distinct);
      if (turns.isOver()) await turns.next();
    }
    return distinct;
  }

  function distinguish(ad: Ad, distinct: Map<string, Ad>): void {
    const key = files.key(ad);
    if (key !== null && !distinct.has(key)) distinct.set(key, ad);
  }

  function takeUp(key: string, ad: Ad): void {
    if (isShowable(ad)) decider.mediaReady(key);
    const urls = files.urls(ad);
    if (urls.length < 2) return;
    for (const url of urls) {
      const known = alternatives.get(url) ?? new Map<string, Ad>();
      alternatives.set(url, known.set(key, ad));
    }
  }

  /** In turns: of ten thousand ads at once everything else would wait. */
  async function wantMedia(): Promise<void> {
    wants += 1;
    const mine = wants;
    const turns = inTurns(parts.pause);
    const playing = await files.wantedInTurns(current?.ads ?? [], turns);
    const upcoming = await files.wantedInTurns(candidate?.ads ?? [], turns);
    if (mine !== wants) return;
    // In this order nothing that takes over goes unwanted in between.
    media.want('playlist', playing);
    await parts.pause();
    if (mine === wants) media.want('upcoming', upcoming);
  }

  /** A file failed: the next one of its ads is wanted, once for all that fail at about the same time. */
  function wantSoon(): void {
    if (isWanting) return;
    isWanting = true;
    void parts.pause().then(async () => {
      isWanting = false;
      await wantMedia();
      adoptWhenShowable();
    });
  }

  /** Lays the candidate out step by step, so that what plays meanwhile is not held up, and puts it in place. */
  async function adopt(chosen: Candidate): Promise<void> {
    adopting = chosen;
    const steps = decider.preparePlaylist(chosen.ads, 1);
    const turns = inTurns(parts.pause);
    let step = steps.next();
    while (!step.done) {
      if (turns.isOver()) await turns.next();
      step = steps.next();
    }
    await turns.next();
    adopting = null;
    if (candidate?.ads !== chosen.ads) return adoptWhenShowable(); // A newer answer came meanwhile.
    const playlist: StoredPlaylist = { ...candidate.playlist };
    current = playlist;
    candidate = null;
    decider.setPlaylist(step.value, playlist.receivedAt + parts.maxAgeMs);
    log.info('the playlist was replaced', { ads: playlist.ads.length });
    // To take a long playlist over fills a turn, and so does choosing from it first (rule 31).
    await turns.next();
    void wantMedia();
    parts.takenOver(playlist.ads);
    parts.changed();
    parts.store
      .storePlaylist(playlist)
      .catch((fault: unknown) =>
        log.error('the playlist could not be stored; a restart would play the old one', { fault }),
      );
  }

  /** The old playlist plays until the first new file is there, or until every one of them was tried in vain. */
  function adoptWhenShowable(): void {
    if (!candidate || adopting) return;
    const { media: distinct, fresh } = candidate;
    if (![...distinct.values()].some(isShowable)) return;
    const failed = new Set(media.problems().map((problem) => problem.url));
    const arrived =
      fresh.length === 0 ||
      fresh.some(isShowable) ||
      fresh.every((ad) => files.urls(ad).every((url) => failed.has(url)));
    if (arrived) void adopt(candidate);
  }

  media.onChange((url, ready) => {
    if (ready) decider.mediaReady(url);
    else decider.mediaGone(url);
    const others = alternatives.get(url);
    for (const [key, ad] of others ?? []) {
      if (isShowable(ad)) decider.mediaReady(key);
      else decider.mediaGone(key);
    }
    if (others && !ready) wantSoon();
    adoptWhenShowable();
    parts.changed();
  });

  return {
    restore(stored) {
      current = stored;
      decider.setPlaylist(stored.ads, stored.receivedAt + parts.maxAgeMs);
      // At once: nothing plays yet that could be late for it.
      const distinct = new Map<string, Ad>();
      for (const ad of stored.ads) distinguish(ad, distinct);
      for (const [key, ad] of distinct) takeUp(key, ad);
      media.want('playlist', files.wanted(stored.ads));
      parts.takenOver(stored.ads);
    },
    async offer(playlist) {
      const turns = inTurns(parts.pause);
      const distinct = await distinctMedia(playlist, turns);
      if (distinct.size === 0) return 'nothing-playable';
      const fresh: Ad[] = [];
      for (const ad of distinct.values()) {
        if (!isShowable(ad)) fresh.push(ad);
        if (turns.isOver()) await turns.next();
      }
      const playing = current === null ? new Map<string, Ad>() : await distinctMedia(current, turns);
      candidate = { playlist, ads: playlist.ads, media: distinct, fresh };
      // Those of a candidate that never took over go with the next answer.
      alternatives.clear();
      for (const [key, ad] of [...playing, ...distinct]) {
        takeUp(key, ad);
        if (turns.isOver()) await turns.next();
      }
      await wantMedia();
      adoptWhenShowable();
      return 'accepted';
    },
    unchanged(receivedAt) {
      if (candidate) {
        candidate = { ...candidate, playlist: { ...candidate.playlist, receivedAt } };
        return;
      }
      if (!current) return;
      current = { ...current, receivedAt };
      decider.setStaleAt(receivedAt + parts.maxAgeMs);
      parts.changed();
      parts.store
        .renewPlaylist(receivedAt)
        .catch((fault: unknown) =>
          log.error('the time of the last good answer could not be stored', { fault }),
        );
    },
    validators() {
      const latest = candidate?.playlist ?? current;
      return latest && (latest.etag !== null || latest.lastModified !== null)
        ? { etag: latest.etag, lastModified: latest.lastModified }
        : null;
    },
    current: () => current,
  };
}
