import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Schedule } from '../schedule';
import { answerBody, DECODED_ENCODINGS } from './answer-body';
import { asSendFault } from './as-send-fault';
import { exchange, type OpenAnswer } from './exchange';
import type { CheckedTarget, FenceRefusal, HttpProxy } from './fence';
import { type OpenConnection, openConnection as openRealConnection, rejectOnAbort } from './open-connection';
import { SendFault } from './send-fault';
import { openToProxy, refusedBy } from './through-proxy';

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** Longest time for an answer, from the request to the last byte of its body, ms. */
export const ANSWER_MS = 120_000;

/** What all requests of one kind have in common. */
export interface HttpClientOptions {
  /** Resolves a URL: where to connect, or why not. */
  readonly route: (url: URL) => Promise<CheckedTarget | FenceRefusal>;
  readonly schedule: Schedule;
  /** Whether a body is decompressed; else none is asked to be compressed, and it comes as it was sent. */
  readonly decodes: boolean;
  /** Longest time for name, connection and TLS of one hop, ms. Default 10,000. */
  readonly connectMs?: number;
  /** Longest silence on an open connection, ms. Default 60,000. */
  readonly idleMs?: number;
  /** Longest time for all of it, redirects and body included, ms. Default 120,000. */
  readonly totalMs?: number;
  /** Opens the connection to a resolved target. Every request of the kiosk's main process passes it. */
  readonly openConnection?: OpenConnection;
}

export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | null;
  /** `manual`: a redirect is the answer. */
  readonly redirect: RequestRedirect;
  readonly signal: AbortSignal | null | undefined;
}

/**
 * The kiosk's one HTTP client: for what ads name (`fenced-fetch.ts`) and for the
 * service itself (`service-fetch.ts`). Resolves to a `Response` whose body streams,
 * rejects with a `SendFault`.
 *
 * Connection, answer and decoder end together: when the body was read or is
 * cancelled, at the caller's signal, and after `totalMs`, whether or not anybody
 * reads, whatever the status. Every hop has a connection of its own: a kept one
 * that the server has just closed would leave open whether the request was taken
 * (rule 16). No cookies, cache or referrer.
 */
export function createHttpClient(options: HttpClientOptions): (request: HttpRequest) => Promise<Response> {
  const { schedule, decodes } = options;
  const connectMs = options.connectMs ?? 10_000;
  const idleMs = options.idleMs ?? 60_000;
  const openConnection = options.openConnection ?? openRealConnection;

  /** Name, check, connection and TLS: until here nothing was sent. */
  async function connect(
    url: URL,
    signal: AbortSignal,
    left: 'no' | 'maybe',
  ): Promise<{ socket: Socket; forwarding: HttpProxy | null }> {
    const giveUp = new AbortController();
    const called = () => giveUp.abort(signal.reason);
    const late = () => giveUp.abort(new SendFault('timeout', left, `no connection within ${connectMs} ms`));
    const cancelDeadline = schedule(connectMs, late);
    signal.addEventListener('abort', called, { once: true });
    if (signal.aborted) called();
    try {
      const target = await Promise.race([options.route(url), rejectOnAbort(giveUp.signal)]);
      if (!target.ok) throw new SendFault(target.code, left, target.message);
      // Proxies forward http themselves; many refuse a tunnel to its port.
      if (target.proxy && url.protocol === 'http:') {
        const socket = await openToProxy(openConnection, target.proxy, giveUp.signal);
        return { socket, forwarding: target.proxy };
      }
      const socket = await openConnection(target, url.protocol === 'https:', giveUp.signal);
      return { socket, forwarding: null };
    } catch (fault) {
      throw asSendFault(fault, signal, left);
    } finally {
      cancelDeadline();
      signal.removeEventListener('abort', called);
    }
  }

  /** Follows redirects by hand, each through the same check again. */
  async function answerTo(
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<{ open: OpenAnswer; url: URL }> {
    const { method, body } = request;
    const headers = {
      ...Object.fromEntries(request.headers),
      'accept-encoding': decodes ? DECODED_ENCODINGS : 'identity',
      ...(body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    };
    let url = parse(request.url, undefined, 'no');
    for (let hop = 0; ; hop += 1) {
      const left = hop === 0 ? 'no' : 'maybe';
      const { socket, forwarding } = await connect(url, signal, left);
      const open = await exchange({ socket, forwarding, url, method, headers, body, signal, idleMs });
      if (forwarding && open.head.statusCode === 407) {
        open.end();
        throw asSendFault(refusedBy(forwarding, 407), signal, left);
      }
      const location = redirectTarget(open.head);
      if (location === null || request.redirect === 'manual') return { open, url };
      open.end();
      if (request.redirect === 'error') {
        throw new SendFault('redirects', 'maybe', 'a redirect was not expected');
      }
      if (hop === MAX_REDIRECTS) {
        throw new SendFault('redirects', 'maybe', `more than ${MAX_REDIRECTS} redirects`);
      }
      url = parse(location, url, 'maybe');
    }
  }

  return async (request) => {
    const life = lifetime(request.signal, schedule, options.totalMs ?? ANSWER_MS);
    try {
      const { open, url } = await answerTo(request, life.signal);
      return toResponse(open, url, request.method, decodes, life.release);
    } catch (fault) {
      life.release();
      throw fault;
    }
  };
}

/** The caller's signal and the deadline as one signal; both are let go by `release`. */
function lifetime(caller: AbortSignal | null | undefined, schedule: Schedule, totalMs: number) {
  const life = new AbortController();
  const called = () => life.abort(caller?.reason);
  const late = () => life.abort(new DOMException(`not all came within ${totalMs} ms`, 'TimeoutError'));
  const cancel = Number.isFinite(totalMs) ? schedule(totalMs, late) : () => {};
  caller?.addEventListener('abort', called, { once: true });
  if (caller?.aborted) called();
  const release = () => {
    cancel();
    caller?.removeEventListener('abort', called);
  };
  return { signal: life.signal, release };
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

function toResponse(
  open: OpenAnswer,
  url: URL,
  method: string,
  decodes: boolean,
  onEnd: () => void,
): Response {
  const { head } = open;
  try {
    const status = head.statusCode ?? 0;
    const headers = new Headers();
    for (const [name, values] of Object.entries(head.headersDistinct)) {
      for (const value of values ?? []) headers.append(name, value);
    }
    const init = { status, statusText: head.statusMessage ?? '', headers };
    const empty = WITHOUT_BODY.has(status) || method === 'HEAD';
    const response = new Response(empty ? null : answerBody(open, decodes, onEnd), init);
    Object.defineProperty(response, 'url', { value: url.origin + url.pathname + url.search });
    if (empty) {
      open.end();
      onEnd();
    }
    return response;
  } catch (fault) {
    open.end();
    throw new SendFault('answer', 'maybe', 'an answer with a status or headers that HTTP does not know', {
      cause: fault,
    });
  }
}
