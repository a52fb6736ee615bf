import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { protocol, type Session } from 'electron';
import { APP_SCHEME, GUEST_SCHEME, MEDIA_SCHEME } from '../../shared/channels';
import { KIOSK_POLICY, RECORDS_POLICY } from './content-policy';

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
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
    { scheme: GUEST_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
    {
      scheme: MEDIA_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
    },
  ]);
}

/**
 * Serves our built pages as `endcap://kiosk/` and `endcap://records/`: two
 * origins, so that the window with the books shares nothing with the one that
 * shows ads. Only files below the page folder are read.
 */
export function serveApp(session: Session, pages: string): void {
  session.protocol.handle(APP_SCHEME, async (request) => {
    const url = new URL(request.url);
    if (url.host !== 'kiosk' && url.host !== 'records') return new Response(null, { status: 404 });
    const path = url.pathname === '/' ? `/${url.host}/index.html` : decodeURIComponent(url.pathname);
    const file = normalize(join(pages, path));
    const type = CONTENT_TYPES[extname(file)];
    if (!file.startsWith(pages + sep) || type === undefined) return new Response(null, { status: 404 });
    try {
      return new Response(new Uint8Array(await readFile(file)), {
        headers: {
          'content-type': type,
          'content-security-policy': url.host === 'kiosk' ? KIOSK_POLICY : RECORDS_POLICY,
          'x-content-type-options': 'nosniff',
        },
      });
    } catch {
      return new Response(null, { status: 404 });
    }
  });
}
