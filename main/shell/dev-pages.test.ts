import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listening, untilNobodyListens } from '../../tools/fleet/loopback-ports';
import { KIOSK_POLICY } from './content-policy';
import { fileFromDevServer } from './dev-pages';

describe('the kiosk page during development', () => {
  let close: () => Promise<void>;
  let address = '';

  beforeEach(async () => {
    const server = createServer((request, response) => {
      response.writeHead(request.url === '/missing.js' ? 404 : 200, { 'content-type': 'text/css' });
      response.end(`${request.headers.accept} ${request.url}`);
    });
    const { port, [Symbol.asyncDispose]: dispose } = await listening(server);
    address = `http://127.0.0.1:${port}`;
    close = dispose;
  });
  afterEach(() => close());

  const asked = async (path: string) =>
    await fileFromDevServer(new URL(`endcap://kiosk${path}`), 'text/css', address);

  it('comes from the dev server, with all its files', async () => {
    expect(String((await asked('/')).data)).toBe('text/css /kiosk/index.html');
    const file = await asked('/kiosk/kiosk.css?t=5');
    expect(String(file.data)).toBe('text/css /kiosk/kiosk.css?t=5');
    expect(file.headers?.['content-type']).toBe('text/css');
    expect((await asked('/missing.js')).statusCode).toBe(404);
  });

  it('may also reach the dev server, but no other additional address', async () => {
    const { headers } = await asked('/');
    const directives = headers?.['content-security-policy']?.split('; ') ?? [];
    expect(directives.filter((directive) => !KIOSK_POLICY.split('; ').includes(directive))).toEqual([
      "script-src 'self' 'unsafe-inline'",
      "style-src 'self' 'unsafe-inline'",
      `connect-src media: 'self' ${address.replace('http', 'ws')}`,
    ]);
  });

  it('is an error while no server answers', async () => {
    await close();
    await untilNobodyListens(Number(new URL(address).port));
    expect((await asked('/')).statusCode).toBe(502);
  });
});
