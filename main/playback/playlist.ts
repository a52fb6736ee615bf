import type { Ad } from '../../shared/ad';
import type { Log } from '../../shared/log';
import type { StoredPlaylist } from '../../shared/records';
import type { Decider } from '../decisioning/decider';
import type { MediaCache, WantedMedia } from '../media/media-cache';
import type { Records } from '../records/records-client';

export interface PlaylistParts {
  readonly decider: Pick<
    Decider,
    'preparePlaylist' | 'setPlaylist' | 'setStaleAt' | 'mediaReady' | 'mediaGone'
  >;
  /** Lets other work run; resolves when it is this one's turn again. */
  readonly pause: () => Promise<void>;
  readonly records: Records;
  readonly media: Pick<MediaCache, 'want' | 'lookup' | 'onChange' | 'problems'>;
  /** URL of the file this kiosk shows for an ad, or null when it can show none of them. */
  readonly mediaUrl: (ad: Ad) => string | null;
  readonly log: Log;
  readonly environment: string;
  /** How long after the last good answer ads without `expires_at` play, ms (rule 3). */
  readonly maxAgeMs: number;
  /** Something that decides what may play has changed. */
  readonly changed: () => void;
}

export interface Playlist {
  /** Takes over what the books hold. */
  restore(stored: StoredPlaylist): void;
  /** A well-formed answer. It replaces the playlist once its first new media is on disk (rule 3); `nothing-playable` never does. */
  offer(playlist: StoredPlaylist): 'accepted' | 'nothing-playable';
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
  /** The media it brings that were not on disk when it came. */
  readonly fresh: readonly string[];
}

/** About 2 ms of work on a small kiosk computer. */
const ADS_PER_STEP = 200;

/** Keeps the one playlist that plays, and the one that waits for its media to take its place. */
export function createPlaylist(parts: PlaylistParts): Playlist {
  const { decider, media, log, environment } = parts;
  let current: StoredPlaylist | null = null;
  let candidate: Candidate | null = null;
  let adopting: Candidate | null = null;

  const mediaOf = (playlist: StoredPlaylist | null): string[] =>
    (playlist?.ads ?? []).flatMap((ad) => parts.mediaUrl(ad) ?? []);

  const wantedBy = (playlist: StoredPlaylist | null): WantedMedia[] =>
    (playlist?.ads ?? []).flatMap((ad) => {
      const url = parts.mediaUrl(ad);
      return url === null ? [] : [{ url, expiresAt: ad.metadata.expiresAt }];
    });

  function wantMedia(): void {
    // In this order nothing that takes over goes unwanted in between.
    media.want('playlist', wantedBy(current));
    media.want('upcoming', wantedBy(candidate?.playlist ?? null));
  }

  /** Lays the candidate out step by step, so that what plays meanwhile is not held up, and puts it in place. */
  async function adopt(chosen: Candidate): Promise<void> {
    adopting = chosen;
    const steps = decider.preparePlaylist(chosen.ads, ADS_PER_STEP);
    let step = steps.next();
    while (!step.done) {
      await parts.pause();
      step = steps.next();
    }
    adopting = null;
    if (candidate?.ads !== chosen.ads) return adoptWhenShowable(); // A newer answer came meanwhile.
    const playlist: StoredPlaylist = { ...candidate.playlist };
    current = playlist;
    candidate = null;
    decider.setPlaylist(step.value, playlist.receivedAt + parts.maxAgeMs);
    wantMedia();
    log.info('the playlist was replaced', { ads: playlist.ads.length });
    parts.changed();
    parts.records
      .run('storePlaylist', { environment, playlist })
      .catch((fault: unknown) =>
        log.error('the playlist could not be stored; a restart would play the old one', { fault }),
      );
  }

  /** The old playlist plays until the first new file is there, or until every one of them was tried in vain. */
  function adoptWhenShowable(): void {
    if (!candidate || adopting) return;
    const { playlist, fresh } = candidate;
    const showable = mediaOf(playlist).some((url) => media.lookup(url) !== null);
    const failed = new Set(media.problems().map((problem) => problem.url));
    const arrived =
      fresh.length === 0 ||
      fresh.some((url) => media.lookup(url) !== null) ||
      fresh.every((url) => failed.has(url));
    if (showable && arrived) void adopt(candidate);
  }

  media.onChange((url, ready) => {
    if (ready) decider.mediaReady(url);
    else decider.mediaGone(url);
    adoptWhenShowable();
    parts.changed();
  });

  return {
    restore(stored) {
      current = stored;
      decider.setPlaylist(stored.ads, stored.receivedAt + parts.maxAgeMs);
      for (const url of mediaOf(stored)) if (media.lookup(url)) decider.mediaReady(url);
      wantMedia();
    },
    offer(playlist) {
      const urls = mediaOf(playlist);
      if (urls.length === 0) return 'nothing-playable';
      candidate = { playlist, ads: playlist.ads, fresh: urls.filter((url) => media.lookup(url) === null) };
      for (const url of urls) if (media.lookup(url)) decider.mediaReady(url);
      wantMedia();
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
      parts.records
        .run('renewPlaylist', { environment, receivedAt })
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
