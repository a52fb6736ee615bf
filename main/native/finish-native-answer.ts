import type { NativeAd } from '../../shared/native';
import type { DeadEnd, WrapperOptions } from '../service/ads-reading/wrappers';
import { canBeShown, type VideoDocument } from './assets';
import { MAX_REMARKS, type NativeDraft, type NativeDrafts } from './native-answer';
import { vastVideo } from './vast-video';

export interface NativeAds {
  /** Those that can be shown and confirmed, as far as that is known where wrappers are not followed. */
  readonly ads: readonly NativeAd[];
  /** How many ads of the answer were left out; `remarks` say why. */
  readonly leftOut: number;
  readonly remarks: readonly string[];
  readonly videoErrors: readonly VideoError[];
}

/** An error in a `vast2` asset of an ad, which may be shown without its video or not at all. */
export interface VideoError extends DeadEnd {
  readonly instance: string;
  /** Index among the errors of this ad, from 0. */
  readonly position: number;
}

/**
 * Follows the videos of a native answer to their media, and leaves out the ads
 * that cannot be shown or confirmed. `wrappers` is null where wrappers are not followed.
 */
export async function finishNativeAnswer(
  { ads, surplus }: NativeDrafts,
  wrappers: WrapperOptions | null,
): Promise<NativeAds> {
  const finished = await Promise.all(ads.map((draft) => finish(draft, wrappers)));
  const remarks = finished.flatMap((ad, index) => ad.remarks.map((remark) => `ad ${index + 1}: ${remark}`));
  const usable = finished.flatMap(({ ad }) => (ad === null ? [] : [ad]));
  return {
    ads: usable,
    leftOut: finished.length - usable.length,
    videoErrors: finished.flatMap(({ videoErrors }) => videoErrors),
    remarks: [...(surplus > 0 ? [`${surplus} more ads than were asked for`] : []), ...new Set(remarks)].slice(
      0,
      MAX_REMARKS,
    ),
  };
}

async function finish(
  { ad, videos, remarks: ofReading }: NativeDraft,
  wrappers: WrapperOptions | null,
): Promise<Pick<NativeAds, 'remarks' | 'videoErrors'> & { readonly ad: NativeAd | null }> {
  if (ad === null) return { ad, remarks: ofReading, videoErrors: [] };
  const { instance } = ad;
  const remarks = [...ofReading];
  const videoErrors: VideoError[] = [];
  let video: NativeAd['assets']['video'] = null;
  for (const document of videos) {
    const reading = await vastVideo(document, wrappers);
    for (const error of reading.errors)
      videoErrors.push({ instance, position: videoErrors.length, ...error });
    if (reading.kind === 'video') video ??= reading.video;
    else remarks.push(`asset vast2: ${reading.detail}`);
  }
  const assets = { ...ad.assets, video };
  // Any may lead to a video.
  const isOpen = wrappers === null && videos.some(hasWrapper);
  if (!canBeShown(assets) && !isOpen)
    return { ad: null, remarks: [...remarks, 'nothing to show'], videoErrors };
  return { ad: { ...ad, assets }, remarks, videoErrors };
}

const hasWrapper = (document: VideoDocument): boolean =>
  'ads' in document && document.ads.some(({ kind }) => kind === 'wrapper');
