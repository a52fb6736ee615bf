import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { listening } from '../../../tools/fleet/loopback-ports';
import { systemLookup } from '../../egress/bounded-lookup';
import { createServiceFetch } from '../../egress/egress';
import { timers } from '../../schedule';
import type { Http } from '../http';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The bytes as text. */
  readonly body: string;
}

export interface LocalServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
}

/** A real server on a free loopback port; calls `answer` once the request's body has arrived. */
export async function localServer(
  answer: (request: ReceivedRequest, response: ServerResponse) => void | Promise<void>,
): Promise<LocalServer> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const url = new URL(incoming.url ?? '/', 'http://127.0.0.1');
    const bytes = Buffer.concat(chunks);
    const request: ReceivedRequest = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      bytes,
      body: bytes.toString(),
    };
    received.push(request);
    await answer(request, response);
  });
  const { port, ...rest } = await listening(server);
  return { url: `http://127.0.0.1:${port}`, received, ...rest };
}

/** The kiosk's own HTTP client, with the machine's DNS, clock and timers. */
export const realHttp: Http = {
  fetch: createServiceFetch({ lookup: systemLookup, schedule: timers }),
  clock: { now: Date.now, monotonic: () => performance.now() },
  schedule: timers,
};
