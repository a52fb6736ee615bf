import type { Context } from '../decisions/audience';
import type { ReadingError, Text } from '../reading/reading';
import type { AdsClient } from '../service/ads';
import type { Unreadable } from '../service/ads-reading/vast-document';
import type { ResolvedAds } from '../service/ads-reading/wrappers';
import type { ServerTime } from '../service/server-time';
import { failure, type ServiceFailure } from '../service/service-error';
import type { OnlineAnswer } from './online-slots';
import { unreadableCode } from './playlist-answers';

/** The per-slot request of `createOnlineSlots`: asks the service and reads its answer. */
export function onlineRequest(parts: {
  readonly ads: AdsClient;
  readonly read: (document: Text, leftMs: number) => Promise<ResolvedAds | Unreadable | ReadingError>;
  /** The signals at the time of the request. */
  readonly context: () => Context;
  /** Receives the service's time (rule 10); null: it told none. Resolves when the clock goes by it. */
  readonly trust: (time: ServerTime | null) => Promise<void>;
  /** Called once it is known whether the answer could be used: an unreadable one is an error. */
  readonly tell: (operation: 'ads', answer: { readonly kind: string } | ServiceFailure) => void;
  /** Host of the ads service, for error messages. */
  readonly host: string;
}): (deadlineMs: number) => Promise<OnlineAnswer> {
  return async (deadlineMs) => {
    const answer = await parts.ads.requestOnline(parts.context(), deadlineMs);
    if (answer.kind !== 'document') {
      if (answer.kind !== 'error') await parts.trust(answer.serverTime);
      parts.tell('ads', answer);
      if (answer.kind !== 'error') return { kind: 'no-fill' };
      const { code, operation, retryAfterMs } = answer.error;
      // The client of the token has a pause of its own.
      return { kind: 'failed', code, ...(operation === 'token' ? {} : { retryAfterMs }) };
    }
    const reading = await parts.read(answer.text, answer.leftMs);
    if (reading.kind === 'unreadable') {
      const words = { host: parts.host, detail: reading.message };
      parts.tell('ads', failure('online-ads', unreadableCode(reading), words));
      return { kind: 'failed', code: reading.code };
    }
    // Otherwise its ads would be judged by a clock that it sets.
    await parts.trust(answer.serverTime);
    parts.tell('ads', answer);
    const { ads, rejected } = reading;
    return ads.length + rejected.length === 0 ? { kind: 'no-fill' } : { kind: 'ads', ads, rejected };
  };
}
