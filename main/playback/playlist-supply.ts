import type { MediaCache } from '../media/media-cache';
import type { Schedule } from '../schedule';
import type { AdsClient } from '../service/ads';
import type { ServiceResponse } from '../service/http';
import { createPlaylistRefresh } from '../service/playlist-refresh';
import type { ServiceFailure } from '../service/service-error';
import type { Tell } from '../status/facts';
import type { reportService } from '../status/report-service';
import type { AdFiles } from './ad-files';
import { type PlaylistAnswersParts, playlistAnswers } from './playlist-answers';

interface PlaylistSupplyParts extends Omit<PlaylistAnswersParts, 'onRead' | 'onNoFill'> {
  readonly ads: AdsClient;
  readonly media: Pick<MediaCache, 'revalidate'>;
  readonly files: Pick<AdFiles, 'key' | 'lookAt'>;
  /** Lets other work run; resolves when this work may continue. */
  readonly pause: () => Promise<void>;
  /** Null: there is no account to ask with. */
  readonly inventory: (() => Promise<ServiceResponse | ServiceFailure>) | null;
  readonly refreshSeconds: number;
  readonly tell: Tell;
  readonly tellService: ReturnType<typeof reportService>;
  readonly random: () => number;
  readonly schedule: Schedule;
}

/** Refreshes the playlist from the service, and reports the results. */
export function createPlaylistSupply(parts: PlaylistSupplyParts) {
  const { ads, playlist, files, inventory, host, refreshSeconds, trust, tell, tellService } = parts;
  const { clock, random, schedule, log } = parts;
  let inventoryAnswers = inventory === null;

  /** Asks the inventory service whether it accepts this account; does nothing without one. */
  async function askInventory(): Promise<void> {
    if (!inventory) return;
    const answer = await inventory();
    tellService('inventory', answer);
    inventoryAnswers = answer.kind === 'response';
    if (answer.kind === 'response') trust(answer.serverTime);
    else
      log.warn('the inventory service does not take this account', {
        code: answer.error.code,
        message: answer.error.message,
      });
  }

  const take = playlistAnswers({
    ...{ playlist, clock, log, host, trust },
    async read(document, leftMs) {
      const reading = await parts.read(document, leftMs);
      if (reading.kind === 'ads') await files.lookAt(reading.ads, parts.pause);
      return reading;
    },
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
    ...{ host, refreshSeconds, clock, random, schedule, log },
  });
  return { ...refresh, askInventory };
}
