import type { AdMetadata, LinearCreative } from '../../shared/ad';
import { VAST_ERROR, type WrapperAd } from '../service/ads-reading/vast-document';
import {
  type DeadEnd,
  MAX_DEAD_END_URLS,
  MAX_DEAD_ENDS,
  type ResolvedAds,
  resolveWrappers,
  type WrapperOptions,
} from '../service/ads-reading/wrappers';
import type { VideoDocument } from './assets';

/** `errors`: errors that occurred before a video was found, or because none was, in document order; bounded. */
export type VideoReading = { readonly errors: readonly DeadEnd[] } & (
  | { readonly kind: 'video'; readonly video: LinearCreative }
  /** `detail` is one line, fit for a log. */
  | { readonly kind: 'none'; readonly detail: string }
);

/** Most wrappers of a document that are followed: each may take seconds. */
const MAX_WRAPPERS = 5;

/**
 * The video of a `vast2` asset: the first usable one of its ads. With `wrappers` null, wrappers are not
 * followed.
 */
export async function vastVideo(
  document: VideoDocument,
  wrappers: WrapperOptions | null,
): Promise<VideoReading> {
  if (document.kind === 'no-text') return none('no VAST in it', VAST_ERROR.unreadable, []);
  if (document.kind === 'unreadable') return none(document.message, VAST_ERROR.unreadable, []);
  if (document.ads.length === 0) return none('no ad in it', VAST_ERROR.noAd, document.errorUrls);
  const errors: DeadEnd[] = [];
  let detail = '';
  const followed = new Set(document.ads.filter(({ kind }) => kind === 'wrapper').slice(0, MAX_WRAPPERS));
  for (const ad of document.ads) {
    if (ad.kind === 'wrapper' && !followed.has(ad)) continue;
    const reading =
      ad.kind === 'malformed'
        ? none(ad.detail, VAST_ERROR.unreadable, ad.errors)
        : ad.kind === 'inline'
          ? videoOf(ad)
          : await follow(ad, wrappers);
    errors.push(...reading.errors.slice(0, MAX_DEAD_ENDS - errors.length));
    if (reading.kind === 'video') return { ...reading, errors };
    detail = reading.detail;
  }
  return { kind: 'none', detail, errors };
}

function none(detail: string, errorCode: number, errorUrls: readonly string[]): VideoReading {
  return {
    kind: 'none',
    detail,
    errors: errorUrls.length === 0 ? [] : [{ errorCode, errorUrls: errorUrls.slice(0, MAX_DEAD_END_URLS) }],
  };
}

async function follow(wrapper: WrapperAd, options: WrapperOptions | null): Promise<VideoReading> {
  if (options === null)
    return none('a wrapper, which cannot be followed here', VAST_ERROR.wrapper, wrapper.errors);
  const service = {
    id: wrapper.id ?? `ad-${wrapper.number}`,
    sequence: null,
    metadata: NO_METADATA,
    wrapper,
  };
  const answer = { kind: 'ads', ads: [service], rejected: [], errorUrls: [] } as const;
  const resolved = await resolveWrappers(answer, options);
  const reading = wrapped(wrapper, resolved);
  return { ...reading, errors: [...resolved.deadEnds, ...reading.errors] };
}

function wrapped(wrapper: WrapperAd, { ads: [ad], rejected: [rejected] }: ResolvedAds): VideoReading {
  if (ad !== undefined) return videoOf(ad);
  if (rejected === undefined) return none('the wrapper leads nowhere', VAST_ERROR.noAd, wrapper.errors);
  return none(rejected.detail, rejected.errorCode, rejected.errorUrls);
}

/** The ad is taken over as it is: to check or copy each item of its lists would block main (rule 31). */
function videoOf(video: LinearCreative): VideoReading {
  if (video.mediaFiles.length > 0) return { kind: 'video', errors: [], video };
  return none('no media file in it', VAST_ERROR.noMedia, video.errors);
}

/** Wrappers follow the rules of area A, but need no metadata (rule 2). */
const NO_METADATA: AdMetadata = {
  requestId: '',
  audience: null,
  campaignId: null,
  flightId: null,
  expiresAt: null,
  frequencyCaps: [],
  source: null,
  sourceId: null,
};
