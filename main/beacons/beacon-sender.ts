import { isIPv4 } from 'node:net';
import { askedWaitMs } from '../egress/back-off';
import { discardBody } from '../egress/decode-text';
import { isLocalName, portOf } from '../egress/hosts';
import type { Fetch } from '../egress/http-client';
import { SendError } from '../egress/send-error';
import { isWebPort } from '../egress/web-ports';
import type { SendResult } from './delivery-policy';

/** Sends one beacon; never rejects. */
export type SendBeacon = (url: string) => Promise<SendResult>;

/**
 * Sends one GET under the egress policy: without cookies, with redirects within the policy's limits, and
 * without reading the body of the answer.
 * @param options.fetch the HTTP client for beacons; its errors state whether the request may have been sent
 * @param options.now ms since the epoch, UTC; for a `Retry-After` with a date in an answer without `Date`
 */
export function createBeaconSender(options: {
  readonly fetch: Fetch;
  readonly now: () => number;
}): SendBeacon {
  return async (url) => {
    try {
      // Each play may have the same address: a cache in the store must not answer in place of the server.
      const response = await options.fetch(url, { headers: { 'cache-control': 'no-cache' } });
      // Only the status is needed.
      discardBody(response);
      const { status, headers } = response;
      const retryAfterMs = askedWaitMs(headers, options.now());
      return { kind: 'answered', status, retryAfterMs, redirected: response.redirected };
    } catch (error) {
      // Unknown error: the request may have been sent.
      if (!(error instanceof SendError)) return { kind: 'unknown', code: 'failed' };
      if (error.left === 'maybe') return { kind: 'unknown', code: error.code };
      const isForbidden = error.code === 'fenced' && !mayBecomePublic(url);
      return { kind: isForbidden ? 'forbidden' : 'not-sent', code: error.code };
    }
  };
}

/**
 * Whether the egress policy may allow a forbidden address later: a name can have another address then. Many routers
 * without internet give their own address for every name.
 */
function mayBecomePublic(address: string): boolean {
  const url = URL.parse(address);
  const port = url && portOf(url);
  if (!url || port === null || !isWebPort(port)) return false;
  return !isIPv4(url.hostname) && !isLocalName(url.hostname);
}
