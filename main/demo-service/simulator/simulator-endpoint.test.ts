import http from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listening } from '../../../tools/fleet/loopback-ports';
import { rawRequest, serviceForTest } from '../testing/client';
import type { KioskAddress } from './kiosk-relay';

interface Heard {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A server that accepts signals like a kiosk, and records them. */
async function listeningKiosk(
  status = 204,
): Promise<{ address: KioskAddress; heard: Heard[]; stop(): Promise<void> }> {
  const heard: Heard[] = [];
  const server = http.createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    heard.push({
      method: request.method,
      path: request.url,
      authorization: request.headers.authorization,
      body,
    });
    response.writeHead(request.method === 'GET' ? 200 : status, { 'Content-Type': 'application/json' });
    response.end(request.method === 'GET' ? '{"state":"playing"}' : undefined);
  });
  const { port, [Symbol.asyncDispose]: stop } = await listening(server);
  onTestFinished(stop);
  return { address: { url: `http://127.0.0.1:${port}`, token: 'kiosk-token' }, heard, stop };
}

describe('the simulator page', () => {
  it('is one page whose scripts and styles come from the service alone', async () => {
    const service = await serviceForTest();
    const page = await rawRequest(service, '/simulator');
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    const html = page.body.toString();
    expect(html).not.toMatch(/https?:\/\//);
    const parts = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(parts.length).toBeGreaterThanOrEqual(2);
    for (const path of parts) expect([path, (await rawRequest(service, path)).status]).toEqual([path, 200]);
    expect((await rawRequest(service, '/simulator/../package.json')).status).toBe(404);
  });
});

describe('the relay to the kiosk', () => {
  it('forwards signals and the status with the token, which the page never sees', async () => {
    const { address, heard } = await listeningKiosk();
    const service = await serviceForTest({ kiosk: address });
    const body = '{"people":[],"groupSize":1}';
    const put = await rawRequest(service, '/simulator/api/signals/shopper', { method: 'PUT', body });
    const remove = await rawRequest(service, '/simulator/api/signals/weather', { method: 'DELETE' });
    const status = await rawRequest(service, '/simulator/api/status');
    expect([put.status, remove.status, status.status]).toEqual([204, 204, 200]);
    expect(JSON.parse(status.body.toString())).toEqual({ state: 'playing' });
    const authorization = 'Bearer kiosk-token';
    expect(heard).toEqual([
      { method: 'PUT', path: '/v1/signals/shopper', authorization, body },
      { method: 'DELETE', path: '/v1/signals/weather', authorization, body: '' },
      { method: 'GET', path: '/v1/status', authorization, body: '' },
    ]);
  });

  it("passes the kiosk's refusal on", async () => {
    const { address } = await listeningKiosk(422);
    const service = await serviceForTest({ kiosk: address });
    const put = await rawRequest(service, '/simulator/api/signals/cart', { method: 'PUT', body: '{}' });
    expect(put.status).toBe(422);
  });

  it('reaches nothing but the signals and the status', async () => {
    const { address, heard } = await listeningKiosk();
    const service = await serviceForTest({ kiosk: address });
    const attempts = [
      ['GET', '/simulator/api/signals/shopper'],
      ['PUT', '/simulator/api/signals/everything'],
      ['PUT', '/simulator/api/status'],
      ['GET', '/simulator/api/signals/../../metrics'],
      ['GET', '/simulator/api/'],
    ] as const;
    for (const [method, path] of attempts) {
      expect((await rawRequest(service, path, { method })).status).toBe(404);
    }
    expect(heard).toEqual([]);
  });

  it('reports a missing or unreachable kiosk, and uses a new kiosk or token at once', async () => {
    const service = await serviceForTest();
    const status = async () => (await rawRequest(service, '/simulator/api/status')).status;
    expect(await status()).toBe(503);
    const gone = await listeningKiosk();
    await gone.stop();
    service.setKiosk(gone.address);
    expect(await status()).toBe(502);
    const { address, heard } = await listeningKiosk();
    let token = 'first';
    service.setKiosk({ url: address.url, token: () => token });
    expect(await status()).toBe(200);
    token = 'second';
    expect(await status()).toBe(200);
    expect(heard.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second']);
    service.setKiosk(null);
    expect(await status()).toBe(503);
  });
});
