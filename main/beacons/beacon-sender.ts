import { SendFault } from '../service/fence/send-fault';
import { discardBody } from '../service/read-text';
import { retryAfterMs } from '../service/retry-after';
import type { SendResult } from './delivery-policy';

/** Sends one beacon; never rejects. */
export type SendBeacon = (url: string) => Promise<SendResult>;

/** Longest wait for an answer, redirects included, ms. */
const ANSWER_MS = 10_000;

/**
 * One GET behind the fence: no cookies, redirects followed within its limits, the
 * answer's body thrown away unread.
 *
 * @param options.fetch the fenced fetch for beacons; what it rejects with tells whether the request can have left
 * @param options.now ms since the epoch, UTC; for a `Retry-After` that names a date without saying its own time
 */
export function createBeaconSender(options: {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly now: () => number;
  readonly answerMs?: number;
}): SendBeacon {
  const answerMs = options.answerMs ?? ANSWER_MS;
  return async (url) => {
    try {
      const response = await options.fetch(url, {
        credentials: 'omit',
        signal: AbortSignal.timeout(answerMs),
      });
      // The head is the answer; what becomes of the body concerns nobody.
      discardBody(response);
      const { status, headers } = response;
      const answeredAt = Date.parse(headers.get('date') ?? '');
      const now = Number.isNaN(answeredAt) ? options.now() : answeredAt;
      return {
        kind: 'answered',
        status,
        retryAfterMs: retryAfterMs(headers.get('retry-after'), now),
        redirected: response.url !== '' && response.url !== withoutFragment(url),
      };
    } catch (fault) {
      // Whatever is not known to have stayed here may have left.
      if (!(fault instanceof SendFault)) return { kind: 'unknown', code: 'failed' };
      if (fault.left === 'maybe') return { kind: 'unknown', code: fault.code };
      return { kind: fault.code === 'fenced' ? 'forbidden' : 'not-sent', code: fault.code };
    }
  };
}

/** As `Response.url` spells it. */
function withoutFragment(text: string): string {
  const url = URL.parse(text);
  return url === null ? text : url.origin + url.pathname + url.search;
}
