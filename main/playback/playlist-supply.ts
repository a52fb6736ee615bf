import type { Ad } from '../../shared/ad';
import type { Basics } from '../basics';
import type { MediaCache } from '../media/media-cache';
import type { AdsClient } from '../service/ads';
import type { ServiceResponse } from '../service/http';
import { createPlaylistRefresh } from '../service/playlist-refresh';
import type { ServiceFailure } from '../service/service-error';
import type { PlaylistFact, Tell } from '../status/facts';
import type { reportService } from '../status/report-service';
import type { AdFiles } from './ad-files';
import { type PlaylistAnswersParts, playlistAnswers } from './playlist-answers';

interface PlaylistSupplyParts
  extends Omit<PlaylistAnswersParts, 'onRead' | 'onNoFill'>,
    Pick<Basics, 'schedule' | 'random' | 'pause'> {
  readonly ads: AdsClient;
  readonly media: Pick<MediaCache, 'revalidate'>;
  readonly files: Pick<AdFiles, 'key' | 'lookAt'>;
  /** Null: there is no account to ask with. */
  readonly inventory: (() => Promise<ServiceResponse | ServiceFailure>) | null;
  readonly refreshSeconds: number;
  readonly tell: Tell;
  readonly tellService: ReturnType<typeof reportService>;
}

/** Refreshes the playlist from the service, and reports the results. */
export function createPlaylistSupply(parts: PlaylistSupplyParts) {
  const { ads, playlist, files, inventory, trust, tell, tellService, clock, log } = parts;
  /** When the inventory service may be asked, monotonic ms; Infinity: it is being asked, or has answered. */
  let askInventoryFrom = Number.NEGATIVE_INFINITY;

  /** Asks the inventory service, until it says so, whether it accepts this account; does nothing without one. */
  async function askInventory(): Promise<void> {
    if (!inventory || clock.monotonic() < askInventoryFrom) return;
    askInventoryFrom = Number.POSITIVE_INFINITY;
    const answer = await inventory();
    tellService('inventory', answer);
    if (answer.kind === 'response') return trust(answer.serverTime);
    const { code, message, retryAfterMs = 0 } = answer.error;
    askInventoryFrom = clock.monotonic() + retryAfterMs;
    log.warn('the inventory service did not confirm the account', { code, message });
  }

  function report(all: readonly Ad[], rejected: PlaylistFact['rejected'], receivedAt: number): void {
    const playable = all.filter((ad) => files.key(ad) !== null).length;
    tell({ kind: 'playlist', playlist: { ads: all.length, playable, rejected, receivedAt } });
  }
  /** Reports the stored playlist, unless an answer is there first. */
  async function reportStored(): Promise<void> {
    const stored = playlist.current();
    if (stored === null) return;
    await files.lookAt(stored.ads, parts.pause);
    if (playlist.current()?.ads === stored.ads) report(stored.ads, [], stored.receivedAt);
  }
  void reportStored();

  const take = playlistAnswers({
    ...parts,
    onRead: (accepted, rejected) => report(accepted, rejected, clock.now()),
    onNoFill: () => tell({ kind: 'no-fill' }),
  });
  const refresh = createPlaylistRefresh({
    ...parts,
    request: ads.requestPlaylist,
    tell: (result) => tellService('ads', result),
    offer: async (answer) => {
      const verdict = await take(answer);
      if (verdict.kind === 'accepted') parts.media.revalidate();
      void askInventory();
      return verdict;
    },
    validators: playlist.validators,
  });
  return { ...refresh, askInventory };
}
