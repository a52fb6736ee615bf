import type { Ad } from '../../shared/ad';
import type { Clock } from '../../shared/clock';
import type { StoredPlaylist } from '../../shared/records';
import type { Basics } from '../basics';
import type { Decider } from '../decisions/decider';
import { validUntil } from '../decisions/explain';
import type { MediaCache } from '../media/media-cache';
import type { PlaylistStore } from '../records/stored-playlist';
import { inTurns } from '../turns';
import { PlaylistMedia, type PlaylistMediaParts } from './playlist-media';
import { type UnusableAdsParts, watchUnusable } from './unusable-ads';

export interface PlaylistParts
  extends PlaylistMediaParts,
    Pick<UnusableAdsParts, 'unusable'>,
    Pick<Basics, 'log'> {
  readonly clock: Pick<Clock, 'now'>;
  readonly media: UnusableAdsParts['media'] & Pick<MediaCache, 'want' | 'onChange' | 'problems' | 'waitMs'>;
  readonly decider: Pick<
    Decider,
    'preparePlaylist' | 'setPlaylist' | 'setStaleAt' | 'mediaReady' | 'mediaGone'
  >;
  readonly store: PlaylistStore;
  /** How long after the last good answer ads without `expires_at` play, ms (rule 3). */
  readonly maxAgeMs: number;
  /**
   * Called with the ads that are the playlist from now on: the stored ones at start, and an answer's once they take
   * over.
   */
  readonly takenOver: (ads: readonly Ad[]) => void;
  /** Something that decides what may play has changed. */
  readonly changed: () => void;
}

export type Playlist = ReturnType<typeof createPlaylist>;

/** An answer that waits for its media. */
interface Candidate {
  /** The array of its ads also identifies the answer. */
  readonly playlist: StoredPlaylist;
  /** One ad of each media that had not expired when the answer came or was confirmed; see `PlaylistMedia.distinct`. */
  readonly valid: readonly Ad[];
  /** Those of `valid` that could not be shown when it came. The files of expired ads are not fetched. */
  readonly fresh: readonly Ad[];
}

/** A candidate that the service confirmed, without what has expired meanwhile: nobody fetches those files. */
function confirmed({ playlist, valid, fresh }: Candidate, receivedAt: number): Candidate {
  const isValid = (ad: Ad) => validUntil(ad, null) >= receivedAt;
  return {
    playlist: { ...playlist, receivedAt },
    valid: valid.filter(isValid),
    fresh: fresh.filter(isValid),
  };
}

/** No ad of this playlist will ever play again, whatever comes of caps, signals and files. */
function isOver(playlist: StoredPlaylist | null, parts: Pick<PlaylistParts, 'clock' | 'maxAgeMs'>): boolean {
  const staleAt = (playlist?.receivedAt ?? 0) + parts.maxAgeMs;
  return !playlist?.ads.some((ad) => validUntil(ad, staleAt) >= parts.clock.now());
}

