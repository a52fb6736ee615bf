import type { IncomingMessage } from 'node:http';
import { startDeadline } from '../deadline';
import type { Schedule } from '../schedule';
import { answerBody, DECODED_ENCODINGS } from './answer-body';
import type { CheckedTarget, EgressRefusal, OpenConnection } from './checked-target';
import { exchange, type OpenAnswer } from './exchange';
import { openConnection as openRealConnection } from './open-connection';
import { reach } from './reach';
import { asSendError, SendError } from './send-error';
import { refusedBy } from './through-proxy';

/** As in browsers (Fetch, HTTP-redirect fetch). */
const MAX_REDIRECTS = 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** No request can carry it: a validator with one would end each revalidation of its file. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are meant.
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

/** Longest time for look-up, connection and TLS of one hop, ms. */
const CONNECT_MS = 20_000;
/** Longest time for an answer, from the request to the last byte of its body, ms. */
export const ANSWER_MS = 120_000;

/** The part of `fetch` that this kiosk uses. */
export type Fetch = (url: string, init?: FetchInit) => Promise<Response>;

export interface FetchInit extends Pick<RequestInit, 'method' | 'headers' | 'signal'> {
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface HttpClientOptions {
  /** Where to connect for a URL, or why not. */
  readonly route: (url: URL) => Promise<CheckedTarget | EgressRefusal>;
  readonly schedule: Schedule;
  /** Of requests that set none. */
  readonly userAgent?: string;
  /**
   * Whether bodies are decompressed. If not, the request asks for none that is compressed, and a body is
   * passed on as sent.
   */
  readonly decodes: boolean;
  /**
   * Whether requests may hold secrets (rule 22): then redirects are not followed but are answers, and answers with errors
   * in their form that browsers take are none.
   */
  readonly hasSecrets: boolean;
  /** Longest time for the whole request, redirects and body included, ms. Default 120,000. */
  readonly totalMs?: number;
  /**
   * Opens the connection to a resolved target. Default: with the usual CAs alone, so main has to pass its
   * own.
   */
  readonly openConnection?: OpenConnection;
}

/**
 * The kiosk's one HTTP client: for what ads name (`ad-fetch.ts`) and for the service itself
 * (`egress.ts`). Resolves to a `Response` whose body streams, rejects with a `SendError`.
 *
 * Connection, answer and decoder are closed together: when the body was read or is cancelled, at the caller's
 * signal, and after `totalMs`, even if nobody reads the body. Every hop has its own connection: with
 * keep-alive, a server that just closed the connection would leave open whether it took the request (rule
 * 16). No cookies, cache or referrer.
 */
export function createHttpClient(options: HttpClientOptions): Fetch {
  const { schedule, decodes, hasSecrets, userAgent } = options;
  const { route, openConnection = openRealConnection } = options;
  const reaching = { route, openConnection, connectMs: CONNECT_MS, schedule };

  /** Follows redirects by hand, each through the same check again. */
  async function answerTo(
    address: string,
    { method = 'GET', body, headers: given }: FetchInit,
    signal: AbortSignal,
  ): Promise<{ open: OpenAnswer; url: URL; redirected: boolean }> {
    const headers = {
      accept: '*/*',
      ...(userAgent !== undefined && { 'user-agent': userAgent }),
      ...Object.fromEntries(new Headers(given)),
      'accept-encoding': decodes ? DECODED_ENCODINGS : 'identity',
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    };
    let url = parse(address, undefined, 'no');
    for (let hop = 0; ; hop += 1) {
      const left = hop === 0 ? 'no' : 'maybe';
      const reached = await reach(url, 'request', reaching, signal, left);
      const open = await exchange({ reached, method, headers, body, signal, isLenient: !hasSecrets });
      if (reached.forwarding && open.head.statusCode === 407) {
        open.end();
        throw asSendError(refusedBy(reached.forwarding, 407), signal, left);
      }
      const location = redirectTarget(open.head, url);
      if (location === null || hasSecrets) return { open, url, redirected: hop > 0 };
      open.end();
      if (hop === MAX_REDIRECTS) {
        throw new SendError('redirects', 'maybe', `more than ${MAX_REDIRECTS} redirects`);
      }
      url = parse(location, url, 'maybe');
    }
  }

  return async (address, init = {}) => {
    const life = startDeadline(options.totalMs ?? ANSWER_MS, schedule, init.signal);
    try {
      const { open, url, redirected } = await answerTo(address, init, life.signal);
      return toResponse(open, { url, redirected }, decodes, life.release);
    } catch (error) {
      life.release();
      throw error;
    }
  };
}

/**
 * Where an answer redirects to; null: nowhere, or to `from`, which without cookies would answer the same again. Node
 * reads headers as Latin-1, but servers send other letters as UTF-8.
 */
function redirectTarget({ statusCode, headers }: IncomingMessage, from: URL): string | null {
  if (!REDIRECTS.has(statusCode ?? 0) || headers.location === undefined) return null;
  const location = Buffer.from(headers.location, 'latin1').toString('utf8');
  const to = URL.parse(location, from);
  return to && addressOf(to) === addressOf(from) ? null : location;
}

/** What a server is asked for: without user, password and fragment. */
const addressOf = (url: URL) => url.origin + url.pathname + url.search;

function parse(text: string, base: URL | undefined, left: 'no' | 'maybe'): URL {
  const url = URL.parse(text, base);
  if (url !== null) return url;
  // No host to check, so it counts as `fenced`.
  throw new SendError('fenced', left, 'expected an http(s) address, got other text');
}

function toResponse(
  open: OpenAnswer,
  { url, redirected }: { readonly url: URL; readonly redirected: boolean },
  decodes: boolean,
  onEnd: () => void,
): Response {
  const { head } = open;
  try {
    const status = head.statusCode ?? 0;
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(head.headersDistinct)) {
      const sound = values.filter((value) => !CONTROL.test(value));
      // No other list is read here. Of a single value that came twice, the first counts.
      for (const value of name === 'content-encoding' ? sound : sound.slice(0, 1))
        headers.append(name, value);
    }
    const init = { status, headers };
    const empty = WITHOUT_BODY.has(status);
    const response = new Response(empty ? null : answerBody(open, decodes, onEnd), init);
    Object.defineProperty(response, 'url', { value: addressOf(url) });
    Object.defineProperty(response, 'redirected', { value: redirected });
    if (empty) {
      open.end();
      onEnd();
    }
    return response;
  } catch (error) {
    open.end();
    throw new SendError('answer', 'maybe', 'an answer with a status or headers that HTTP does not know', {
      cause: error,
    });
  }
}
