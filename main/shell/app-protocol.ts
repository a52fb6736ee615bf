import { readFileSync } from 'node:fs';
import { extname, join, normalize, sep } from 'node:path';
import { protocol, type Session } from 'electron';
import { APP_SCHEME, MEDIA_SCHEME } from '../../shared/channels';
import { KIOSK_POLICY, RECORDS_POLICY } from './content-policy';
import type { ServedFile } from './dev-pages';

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
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
      privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
    },
  ]);
}

/**
 * Serves our built pages as `endcap://kiosk/` and `endcap://records/`: two
 * origins, so that the records window shares nothing with the window that
 * shows ads. Only files below the page folder are read.
 * @param devServer address of the server that `npm run dev` started for the kiosk page; null: the built page
 */
export function serveApp(session: Session, pages: string, devServer: string | null = null): void {
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

function pageFile(url: URL, pages: string): ServedFile {
  const missing = { statusCode: 404, data: Buffer.alloc(0) };
  if (url.host !== 'kiosk' && url.host !== 'records') return missing;
  const path = url.pathname === '/' ? `/${url.host}/index.html` : decodeURIComponent(url.pathname);
  const file = normalize(join(pages, path));
  const type = CONTENT_TYPES[extname(file)];
  if (!file.startsWith(pages + sep) || type === undefined) return missing;
  try {
    return {
      // A few small files, usually in the system's cache.
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
