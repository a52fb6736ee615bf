import type { Basics } from '../basics';
import type { MediaCache } from '../media/media-cache';
import type { AdsClient } from '../service/ads';
import type { ServiceResponse } from '../service/http';
import { createPlaylistRefresh } from '../service/playlist-refresh';
import type { ServiceFailure } from '../service/service-error';
import type { Tell } from '../status/facts';
import type { reportService } from '../status/report-service';
import { type PlaylistAnswersParts, playlistAnswers } from './playlist-answers';

interface PlaylistSupplyParts
  extends Omit<PlaylistAnswersParts, 'onRead' | 'onNoFill'>,
    Pick<Basics, 'schedule' | 'random'> {
  readonly ads: AdsClient;
  readonly media: Pick<MediaCache, 'revalidate'>;
  /** Null: there is no account to ask with. */
  readonly inventory: (() => Promise<ServiceResponse | ServiceFailure>) | null;
  readonly refreshSeconds: number;
  readonly tell: Tell;
  readonly tellService: ReturnType<typeof reportService>;
}

/** Refreshes the playlist from the service, and reports the results. */
export function createPlaylistSupply(parts: PlaylistSupplyParts) {
  const { ads, playlist, inventory, trust, tell, tellService, clock, log } = parts;
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

  if (playlist.current() !== null) tell({ kind: 'playlist', rejected: [] });

  const take = playlistAnswers({
    ...parts,
    onRead: (rejected) => tell({ kind: 'playlist', rejected }),
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
