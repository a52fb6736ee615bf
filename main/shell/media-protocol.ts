import { Readable } from 'node:stream';
import { session } from 'electron';
import { MEDIA_SCHEME } from '../../shared/channels';
import { type MediaFiles, mediaResponse } from '../media/media-response';

/**
 * Serves creatives from disk to the kiosk window, as `media://`; none until the returned
 * function has set the files. Call it before the window loads: a loaded page does not see
 * a protocol that is registered later.
 */
export function serveMedia(): (files: MediaFiles) => void {
  let files: MediaFiles | null = null;
  // Not `protocol.handle`: its first request loads Node's whole fetch, and each passes through web streams.
  session.defaultSession.protocol.registerStreamProtocol(MEDIA_SCHEME, ({ url, method, headers }, answer) => {
    const range = Object.entries(headers).find(([name]) => name.toLowerCase() === 'range')?.[1] ?? null;
    const { status, headers: given, body } = mediaResponse({ url, method, range }, files);
    // Cancelling (a seek, a released element) destroys the file's stream with it.
    answer({ statusCode: status, headers: given, data: body ?? Readable.from([]) });
  });
  return (next) => {
    files = next;
  };
}
