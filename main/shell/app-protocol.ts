import { readFileSync } from 'node:fs';
import { extname, join, normalize, sep } from 'node:path';
import { protocol, type Session } from 'electron';
import { APP_SCHEME, KIOSK_ORIGIN, MEDIA_SCHEME, RECORDS_ORIGIN } from '../../shared/channels';
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
 * origins, so that the window with the books shares nothing with the one that
 * shows ads. Only files below the page folder are read.
 */
export function serveApp(session: Session, pages: string): PagesAsked {
  const unasked = new Set([`${KIOSK_ORIGIN}/`, `${RECORDS_ORIGIN}/`]);
  let pagesToGo = unasked.size;
  const both = Promise.withResolvers<void>();
  const whole = Promise.withResolvers<void>();
  // Not `protocol.handle`: its first request loads Node's whole fetch, and the first creative waits for that.
  session.protocol.registerBufferProtocol(APP_SCHEME, ({ url }, answer) => {
    const file = pageFile(new URL(url), pages);
    answer(file);
    if (!unasked.delete(url)) return;
    const named = filesNamedBy(url, file);
    for (const other of named) unasked.add(other);
    if (named.length > 0) pagesToGo -= 1;
    if (pagesToGo === 0) both.resolve();
    if (unasked.size === 0) whole.resolve();
  });
  return { both: both.promise, whole: whole.promise };
}

/** How far the windows are with their pages. */
export interface PagesAsked {
  /** Resolves when both pages have been asked for. */
  readonly both: Promise<void>;
  /** Resolves when all the files that they name have been, too. */
  readonly whole: Promise<void>;
}

/** Scripts and style sheets that a page of ours loads with itself. */
function filesNamedBy(url: string, { data, headers }: PageFile): string[] {
  if (headers?.['content-type'] !== CONTENT_TYPES['.html']) return [];
  return [...data.toString().matchAll(/\b(?:src|href)="([^"]+)"/g)].map(
    ([, named = '']) => new URL(named, url).href,
  );
}

interface PageFile {
  readonly statusCode?: number;
  readonly data: Buffer;
  readonly headers?: Record<string, string>;
}

function pageFile(url: URL, pages: string): PageFile {
  const missing = { statusCode: 404, data: Buffer.alloc(0) };
  if (url.host !== 'kiosk' && url.host !== 'records') return missing;
  const path = url.pathname === '/' ? `/${url.host}/index.html` : decodeURIComponent(url.pathname);
  const file = normalize(join(pages, path));
  const type = CONTENT_TYPES[extname(file)];
  if (!file.startsWith(pages + sep) || type === undefined) return missing;
  try {
    return {
      // A few small files, from memory as a rule.
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
