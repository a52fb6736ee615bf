import type { AdIds, MediaFile, TrackingUrl } from '../../../shared/ad';
import type { VastAd } from './vast-document';

/** A `<Creative>` that is being read. */
export interface CreativeDraft {
  readonly sequence: number | null;
  readonly id: string | null;
  universalAdId: AdIds['universalAdId'];
}

/** A `<Linear>` that is being read. */
export interface LinearDraft {
  readonly creative: CreativeDraft;
  durationMs: number | null;
  clickThrough: string | null;
  readonly tracking: TrackingUrl[];
  readonly clickTracking: string[];
  readonly mediaFiles: MediaFile[];
}

/** An `<Ad>` that is being read. */
export interface AdDraft {
  readonly id: string | null;
  readonly number: number;
  readonly sequence: number | null;
  forms: number;
  wrapper: { followAdditionalWrappers: boolean; allowMultipleAds: boolean } | null;
  adTagUrl: string;
  title: string | null;
  urls: number;
  urlsLength: number;
  /** Why the ad is malformed; null: no error found so far. */
  error: string | null;
  readonly impressions: string[];
  readonly errors: string[];
  readonly extensions: string[];
  adServingId: string | null;
  readonly viewable: string[];
  readonly notVerified: string[];
  readonly linears: LinearDraft[];
}

/** Turns a completely read `<Ad>` into its result. */
export function finishedAd(ad: AdDraft): VastAd {
  const { id, number, sequence, errors } = ad;
  const error = ad.error ?? formError(ad.forms);
  if (error !== null) return { kind: 'malformed', id, number, sequence, errors, detail: error };
  const { extensions, title, impressions, wrapper, viewable, notVerified } = ad;
  const told = {
    ...(viewable.length > 0 ? { viewable } : {}),
    ...(notVerified.length > 0 ? { notVerified } : {}),
  };
  if (wrapper === null) {
    const linear = linearOf(ad.linears);
    const { durationMs, mediaFiles, tracking, clickThrough, clickTracking } = linear;
    const { id: creativeId, universalAdId } = linear.creative;
    const ids = { universalAdId, adServingId: ad.adServingId, creativeId };
    return {
      kind: 'inline',
      id,
      number,
      sequence,
      errors,
      extensions,
      title,
      impressions,
      tracking,
      clickThrough,
      clickTracking,
      durationMs,
      mediaFiles,
      ...(universalAdId || ad.adServingId !== null || creativeId !== null ? { ids } : {}),
      ...told,
    };
  }
  return {
    kind: 'wrapper',
    id,
    number,
    sequence,
    errors,
    extensions,
    title,
    impressions,
    // Any creative behind the wrapper may play, so the tracking of all linear creatives of the wrapper applies.
    tracking: ad.linears.flatMap((linear) => linear.tracking),
    clickThrough: ad.linears.find((linear) => linear.clickThrough !== null)?.clickThrough ?? null,
    clickTracking: ad.linears.flatMap((linear) => linear.clickTracking),
    adTagUrl: ad.adTagUrl,
    followAdditionalWrappers: wrapper.followAdditionalWrappers,
    allowMultipleAds: wrapper.allowMultipleAds,
    ...told,
  };
}

function formError(forms: number): string | null {
  if (forms === 1) return null;
  return forms === 0 ? 'neither <InLine> nor <Wrapper>' : 'more than one <InLine> or <Wrapper>';
}

/**
 * The first linear creative with a media file, by `sequence` and then document order; if none has one, the
 * first.
 */
function linearOf(linears: readonly LinearDraft[]): LinearDraft {
  const [only] = linears;
  if (only === undefined) return emptyLinear(NO_CREATIVE);
  if (linears.length === 1) return only;
  const last = Number.MAX_SAFE_INTEGER;
  const sorted = linears.toSorted((a, b) => (a.creative.sequence ?? last) - (b.creative.sequence ?? last));
  return sorted.find((linear) => linear.mediaFiles.length > 0) ?? sorted[0] ?? only;
}

export const NO_CREATIVE: CreativeDraft = { sequence: null, id: null, universalAdId: null };

export function emptyLinear(creative: CreativeDraft): LinearDraft {
  return { creative, durationMs: null, clickThrough: null, tracking: [], clickTracking: [], mediaFiles: [] };
}
