import { Readable } from 'node:stream';
import { session } from 'electron';
import { MEDIA_SCHEME } from '../../shared/channels';
import { mediaResponse } from '../media/media-response';

export type MediaStores = Parameters<typeof mediaResponse>[1];

/**
 * Serves creatives from disk to the kiosk window, as `media://`:
 * none until stores are handed over. To be called before the window loads; a page
 * that is there already does not learn of a protocol that comes later.
 */
export function serveMedia(): (stores: MediaStores) => void {
  let stores: MediaStores = {};
  // Not `protocol.handle`: its first request loads Node's whole fetch, and each passes through web streams.
  session.defaultSession.protocol.registerStreamProtocol(MEDIA_SCHEME, ({ url, method, headers }, answer) => {
    const range = Object.entries(headers).find(([name]) => name.toLowerCase() === 'range')?.[1] ?? null;
    const { status, headers: given, body } = mediaResponse({ url, method, range }, stores);
    // Cancelling (a seek, a released element) destroys the file's stream with it.
    answer({ statusCode: status, headers: given, data: body ?? Readable.from([]) });
  });
  return (next) => {
    stores = next;
  };
}
