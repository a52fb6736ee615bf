import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { MediaCache } from '../media/media-cache';
import type { ReadingError, Text } from '../reading/reading';
import type { Schedule } from '../schedule';
import type { AdsClient } from '../service/ads';
import type { Unreadable } from '../service/ads-reading/vast-document';
import type { ResolvedAds } from '../service/ads-reading/wrappers';
import type { InventoryAnswer } from '../service/inventory';
import { createPlaylistRefresh, type PlaylistRefresh } from '../service/playlist-refresh';
import type { ServerTime } from '../service/server-time';
import type { ServiceFailure } from '../service/service-error';
import type { Tell } from '../status/facts';
import type { reportService } from '../status/report-service';
import type { AdFiles } from './ad-files';
import type { Playlist } from './playlist';
import { playlistAnswers } from './playlist-answers';

export interface PlaylistSupply extends Pick<PlaylistRefresh, 'start' | 'refreshNow' | 'askAgain' | 'stop'> {
  /** Asks the inventory service whether it accepts this account; does nothing without one. */
  askInventory(): Promise<void>;
}

/** Refreshes the playlist from the service, and reports the results. */
export function createPlaylistSupply(parts: {
  readonly ads: AdsClient;
  readonly playlist: Playlist;
  readonly media: Pick<MediaCache, 'revalidate'>;
  readonly files: Pick<AdFiles, 'key' | 'lookAt'>;
  readonly read: (document: Text, leftMs: number) => Promise<ResolvedAds | Unreadable | ReadingError>;
  /** Lets other work run; resolves when this work may continue. */
  readonly pause: () => Promise<void>;
  /** Null: there is no account to ask with. */
  readonly inventory: (() => Promise<InventoryAnswer | ServiceFailure>) | null;
  /** Host of the ads service, for error messages. */
  readonly host: string;
  readonly refreshSeconds: number;
  readonly trust: (time: ServerTime | null) => void;
  readonly tell: Tell;
  readonly tellService: ReturnType<typeof reportService>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly log: Log;
}): PlaylistSupply {
  const { ads, playlist, files, inventory, host, trust, tell, tellService, clock, log } = parts;
  let inventoryAnswers = inventory === null;

  async function askInventory(): Promise<void> {
    if (!inventory) return;
    const answer = await inventory();
    tellService('inventory', answer);
    inventoryAnswers = answer.kind === 'ok';
    if (answer.kind === 'ok') trust(answer.serverTime);
    else
      log.warn('the inventory service does not take this account', {
        code: answer.error.code,
        message: answer.error.message,
      });
  }

  const take = playlistAnswers({
    async read(document, leftMs) {
      const reading = await parts.read(document, leftMs);
      if (reading.kind === 'ads') await files.lookAt(reading.ads, parts.pause);
      return reading;
    },
    playlist,
    clock,
    log,
    host,
    trust,
    onRead(accepted, rejected) {
      const playable = accepted.filter((ad) => files.key(ad) !== null).length;
      const playlist = { ads: accepted.length, playable, rejected, receivedAt: clock.now() };
      tell({ kind: 'playlist', playlist });
    },
    onNoFill: () => tell({ kind: 'no-fill' }),
  });
  const refresh = createPlaylistRefresh({
    request: ads.requestPlaylist,
    tell: (result) => tellService('ads', result),
    offer: async (answer) => {
      const verdict = await take(answer);
      if (verdict.kind === 'accepted') parts.media.revalidate();
      if (!inventoryAnswers) void askInventory();
      return verdict;
    },
    validators: playlist.validators,
    host,
    refreshSeconds: parts.refreshSeconds,
    clock,
    random: parts.random,
    schedule: parts.schedule,
    log,
  });
  const { start, refreshNow, askAgain, stop } = refresh;
  return { start, refreshNow, askAgain, stop, askInventory };
}
