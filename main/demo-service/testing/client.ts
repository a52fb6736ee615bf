import http from 'node:http';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../shared/clock';
import { type DemoService, type DemoServiceOptions, startDemoService } from '../demo-service';
import { DEMO_REGISTRATION } from '../kiosk-settings';

/** A running service that ends with the test. */
export async function serviceForTest(options: DemoServiceOptions = {}): Promise<DemoService> {
  const service = await startDemoService(options);
  onTestFinished(() => service.close());
  return service;
}

/** A clock that stands still until it is set. */
export function standingClock(start: number): Clock & { time: number } {
  const clock = { time: start, now: () => clock.time, monotonic: () => clock.time };
  return clock;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** Number of pieces in which the body was read. */
  readonly pieces: number;
}

/**
 * Sends a request on its own connection, with headers that `fetch` forbids. Rejects if the connection breaks.
 */
export function rawRequest(
  service: DemoService,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = http.request(
      service.origin + path,
      { method: options.method ?? 'GET', headers: options.headers ?? {}, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
            pieces: chunks.length,
          }),
        );
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

export const TOKEN_FORM = {
  grant_type: 'client_credentials',
  client_id: DEMO_REGISTRATION.clientId,
  client_secret: DEMO_REGISTRATION.clientSecret,
  scope: 'openid',
};

export function requestToken(
  service: DemoService,
  form: Record<string, string> = TOKEN_FORM,
): Promise<Response> {
  return fetch(`${service.origin}/oauth/v2/token`, { method: 'POST', body: new URLSearchParams(form) });
}

export async function accessToken(service: DemoService): Promise<string> {
  const answer = (await (await requestToken(service)).json()) as { access_token: string };
  return answer.access_token;
}

const PLAYER = { playerid: DEMO_REGISTRATION.playerid, key: DEMO_REGISTRATION.key };

/** An ads request; `query` is added to the player's own parameters. */
export async function requestAds(
  service: DemoService,
  query: ReadonlyArray<readonly [string, string]>,
  headers: Record<string, string> = {},
): Promise<Response> {
  const params = new URLSearchParams(PLAYER);
  for (const [name, value] of query) params.append(name, value);
  return fetch(`${service.origin}/v1alpha2/ads?${params}`, {
    headers: { Authorization: `Bearer ${await accessToken(service)}`, ...headers },
  });
}
