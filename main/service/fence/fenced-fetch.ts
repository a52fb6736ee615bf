import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Schedule } from '../schedule';
import { networkCode } from '../service-error';
import type { Fence, FencePurpose } from './fence';
import { type OpenConnection, openConnection as openRealConnection, rejectOnAbort } from './open-connection';
import { SendFault, type SendFaultCode } from './send-fault';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
/** Set by us, or carriers of a credential: ads' URLs are asked for without any. */
const WITHHELD = ['host', 'connection', 'accept-encoding', 'authorization', 'proxy-authorization', 'cookie'];

/** The part of `fetch` that ads' URLs need: GET and HEAD, no request body. */
export type FencedFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for one purpose, behind the fence (rule 22). Resolves to a `Response`
 * whose body streams and is decompressed, rejects with a `SendFault`.
 *
 * Redirects are followed by hand, at most five, each through the fence again;
 * one from https to http is followed too, because nothing secret is on the way
 * and ad servers do it. No cookies, credentials, cache or referrer. Every hop
 * has a connection of its own: a kept one that the server has just closed would
 * leave open whether the request was taken (rule 16).
 *
 * @param options.connectMs longest time for name, connection and TLS of one hop, ms
 * @param options.idleMs longest silence on an open connection, ms
 */
export function createFencedFetch(options: {
  readonly fence: Fence;
  readonly purpose: FencePurpose;
  readonly schedule: Schedule;
  readonly userAgent?: string;
  readonly connectMs?: number;
  readonly idleMs?: number;
  readonly openConnection?: OpenConnection;
}): FencedFetch {
  const { fence, purpose, schedule } = options;
  const connectMs = options.connectMs ?? 10_000;
  const idleMs = options.idleMs ?? 60_000;
  const openConnection = options.openConnection ?? openRealConnection;

  /** Name, fence, connection and TLS: until here nothing was sent. */
  async function connect(url: URL, caller: AbortSignal, left: 'no' | 'maybe'): Promise<Socket> {
    const giveUp = new AbortController();
    const called = () => giveUp.abort(caller.reason);
    const late = () => giveUp.abort(new SendFault('timeout', left, `no connection within ${connectMs} ms`));
    const cancelDeadline = schedule(connectMs, late);
    caller.addEventListener('abort', called, { once: true });
    if (caller.aborted) called();
    try {
      const target = await Promise.race([fence.resolve(url, purpose), rejectOnAbort(giveUp.signal)]);
      if (!target.ok) throw new SendFault(target.code, left, target.message);
      return await openConnection(target, url.protocol === 'https:', giveUp.signal);
    } catch (fault) {
      throw asSendFault(fault, caller, left);
    } finally {
      cancelDeadline();
      caller.removeEventListener('abort', called);
    }
  }

  return async (input, init = {}) => {
    const asked = input instanceof Request ? input : null;
    const method = (init.method ?? asked?.method ?? 'GET').toUpperCase();
    if ((method !== 'GET' && method !== 'HEAD') || init.body || asked?.body) {
      throw new TypeError(`expected a GET or HEAD request without a body, got ${method}`);
    }
    const headers = new Headers(init.headers ?? asked?.headers);
    for (const name of WITHHELD) headers.delete(name);
    if (!headers.has('accept')) headers.set('accept', '*/*');
    if (options.userAgent !== undefined) headers.set('user-agent', options.userAgent);
    const redirect = init.redirect ?? asked?.redirect ?? 'follow';
    const caller = init.signal ?? asked?.signal ?? new AbortController().signal;

    let url = parse(asked?.url ?? String(input), undefined, 'no');
    for (let hop = 0; ; hop += 1) {
      const left = hop === 0 ? 'no' : 'maybe';
      const socket = await connect(url, caller, left);
      const answer = await exchange({ socket, url, method, headers, caller, idleMs });
      const location = redirectTarget(answer);
      if (location === null || redirect === 'manual') return toResponse(answer, url, method);
      answer.destroy();
      if (redirect === 'error') throw new SendFault('redirects', 'maybe', 'a redirect was not expected');
      if (hop === MAX_REDIRECTS) {
        throw new SendFault('redirects', 'maybe', `more than ${MAX_REDIRECTS} redirects`);
      }
      url = parse(location, url, 'maybe');
    }
  };
}

/** Where an answer redirects to. Node reads headers as Latin-1; names beyond it come as UTF-8. */
function redirectTarget({ statusCode, headers }: IncomingMessage): string | null {
  if (!REDIRECTS.has(statusCode ?? 0) || headers.location === undefined) return null;
  return Buffer.from(headers.location, 'latin1').toString('utf8');
}

