import type { StoredSegment } from '../../shared/proof-sequence';
import { type Http, request, type ServiceRequest, type ServiceResponse } from '../service/http';
import type { ServiceFailure } from '../service/service-error';
import { proofUrl } from '../settings/proof-url';
import type { Settings } from '../settings/settings';
import type { Problem } from '../status/status';
import type { SendOutcome } from './shipping';

/** For all of one request, its body and the answer's included, ms: a quorum of replicas may take a minute. */
const DEADLINE_MS = 120_000;
/** Of an answer's body, which says no more than its status does. */
const MOST_ANSWER_BYTES = 65_536;
const ACCEPTED = Array.from({ length: 100 }, (_, index) => 200 + index);

/** What one try came to; `problem` null: the receiver took the segment. */
export interface Sent extends SendOutcome {
  readonly problem: Problem | null;
}

/** Sends a stored segment once. Never rejects. */
export type SendSegment = (segment: StoredSegment, bytes: Uint8Array, signal: AbortSignal) => Promise<Sent>;

/**
 * Sends segments to `proof.url`: one request each, which is not redirected, with one deadline.
 *
 * @param kiosk fingerprint of its key, for the URL
 */
export function createSegmentSender(
  { url, method, headers }: Pick<Settings['proof'], 'method' | 'headers'> & { readonly url: string },
  kiosk: string,
  http: Http,
): SendSegment {
  const namesType = headers.some(({ name }) => name.toLowerCase() === 'content-type');
  const call: Pick<ServiceRequest, 'operation' | 'method' | 'headers' | 'limits' | 'expects' | 'secrets'> = {
    operation: 'proof',
    method,
    headers: {
      ...(namesType ? {} : { 'content-type': 'application/x-ndjson' }),
      'content-encoding': 'gzip',
    },
    limits: { headersMs: DEADLINE_MS, totalMs: DEADLINE_MS, maxBytes: MOST_ANSWER_BYTES },
    expects: ACCEPTED,
    // Plays go over TLS like a secret (rule 22), but there is nothing to scrub from what comes back.
    secrets: [],
  };
  return async ({ epoch, first, last }, bytes, signal) => {
    const address = proofUrl(url, { kiosk, epoch, first, last });
    const answer = await request(http, { ...call, url: address, body: new Uint8Array(bytes), signal });
    return answer.kind === 'response'
      ? outcomeOfAccepted(answer)
      : outcomeOfError(answer, new URL(address).host);
  };
}

function outcomeOfError({ error }: ServiceFailure, host: string): Sent {
  const { code, status = null, retryAfterMs = null } = error;
  if (status !== null && status >= 200 && status <= 299) {
    // Whether it took the segment is in its status, however long-winded its answer is. Of an answer that
    // broke off not even that is sure: a repeat is counted once, and a lost segment would be missing.
    const isTaken = code === 'too-large' || code === 'malformed';
    return isTaken ? taken(status) : { status: null, retryAfterMs, problem: error };
  }
  const advice = status === null ? undefined : ADVICE.get(status);
  if (advice === undefined) return { status, retryAfterMs, problem: error };
  const message = `The receiver of proof of play at ${host} answered ${status}.`;
  return { status, retryAfterMs, problem: { code, message, advice } };
}

const taken = (status: number): Sent => ({ status, retryAfterMs: null, problem: null });

/** ClickHouse may begin its answer before the rows are written, and say afterwards that they were not. */
function outcomeOfAccepted({ status, headers, body }: ServiceResponse): Sent {
  const failed = headers.has('x-clickhouse-exception-code') || /^Code: \d+[^\n]*Exception/m.test(body);
  if (!failed) return taken(status);
  const message = `The receiver of proof of play answered ${status}, and that it could not store the rows.`;
  return { status: null, retryAfterMs: null, problem: { code: 'not-stored', message, advice: NOT_STORED } };
}

const NOT_STORED = "See the receiver's log. It is tried again by itself.";
const CREDENTIALS =
  'Check proof.headers and the client certificate: the receiver does not let this kiosk write. Nothing is lost; it is tried again by itself.';
const CONTENT =
  "The receiver does not take this segment as it is: compare its columns and limits with docs/proof-of-play.md, and see the receiver's log.";

/** What to do, by status; for all others see `service-error.ts`. */
const ADVICE: ReadonlyMap<number, string> = new Map([
  [400, CONTENT],
  [401, CREDENTIALS],
  [403, CREDENTIALS],
  [
    404,
    'Check proof.url, and that the table or bucket exists. Nothing is lost; it is tried again by itself.',
  ],
  [413, CONTENT],
  [422, CONTENT],
]);
