import type { AdIds, MediaFile, TrackingUrl } from '../../../shared/ad';
import type { VastAd } from './vast-document';

/** A `<Creative>` that is being read. */
export interface CreativeDraft {
  readonly sequence: number | null;
  readonly id: string | null;
  universalAdId: AdIds['universalAdId'];
}

export const NO_CREATIVE: CreativeDraft = { sequence: null, id: null, universalAdId: null };

/** A `<Linear>` that is being read. */
export class LinearDraft {
  durationMs: number | null = null;
  clickThrough: string | null = null;
  readonly tracking: TrackingUrl[] = [];
  readonly clickTracking: string[] = [];
  readonly mediaFiles: MediaFile[] = [];

  constructor(readonly creative: CreativeDraft) {}
}

/** An `<Ad>` that is being read. */
export class AdDraft {
  forms = 0;
  wrapper: { followAdditionalWrappers: boolean; allowMultipleAds: boolean } | null = null;
  adTagUrl = '';
  title: string | null = null;
  urls = 0;
  urlsLength = 0;
  /** Why the ad is malformed; null: no error found so far. */
  error: string | null = null;
  adServingId: string | null = null;
  readonly impressions: string[] = [];
  readonly errors: string[] = [];
  readonly extensions: string[] = [];
  readonly viewable: string[] = [];
  readonly notVerified: string[] = [];
  readonly linears: LinearDraft[] = [];

  constructor(
    readonly id: string | null,
    readonly number: number,
    readonly sequence: number | null,
  ) {}
}

/** Turns a completely read `<Ad>` into its result. */
export function finishedAd(ad: AdDraft): VastAd {
  const { id, number, sequence, errors, extensions, title, impressions, wrapper, linears } = ad;
  const common = { id, number, sequence, errors };
  const error = ad.error ?? formError(ad.forms);
  if (error !== null) return { kind: 'malformed', ...common, detail: error };
  const wellFormed = {
    ...{ ...common, extensions, title, impressions },
    ...(ad.viewable.length > 0 ? { viewable: ad.viewable } : {}),
    ...(ad.notVerified.length > 0 ? { notVerified: ad.notVerified } : {}),
  };
  if (wrapper === null) {
    const { creative, ...linear } = linearOf(linears);
    const ids = {
      universalAdId: creative.universalAdId,
      adServingId: ad.adServingId,
      creativeId: creative.id,
    };
    const hasIds = Object.values(ids).some((one) => one !== null);
    return { kind: 'inline', ...wellFormed, ...linear, ...(hasIds ? { ids } : {}) };
  }
  return {
    ...{ kind: 'wrapper', ...wellFormed, ...wrapper, adTagUrl: ad.adTagUrl },
    // Any creative behind the wrapper may play, so the tracking of all linear creatives of the wrapper applies.
    tracking: linears.flatMap((linear) => linear.tracking),
    clickThrough: linears.find((linear) => linear.clickThrough !== null)?.clickThrough ?? null,
    clickTracking: linears.flatMap((linear) => linear.clickTracking),
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
  const last = Number.MAX_SAFE_INTEGER;
  const sorted = linears.toSorted((a, b) => (a.creative.sequence ?? last) - (b.creative.sequence ?? last));
  return sorted.find(({ mediaFiles }) => mediaFiles.length > 0) ?? sorted[0] ?? new LinearDraft(NO_CREATIVE);
}