function parse(text: string, base: URL | undefined, left: 'no' | 'maybe'): URL {
  const url = URL.parse(text, base);
  if (url !== null) return url;
  // What no parser takes has no host that could be checked.
  throw new SendFault('fenced', left, 'expected an http(s) address, got other text');
}

/** One request on an open connection; settles with the head of its answer. */
function exchange(options: {
  readonly socket: Socket;
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly caller: AbortSignal;
  readonly idleMs: number;
}): Promise<IncomingMessage> {
  const { socket, url, caller, idleMs } = options;
  return new Promise((resolve, reject) => {
    let answer: IncomingMessage | null = null;
    const giveUp = (reason: unknown) => (answer ?? socket).destroy(asSendFault(reason, caller, 'maybe'));
    const cancel = () => giveUp(caller.reason);
    caller.addEventListener('abort', cancel, { once: true });
    socket.once('close', () => caller.removeEventListener('abort', cancel));
    socket.setTimeout(idleMs, () => giveUp(new SendFault('timeout', 'maybe', `silent for ${idleMs} ms`)));

    const request = httpRequest({
      createConnection: () => socket,
      method: options.method,
      path: url.pathname + url.search,
      setHost: false,
      headers: {
        host: url.host,
        ...Object.fromEntries(options.headers),
        'accept-encoding': 'gzip, br',
        connection: 'close',
      },
    });
    request.once('response', (head) => {
      answer = head;
      // Faults from here on reach whoever reads the body; unread, they concern nobody.
      head.on('error', () => {});
      resolve(head);
    });
    request.once('upgrade', (_answer, upgraded: Socket) => upgraded.destroy());
    request.on('error', (fault) => reject(asSendFault(fault, caller, 'maybe', 'answer')));
    request.once('close', () =>
      reject(new SendFault('answer', 'maybe', 'the connection ended without an answer')),
    );
    if (caller.aborted) cancel();
    request.end();
  });
}

function toResponse(answer: IncomingMessage, url: URL, method: string): Response {
  try {
    const status = answer.statusCode ?? 0;
    const headers = new Headers();
    for (const [name, values] of Object.entries(answer.headersDistinct)) {
      for (const value of values ?? []) headers.append(name, value);
    }
    const empty = WITHOUT_BODY.has(status) || method === 'HEAD';
    const body = empty ? null : webStream(decoded(answer), answer);
    const response = new Response(body, { status, statusText: answer.statusMessage ?? '', headers });
    Object.defineProperty(response, 'url', { value: url.origin + url.pathname + url.search });
    if (empty) answer.destroy();
    return response;
  } catch (fault) {
    answer.destroy();
    throw new SendFault('answer', 'maybe', 'an answer with a status or headers that HTTP does not know', {
      cause: fault,
    });
  }
}

/** Read as it is asked for; cancelling it closes the connection, also before the first read. */
function webStream(body: Readable, answer: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        answer.destroy();
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The body as it was before the server compressed it; an encoding that nobody asked for stays. */
function decoded(answer: IncomingMessage): Readable {
  const encodings = (answer.headers['content-encoding'] ?? '').toLowerCase().split(',');
  if (encodings.length > MAX_ENCODINGS) throw new Error(`${encodings.length} content encodings`);
  let body: Readable = answer;
  for (const encoding of encodings.reverse().map((name) => name.trim())) {
    const decoder = DECODERS.get(encoding)?.();
    if (decoder === undefined) return body;
    // The reader sees a fault on the stream it reads.
    body = pipeline(body, decoder, () => {});
  }
  return body;
}

/** As browsers do: each layer has a buffer of its own. */
const MAX_ENCODINGS = 5;
const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
]);

function asSendFault(
  fault: unknown,
  caller: AbortSignal,
  left: 'no' | 'maybe',
  otherwise: SendFaultCode = 'connection',
): SendFault {
  if (caller.aborted) {
    const late = caller.reason instanceof Error && caller.reason.name === 'TimeoutError';
    return late
      ? new SendFault('timeout', left, 'no answer in the time the caller gave', { cause: caller.reason })
      : new SendFault('cancelled', left, 'called off', { cause: caller.reason });
  }
  if (fault instanceof SendFault) return fault;
  const { code, detail } = networkCode(fault);
  if (otherwise === 'answer') {
    return new SendFault('answer', left, `the connection ended without an answer (${detail})`, {
      cause: fault,
    });
  }
  const known = KNOWN_CODES[code] ?? otherwise;
  return new SendFault(known, left, `no ${known === 'tls' ? 'TLS ' : ''}connection (${detail})`, {
    cause: fault,
  });
}

const KNOWN_CODES: Readonly<Record<string, SendFaultCode>> = { tls: 'tls', timeout: 'timeout' };
