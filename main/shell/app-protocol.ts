import { readFileSync } from 'node:fs';
import { extname, join, normalize, sep } from 'node:path';
import { Readable } from 'node:stream';
import { type ProtocolResponse, protocol, type Session, session } from 'electron';
import { APP_SCHEME, MEDIA_SCHEME } from '../../shared/channels';
import { type MediaFiles, mediaResponse } from '../media/media-response';
import { KIOSK_POLICY, RECORDS_POLICY } from './content-policy';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** Must run before Electron is ready. */
export function registerSchemes(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      // Our scripts are compiled once, not at every start.
      privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
    },
    {
      scheme: MEDIA_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, corsEnabled: true, stream: true },
    },
  ]);
}

/**
 * Serves our built pages as `endcap://kiosk/` and `endcap://records/`: two
 * origins, so that the records window shares nothing with the window that
 * shows ads. Only files below the page folder are read.
 * @param devServer address of the server that `npm run dev` started for the kiosk page; null: the built page
 */
export function serveApp(session: Session, pages: string, devServer: string | null): void {
  // Not `protocol.handle`: its first request loads Node's whole fetch, and the first creative waits for that.
  session.protocol.registerBufferProtocol(APP_SCHEME, ({ url, headers }, answer) => {
    const asked = new URL(url);
    if (devServer === null || asked.host !== 'kiosk') answer(pageFile(asked, pages));
    else
      void import('./dev-pages')
        .then(({ fileFromDevServer }) => fileFromDevServer(asked, headers.Accept ?? '*/*', devServer))
        .then(answer);
  });
}

function pageFile(url: URL, pages: string): ProtocolResponse {
  const missing = { statusCode: 404, data: Buffer.alloc(0) };
  if (url.host !== 'kiosk' && url.host !== 'records') return missing;
  const path = url.pathname === '/' ? `/${url.host}/index.html` : decodeURIComponent(url.pathname);
  const file = normalize(join(pages, path));
  const type = CONTENT_TYPES[extname(file)];
  if (!file.startsWith(pages + sep) || type === undefined) return missing;
  try {
    return {
      // Read synchronously: these are a few small files, usually in the system's cache.
      data: readFileSync(file),
      headers: {
        'content-type': type,
        'content-security-policy': url.host === 'kiosk' ? KIOSK_POLICY : RECORDS_POLICY,
        'x-content-type-options': 'nosniff',
      },
    };
  } catch {
    return missing;
  }
}

/**
 * Serves creatives from disk to the kiosk window, as `media://`; none until the returned
 * function has set the files. Call it before the window loads: a loaded page does not see
 * a protocol that is registered later.
 */
export function serveMedia(): (files: MediaFiles) => void {
  let files: MediaFiles | null = null;
  // Not `protocol.handle`: its first request loads Node's whole fetch, and every response passes through web streams.
  session.defaultSession.protocol.registerStreamProtocol(MEDIA_SCHEME, ({ url, headers }, answer) => {
    const range = Object.entries(headers).find(([name]) => name.toLowerCase() === 'range')?.[1] ?? null;
    const { status, headers: given, body } = mediaResponse({ url, range }, files);
    // Cancelling (a seek, a released element) destroys the file's stream with it.
    answer({ statusCode: status, headers: given, data: body ?? Readable.from([]) });
  });
  return (next) => {
    files = next;
  };
}
