import { KIOSK_POLICY } from './content-policy';

/** A file for a page, as Electron's buffer protocols take it. */
export interface ServedFile {
  readonly statusCode?: number;
  readonly data: Buffer;
  readonly headers?: Record<string, string>;
}

/**
 * The kiosk page's content policy, and what Vite needs to replace modules in a running page: scripts and styles in the
 * page, and a socket to its server. Only for `npm run dev`.
 */
function developmentPolicy(server: string): string {
  return KIOSK_POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    .replace('connect-src media:', `connect-src media: 'self' ${server.replace(/^http/, 'ws')}`);
}

/**
 * Asks Vite's server for a file of the kiosk page.
 * @param server its address, `http://127.0.0.1:PORT`
 */
export async function fileFromDevServer(url: URL, accept: string, server: string): Promise<ServedFile> {
  const path = url.pathname === '/' ? '/kiosk/index.html' : url.pathname;
  try {
    const answer = await fetch(`${server}${path}${url.search}`, { headers: { accept } });
    return {
      statusCode: answer.status,
      data: Buffer.from(await answer.arrayBuffer()),
      headers: {
        'content-type': answer.headers.get('content-type') ?? 'application/octet-stream',
        'content-security-policy': developmentPolicy(server),
      },
    };
  } catch {
    return { statusCode: 502, data: Buffer.alloc(0) };
  }
}
