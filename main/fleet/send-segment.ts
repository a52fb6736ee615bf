import type { StoredSegment } from '../../shared/proof-sequence';
import { type Http, request, type ServiceRequest, type ServiceResponse } from '../service/http';
import { failure, type ServiceFailure } from '../service/service-error';
import { looksLikeWebPage } from '../service/service-message';
import { proofUrl } from '../settings/proof-url';
import type { Settings } from '../settings/settings';
import type { Problem } from '../status/status';
import type { SendOutcome } from './shipping-decisions';

/** Longest time for a request beside the sending of its body, ms: a quorum of replicas may take a minute. */
const DEADLINE_MS = 120_000;
/**
 * Bytes a second on the slowest line that a segment gets time for: 5,000 plays of a day offline are 0.8 MB, and a router
 * may have 32 kbit/s left after its data cap. Sent unchanged, a segment that never fits its time would wait for ever.
 */
const SLOWEST_BYTES_PER_SECOND = 2_000;
/** Longest answer body that is read, bytes. */
const MAX_ANSWER_BYTES = 65_536;
const ACCEPTED = Array.from({ length: 100 }, (_, index) => 200 + index);

/** The result of one try. `problem` null: the receiver accepted the segment. */
export interface Sent extends SendOutcome {
  readonly problem: Problem | null;
}

/** Sends a stored segment once. Never rejects. */
export type SendSegment = (segment: StoredSegment, bytes: Uint8Array, signal: AbortSignal) => Promise<Sent>;

/**
 * Sends segments to `proof.url`: one request each, with one deadline, without following redirects.
 *
 * @param kiosk fingerprint of its key, for the URL
 */
export function createSegmentSender(
  { url, method, headers }: Pick<Settings['proof'], 'method' | 'headers'> & { readonly url: string },
  kiosk: string,
  http: Http,
): SendSegment {
  const namesType = headers.some(({ name }) => name.toLowerCase() === 'content-type');
  const call: Omit<ServiceRequest, 'url' | 'limits'> = {
    operation: 'proof',
    method,
    headers: {
      ...(namesType ? {} : { 'content-type': 'application/x-ndjson' }),
      'content-encoding': 'gzip',
    },
    cutsBody: true,
    expects: ACCEPTED,
    // Plays require TLS as a secret does (rule 22), but an answer contains nothing to redact.
    secrets: [],
  };
  return async ({ epoch, first, last }, bytes, signal) => {
    const address = proofUrl(url, { kiosk, epoch, first, last });
    const totalMs = DEADLINE_MS + (bytes.byteLength / SLOWEST_BYTES_PER_SECOND) * 1_000;
    const limits = { headersMs: totalMs, totalMs, maxBytes: MAX_ANSWER_BYTES };
    const body = new Uint8Array(bytes);
    const answer = await request(http, { ...call, limits, url: address, body, signal });
    const { host } = new URL(address);
    return answer.kind === 'response' ? outcomeOfAccepted(answer, host) : outcomeOfError(answer, host);
  };
}

function outcomeOfError({ error }: ServiceFailure, host: string): Sent {
  const { code, status = null, retryAfterMs = null } = error;
  if (status !== null && status >= 200 && status <= 299) {
    // If only the body is malformed, the status still says that the segment was accepted. After an answer that broke
    // off, send again: the receiver counts a repeat once, but a lost segment would be missing.
    return code === 'malformed' ? taken(status) : { status: null, retryAfterMs, problem: error };
  }
  const isOther = code === 'unexpected-status';
  const advice = status === null ? undefined : (ADVICE.get(status) ?? (isOther ? OTHER : undefined));
  if (advice === undefined) return { status, retryAfterMs, problem: error };
  const message = `The receiver of proof of play at ${host} answered ${status}.`;
  return { status, retryAfterMs, problem: { code, message, advice } };
}

const taken = (status: number): Sent => ({ status, retryAfterMs: null, problem: null });

/**
 * ClickHouse may send status 200 before it writes the rows, and report in the body that writing failed. A web page (a
 * log-in, a gateway's error) stores nothing: the kiosk must not forget the segment for it. But WebDAV servers say with
 * a page and status 201 that they have stored it.
 */
function outcomeOfAccepted({ status, headers, body }: ServiceResponse, host: string): Sent {
  if (status !== 201 && looksLikeWebPage(body))
    return outcomeOfError(failure('proof', 'web-page', { host, status }), host);
  const failed = headers.has('x-clickhouse-exception-code') || /^Code: \d+[^\n]*Exception/m.test(body);
  if (!failed) return taken(status);
  const message = `The receiver of proof of play answered ${status}, but reported that it could not store the rows.`;
  return { status: null, retryAfterMs: null, problem: { code: 'not-stored', message, advice: NOT_STORED } };
}

const NOT_STORED = "See the receiver's log. It is tried again by itself.";
const CREDENTIALS =
  'Check proof.headers and the client certificate: the receiver does not let this kiosk write. Nothing is lost; it is tried again by itself.';
const CONTENT =
  "The receiver does not take this segment as it is: compare its columns and limits with docs/proof-of-play.md, and see the receiver's log.";
/** For a status that says only that the receiver does not take the request. */
const OTHER =
  "Check proof.url, proof.method and proof.headers, and see the receiver's log. Nothing is lost; it is tried again by itself.";

const ADDRESS =
  'Check proof.url, and that the table or bucket exists. Nothing is lost; it is tried again by itself.';

/** Advice by HTTP status; for all others see `service-error.ts`. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [400, CONTENT],
  [401, CREDENTIALS],
  [403, CREDENTIALS],
  [404, ADDRESS],
  [410, ADDRESS],
  [413, CONTENT],
  [422, CONTENT],
]);
