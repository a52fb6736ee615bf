import { developmentPolicy } from './content-policy';

/**
 * Asks Vite's server for a file of the kiosk page.
 * @param server its address, `http://127.0.0.1:PORT`
 */
export async function fileFromDevServer(url: URL, accept: string, server: string) {
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
