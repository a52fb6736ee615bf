import type { AdsClient } from '../service/ads';
import type { Unreadable } from '../service/ads-reading/vast';
import type { ResolvedAds } from '../service/ads-reading/wrappers';
import type { OnlineContext } from '../service/online-params';
import type { ServerTime } from '../service/server-time';
import type { ServiceFailure } from '../service/service-error';
import type { OnlineAnswer } from './online-slots';

/** The per-slot request, read: what `createOnlineSlots` asks with. */
export function onlineRequest(parts: {
  readonly ads: AdsClient;
  readonly read: (document: string) => Promise<ResolvedAds | Unreadable>;
  /** The signals of the moment of asking. */
  readonly context: () => OnlineContext;
  readonly trust: (time: ServerTime | null) => void;
  readonly tell: (operation: 'ads', answer: { readonly kind: string } | ServiceFailure) => void;
}): (deadlineMs: number) => Promise<OnlineAnswer> {
  return async (deadlineMs) => {
    const answer = await parts.ads.requestOnline(parts.context(), deadlineMs);
    parts.tell('ads', answer);
    if (answer.kind === 'error') return { kind: 'failed', code: answer.error.code };
    if (answer.kind !== 'document') return { kind: 'no-fill' };
    const reading = await parts.read(answer.text);
    if (reading.kind === 'unreadable') return { kind: 'failed', code: reading.code };
    parts.trust(answer.serverTime);
    return reading.ads.length === 0 ? { kind: 'no-fill' } : { kind: 'ads', ads: reading.ads };
  };
}
