import type { Basics } from '../basics';
import { beforeDeadline, isTimeout, startDeadline } from '../deadline';
import { askedWaitMs } from '../egress/back-off';
import { readText } from '../egress/decode-text';
import type { Fetch } from '../egress/http-client';
import { SendError } from '../egress/send-error';
import type { Schedule } from '../schedule';
import { mayCarrySecrets } from '../settings/service-address';
import type { ServiceHeader } from '../settings/service-headers';
import { type ServerTime, serverTime } from './server-time';
import { failure, networkCode, type Operation, type ServiceFailure, statusCode } from './service-error';
import { looksLikeWebPage, serviceMessage } from './service-message';

/** What every request to the service depends on. */
export interface Http extends Pick<Basics, 'clock' | 'schedule'> {
  readonly fetch: Fetch;
  /** Extra headers for each request; the request's own header of the same name wins. */
  readonly headers?: readonly ServiceHeader[];
}

export interface Limits {
  /** Until the headers of the answer have arrived (DNS, connection and TLS included), ms. */
  readonly headersMs: number;
  /** Until the last byte has arrived, ms. */
  readonly totalMs: number;
  /** Of the body, after decompression. */
  readonly maxBytes: number;
}

export interface ServiceRequest {
  readonly operation: Operation;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly limits: Limits;
  /** Status codes that are a success; any other becomes a failure. */
  readonly expects: readonly number[];
  /** The status says everything: the body of a success is not read, and counts as empty. */
  readonly ignoresBody?: boolean;
  /** The status says most: a body longer than `maxBytes` is cut, instead of an error. */
  readonly cutsBody?: boolean;
  /** Without token and service account, so a 401 or 403 says nothing about these. */
  readonly isAnonymous?: boolean;
  /** Secrets in the request: it is sent only over https, and they are removed from texts of the service. */
  readonly secrets: readonly string[];
  readonly signal?: AbortSignal;
}

/** A complete answer with an expected status. */
export interface ServiceResponse {
  readonly kind: 'response';
  readonly status: number;
  readonly headers: Headers;
  /** The body's text, joined on each access. If it may exceed 16 MB, use `pieces` (rule 31). */
  readonly body: string;
  /** The body's text in pieces, at least one. */
  readonly pieces: readonly string[];
  readonly serverTime: ServerTime | null;
}

const REDIRECTS: ReadonlySet<number> = new Set([300, 301, 302, 303, 305, 307, 308]);
const TEMPORARY: ReadonlySet<number> = new Set([302, 303, 307]);

/**
 * Sends one request within its limits. Errors are returned as `ServiceFailure`; it rejects only on a bug.
 * Does not follow redirects, so that no secret goes to another host (rule 22). Stops reading the body at
 * `maxBytes`. Both time limits apply even if `fetch` ignores its signal.
 */
export async function request(http: Http, given: ServiceRequest): Promise<ServiceResponse | ServiceFailure> {
  const call = withHeaders(given, http.headers ?? []);
  const host = new URL(call.url).host;
  if (call.secrets.length > 0 && !mayCarrySecrets(call.url)) {
    return failure(call.operation, 'insecure-address', { host });
  }
  const whole = startDeadline(call.limits.totalMs, http.schedule, call.signal);
  const head = startDeadline(call.limits.headersMs, http.schedule, whole.signal);
  head.signal.addEventListener('abort', () => whole.abort(head.signal.reason), { once: true });
  try {
    return await beforeDeadline(whole, (signal) => exchange(http, call, host, signal, head.release));
  } catch (error) {
    if (!whole.signal.aborted) throw error;
    return failure(call.operation, isTimeout(error) ? 'timeout' : 'cancelled', { host });
  } finally {
    head.release();
    // Also aborts a body that was not read to its end.
    whole.abort();
  }
}

function withHeaders(call: ServiceRequest, more: readonly ServiceHeader[]): ServiceRequest {
  const own = new Set(Object.keys(call.headers).map((name) => name.toLowerCase()));
  const added = more.filter(({ name }) => !own.has(name.toLowerCase()));
  // Two requests for ads may be alike: a cache must not answer with ads that were shown, or with an old `Date`.
  const avoidsCaches =
    call.method === 'GET' && !added.some(({ name }) => name.toLowerCase() === 'cache-control');
  return {
    ...call,
    headers: {
      ...(avoidsCaches && { 'Cache-Control': 'no-cache' }),
      ...Object.fromEntries(added.map(({ name, value }) => [name, value.reveal()])),
      ...call.headers,
    },
    secrets: [
      ...call.secrets,
      ...added.filter(({ isSecret }) => isSecret).map(({ value }) => value.reveal()),
    ],
  };
}

