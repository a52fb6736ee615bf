import { readVast } from '../service/ads-reading/vast';
import type { Unreadable, VastAd, VastDocument } from '../service/ads-reading/vast-document';

/** The VAST of a `vast2` asset; `no-text`: there is none in it. */
export type VideoDocument = VastDocument | Unreadable | { readonly kind: 'no-text' };

/** One creative and its alternatives, not a playlist. UTF-16 code units, and ads. */
const LIMITS = { document: 1024 * 1024, ads: 50 };

/** Wrappers of a document that are kept: each may take seconds to follow. */
const MOST_WRAPPERS = 5;
/** Ads without a video whose error URLs are kept, and URLs of each. */
const MOST_TOLD = 20;
const MOST_ERROR_URLS = 100;

/**
 * Reads the XML of a `vast2` asset, and keeps of it what `vastVideo` can use. It
 * carries no service metadata and needs none (rule 2).
 */
export function readVideoDocument(vast: unknown): VideoDocument {
  if (typeof vast !== 'string') return { kind: 'no-text' };
  const document = readVast(vast, { extensionType: null, limits: LIMITS });
  return document.kind === 'vast' ? usable(document) : document;
}

/**
 * The same document without what changes neither its video nor what is told of it: what
 * follows the first ad with media; and before it, what holds no video and has nobody to
 * tell. Where there is no video, the last ad is kept, which says why.
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
    // Told only where there is no ad.
    errorUrls: ads.length === 0 ? document.errorUrls : [],
  };
}

/** Of an ad without media nothing but its errors is of use. */
function errorsAlone(ad: VastAd): VastAd {
  if (ad.kind === 'wrapper') return ad;
  const errors = ad.errors.slice(0, MOST_ERROR_URLS);
  if (ad.kind === 'malformed') return { ...ad, errors };
  return { ...ad, errors, impressions: [], tracking: [], clickTracking: [], extensions: [] };
}
