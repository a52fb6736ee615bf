import { session } from 'electron';
import { MEDIA_SCHEME } from '../../shared/channels';
import { mediaResponse } from '../media/media-response';

export type MediaStores = Parameters<typeof mediaResponse>[1];

/**
 * Serves creatives and house files from disk to the kiosk window, as `media://`:
 * none until stores are handed over. To be called before the window loads; a page
 * that is there already does not learn of a protocol that comes later.
 */
export function serveMedia(): (stores: MediaStores) => void {
  let stores: MediaStores = {};
  session.defaultSession.protocol.handle(MEDIA_SCHEME, (request) => mediaResponse(request, stores));
  return (next) => {
    stores = next;
  };
}
