import type { AdMetadata } from '../../../shared/ad';
import type { NativeVideo } from '../../../shared/native';
import { type InlineAd, readVast, type WrapperAd } from '../ads-reading/vast';
import { resolveWrappers, type WrapperOptions } from '../ads-reading/wrappers';

export type VideoReading =
  | { readonly kind: 'video'; readonly video: NativeVideo }
  /** `detail` is one line, fit for a log. */
  | { readonly kind: 'none'; readonly detail: string };

/** One creative and its alternatives, not a playlist. Characters, and ads. */
const LIMITS = { document: 1024 * 1024, ads: 50 };

/**
 * Reads the XML of a `vast2` asset: the first of its ads that can be used. It
 * carries no service metadata and needs none (rule 2). Wrappers are followed
 * where `wrappers` says how; null: a wrapper cannot be used.
 */
export async function readVastVideo(vast: string, wrappers: WrapperOptions | null): Promise<VideoReading> {
  const document = readVast(vast, { extensionType: null, limits: LIMITS });
  if (document.kind === 'unreadable') return { kind: 'none', detail: document.message };
  let detail = 'no ad in it';
  for (const ad of document.ads) {
    const reading =
      ad.kind === 'malformed'
        ? { kind: 'none' as const, detail: ad.detail }
        : ad.kind === 'inline'
          ? videoOf(ad)
          : await followed(ad, wrappers);
    if (reading.kind === 'video') return reading;
    detail = reading.detail;
  }
  return { kind: 'none', detail };
}

async function followed(wrapper: WrapperAd, options: WrapperOptions | null): Promise<VideoReading> {
  if (options === null) return { kind: 'none', detail: 'a wrapper, which cannot be followed here' };
  const service = {
    id: wrapper.id ?? `ad-${wrapper.number}`,
    sequence: null,
    metadata: NO_METADATA,
    wrapper,
  };
  const resolved = await resolveWrappers(
    {
      kind: 'ads',
      version: null,
      ads: [{ kind: 'wrapper', sequence: null, wrapper: service }],
      rejected: [],
      errorUrls: [],
    },
    options,
  );
  const [ad] = resolved.ads;
  return ad === undefined
    ? { kind: 'none', detail: resolved.rejected[0]?.detail ?? 'the wrapper leads nowhere' }
    : videoOf(ad);
}

function videoOf({
  durationMs,
  mediaFiles,
  impressions,
  tracking,
  errors,
  clickThrough,
  clickTracking,
}: Omit<InlineAd, 'kind' | 'id' | 'number' | 'sequence' | 'extensions' | 'title'>): VideoReading {
  if (mediaFiles.length === 0) return { kind: 'none', detail: 'no media file in it' };
  return {
    kind: 'video',
    video: { durationMs, mediaFiles, impressions, tracking, errors, clickThrough, clickTracking },
  };
}

/** The chain's rules are area A's; its metadata are not (rule 2). */
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