/** Holds the playlist that plays, and the candidate that waits for its media before it takes over. */
export function createPlaylist(parts: PlaylistParts) {
  const { decider, files, media, log } = parts;
  let current: StoredPlaylist | null = null;
  let candidate: Candidate | null = null;
  let isTakingOver = false;
  /** The one that plays could not be stored. Renewing the stored one would let that play after a restart. */
  let mustBeStored = false;

  const medias = new PlaylistMedia(parts);
  const wantMedia = () => medias.want(current?.ads ?? [], candidate?.playlist.ads ?? []);
  /** After a file failed, the next file of its ads is wanted: once for all files that fail at about the same time. */
  let isWanting = false;
  function wantSoon(): void {
    if (isWanting) return;
    isWanting = true;
    void parts.pause().then(async () => {
      isWanting = false;
      await wantMedia();
      takeOverWhenShowable();
    });
  }

  async function store(playlist: StoredPlaylist): Promise<void> {
    mustBeStored = false;
    await parts.store.storePlaylist(playlist).catch((error: unknown) => {
      mustBeStored = true;
      log.error('the playlist could not be stored; a restart would play the old one', { error });
    });
  }

  /** Lays out the candidate in turns, so that playback is not delayed, and puts it in force. */
  async function takeOver({ ads }: StoredPlaylist): Promise<void> {
    isTakingOver = true;
    const steps = decider.preparePlaylist(ads);
    const turns = inTurns(parts.pause);
    let step = steps.next();
    while (!step.done) {
      if (turns.isOver()) await turns.next();
      step = steps.next();
    }
    await turns.next();
    isTakingOver = false;
    if (candidate?.playlist.ads !== ads) return takeOverWhenShowable(); // A newer answer came meanwhile.
    const { playlist } = candidate;
    current = playlist;
    candidate = null;
    decider.setPlaylist(step.value, playlist.receivedAt + parts.maxAgeMs);
    log.info('the playlist was replaced', { ads: ads.length });
    // Taking over a long playlist fills a turn, and so does the first choice from it (rule 31).
    await turns.next();
    void wantMedia();
    parts.takenOver(ads);
    parts.changed();
    void store(playlist);
  }

  /**
   * The old playlist plays until a valid ad of the candidate can be shown, and the first of its new files is on disk, all
   * of them have failed, or the old one is over.
   */
  function takeOverWhenShowable(): void {
    if (isTakingOver || !candidate?.valid.some(medias.isShowable)) return;
    const { fresh, playlist } = candidate;
    const failed = new Set(media.problems().map((problem) => problem.url));
    // A file that waits for its next try has failed, too: its problem is forgotten while no answer has it.
    const hasFailed = (url: string) => failed.has(url) || media.waitMs(url) > 0;
    const noneComes = fresh.every((ad) => files.urls(ad).every(hasFailed));
    if (noneComes || isOver(current, parts) || fresh.some(medias.isShowable)) void takeOver(playlist);
  }

  const playlists = () => [candidate?.playlist, current].flatMap((playlist) => playlist?.ads ?? []);
  const reportUnusable = watchUnusable(parts, playlists);
  media.onChange(
    (url, ready) => {
      void reportUnusable(url, ready);
      if (medias.fileChanged(url, ready) && !ready) wantSoon();
    },
    () => {
      takeOverWhenShowable();
      parts.changed();
    },
  );

  return {
    /** Wants the files of all ads anew: to be called when other files of them may be the best ones. */
    wantMedia,
    /**
     * Takes over the stored playlist, at start. Its validators are dropped: since then the settings may have changed
     * the request, and validators hold for the same request only.
     */
    restore(stored: StoredPlaylist): void {
      current = { ...stored, etag: null, lastModified: null };
      decider.setPlaylist(stored.ads, stored.receivedAt + parts.maxAgeMs);
      medias.restore(stored.ads);
      parts.takenOver(stored.ads);
    },
    /**
     * A well-formed answer. It replaces the playlist once its first new media is on disk (rule 3). `nothing-playable`: it
     * never does, because all its ads have expired or none has a file that this kiosk can show.
     */
    async offer(playlist: StoredPlaylist): Promise<'accepted' | 'nothing-playable'> {
      const turns = inTurns(parts.pause);
      const distinct = await medias.distinct(playlist.ads, turns);
      const valid = [...distinct.values()].filter((ad) => validUntil(ad, null) >= playlist.receivedAt);
      if (valid.length === 0) return 'nothing-playable';
      const fresh: Ad[] = [];
      await turns.each(valid, (ad) => {
        if (!medias.isShowable(ad)) fresh.push(ad);
      });
      candidate = { playlist, valid, fresh };
      // From now on no earlier answer can take over.
      const playing = await medias.distinct(current?.ads ?? [], turns);
      await medias.watch([...playing, ...distinct], turns);
      await wantMedia();
      takeOverWhenShowable();
      return 'accepted';
    },
    /** The service confirmed its last answer. Resolves when the new time is stored, or storing it failed. */
    async unchanged(receivedAt: number): Promise<void> {
      if (candidate) {
        candidate = confirmed(candidate, receivedAt);
        takeOverWhenShowable();
        return;
      }
      if (!current) return;
      current = { ...current, receivedAt };
      decider.setStaleAt(receivedAt + parts.maxAgeMs);
      parts.changed();
      if (mustBeStored) return store(current);
      await parts.store
        .renewPlaylist(receivedAt)
        .catch((error: unknown) =>
          log.error('the time of the last good answer could not be stored', { error }),
        );
    },
    /**
     * The validators of the playlist accepted last in this run, whether or not it plays already; null: ask
     * unconditionally.
     */
    validators(): { etag: string | null; lastModified: string | null } | null {
      const latest = candidate?.playlist ?? current;
      return latest && (latest.etag !== null || latest.lastModified !== null)
        ? { etag: latest.etag, lastModified: latest.lastModified }
        : null;
    },
    current: (): StoredPlaylist | null => current,
    /** For people who ask why nothing plays: before a first playlist plays, the answer that waits for its media. */
    latest: (): StoredPlaylist | null => current ?? candidate?.playlist ?? null,
  };
}
