import { session } from 'electron';
import { MEDIA_SCHEME } from '../../shared/channels';
import { mediaResponse } from '../media/media-response';

/** Serves creatives and house files from disk to the kiosk window, as `media://`. */
export function serveMedia(stores: Parameters<typeof mediaResponse>[1]): void {
  session.defaultSession.protocol.handle(MEDIA_SCHEME, (request) => mediaResponse(request, stores));
}