async function exchange(
  http: Http,
  call: ServiceRequest,
  host: string,
  signal: AbortSignal,
  headersArrived: () => void,
): Promise<ServiceResponse | ServiceFailure> {
  let response: Response;
  try {
    response = await http.fetch(call.url, {
      method: call.method,
      headers: { ...call.headers },
      signal,
      ...(call.body === undefined ? {} : { body: call.body }),
    });
  } catch (error) {
    signal.throwIfAborted();
    const { code, detail } = networkCode(error, call.operation);
    return failure(call.operation, code, { host, detail });
  }
  headersArrived();
  const { status, headers } = response;
  const heardAt = serverTime(call.url, headers, http.clock.monotonic());
  if (REDIRECTS.has(status)) {
    const code = leadsToLogIn(status, headers, call.url) ? 'web-page' : 'redirect';
    return failure(call.operation, code, { host, status });
  }
  const isExpected = call.expects.includes(status);
  const read = isExpected ? readBody : readErrorBody;
  const body = isExpected && call.ignoresBody ? NO_BODY : await read(response, call, signal, http.schedule);
  // An error status says more than a body that cannot be read.
  if ('code' in body && isExpected) return failure(call.operation, body.code, { host, status, ...body });
  const { pieces } = 'code' in body ? NO_BODY : body;
  if (isExpected) {
    return {
      kind: 'response',
      status,
      headers,
      pieces,
      serverTime: heardAt,
      get body() {
        return pieces.join('');
      },
    };
  }
  // No error message needs more than the first piece.
  const text = pieces[0] ?? '';
  const isRefused = call.isAnonymous && (status === 401 || (status === 403 && !looksLikeWebPage(text)));
  const code = isRefused ? 'refused' : statusCode(call.operation, status, text);
  return failure(call.operation, code, {
    host,
    status,
    ...(isRefused && { detail: `status ${status}` }),
    retryAfterMs: askedWaitMs(headers, http.clock.now()),
    serviceMessage: serviceMessage(text, call.secrets),
  });
}

/** A temporary redirect to another host: log-in networks send one; a service that moved sends a permanent one. */
function leadsToLogIn(status: number, headers: Headers, from: string): boolean {
  const to = URL.parse(headers.get('location') ?? '', from);
  return TEMPORARY.has(status) && to !== null && to.hostname !== new URL(from).hostname;
}

const NO_BODY = { pieces: [''] };
/** Longest wait for the words of an error, ms: its status and its `Retry-After` are there. */
const MAX_ERROR_BODY_MS = 2_000;

async function readBody(
  response: Response,
  { limits: { maxBytes }, cutsBody }: ServiceRequest,
  signal: AbortSignal,
): Promise<{ readonly pieces: readonly string[] } | Unread> {
  try {
    const body = await readText(response, maxBytes, cutsBody);
    if (body === 'too-large') return { code: body, detail: `over ${maxBytes} bytes` };
    return body === 'unknown-encoding' ? { code: 'malformed', detail: 'in an unknown encoding' } : body;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SendError)) return { code: 'truncated' };
    if (error.code === 'encoding') return { code: 'malformed', detail: error.message };
    return { code: error.code === 'timeout' ? 'timeout' : 'truncated' };
  }
}

/** The same, but none if it does not end within `MAX_ERROR_BODY_MS`. */
async function readErrorBody(
  response: Response,
  call: ServiceRequest,
  signal: AbortSignal,
  schedule: Schedule,
): ReturnType<typeof readBody> {
  try {
    const end = startDeadline(MAX_ERROR_BODY_MS, schedule, signal);
    return await beforeDeadline(end, (within) => readBody(response, call, within));
  } catch {
    signal.throwIfAborted();
    return NO_BODY;
  }
}

interface Unread {
  readonly code: 'too-large' | 'truncated' | 'malformed' | 'timeout';
  readonly detail?: string;
}
