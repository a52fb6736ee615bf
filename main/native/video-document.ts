import { readVast } from '../service/ads-reading/vast';
import type { Unreadable, VastAd, VastDocument } from '../service/ads-reading/vast-document';

/** The VAST of a `vast2` asset; `no-text`: there is none in it. */
export type VideoDocument = VastDocument | Unreadable | { readonly kind: 'no-text' };

/** UTF-16 code units, and ads: a `vast2` asset is one creative with alternatives, not a playlist. */
const LIMITS = { document: 1024 * 1024, ads: 50 };

/** Most wrappers kept per document: each may take seconds to follow. */
const MOST_WRAPPERS = 5;
/** Most ads without a video whose error URLs are kept, and most URLs of each. */
const MOST_TOLD = 20;
const MOST_ERROR_URLS = 100;

/**
 * Reads the XML of a `vast2` asset, and keeps only the parts that `vastVideo` can use. It contains no service
 * metadata and needs none (rule 2).
 */
export function readVideoDocument(vast: unknown): VideoDocument {
  if (typeof vast !== 'string') return { kind: 'no-text' };
  const document = readVast(vast, { extensionType: null, limits: LIMITS });
  return document.kind === 'vast' ? usable(document) : document;
}

/**
 * The same document without the ads that affect neither its video nor its error beacons: those after the
 * first ad with media, and those before it with neither a video nor error URLs. If there is no video, the
 * last ad is kept, because it explains why.
 */
function usable(document: VastDocument): VastDocument {
  const { ads } = document;
  const first = ads.findIndex((ad) => ad.kind === 'inline' && ad.mediaFiles.length > 0);
  const before = first < 0 ? ads : ads.slice(0, first);
  let [wrappers, told] = [0, 0];
  const kept = before.filter((ad, index) => {
    if (ad.kind === 'wrapper') return ++wrappers <= MOST_WRAPPERS;
    const saysWhy = first < 0 && index === ads.length - 1;
    return (ad.errors.length > 0 && ++told <= MOST_TOLD) || saysWhy;
  });
  return {
    ...document,
    ads: [...kept.map(errorsAlone), ...(first < 0 ? [] : ads.slice(first, first + 1))],
    // These are used only if there is no ad.
    errorUrls: ads.length === 0 ? document.errorUrls : [],
  };
}

/** Only the error URLs of an ad without media are used. */
function errorsAlone(ad: VastAd): VastAd {
  if (ad.kind === 'wrapper') return ad;
  const errors = ad.errors.slice(0, MOST_ERROR_URLS);
  if (ad.kind === 'malformed') return { ...ad, errors };
  return { ...ad, errors, impressions: [], tracking: [], clickTracking: [], extensions: [] };
}
