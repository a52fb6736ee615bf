import { readVast } from '../ads-reading/vast';
import type { Unreadable, VastAd, VastDocument } from '../ads-reading/vast-document';

/** The VAST of a `vast2` asset; `no-text`: there is none in it. */
export type VideoDocument = VastDocument | Unreadable | { readonly kind: 'no-text' };

/** One creative and its alternatives, not a playlist. UTF-16 code units, and ads. */
const LIMITS = { document: 1024 * 1024, ads: 50 };

/** Wrappers of a document that are kept: each may take seconds to follow. */
const MOST_WRAPPERS = 5;

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
 * The same document without what cannot change its video: what follows the first
 * ad with media, and before it all but wrappers. Where there is no such ad, the
 * last one is kept, which says why.
 */
function usable(document: VastDocument): VastDocument {
  const { ads } = document;
  const first = ads.findIndex((ad) => ad.kind === 'inline' && ad.mediaFiles.length > 0);
  const wrappers = (first < 0 ? ads : ads.slice(0, first))
    .filter(({ kind }) => kind === 'wrapper')
    .slice(0, MOST_WRAPPERS);
  const end = first < 0 ? reasonOf(ads) : ads.slice(first, first + 1);
  return {
    ...document,
    ads: [...wrappers, ...end],
    // Told only where there is no ad.
    errorUrls: ads.length === 0 ? document.errorUrls : [],
  };
}

function reasonOf(ads: readonly VastAd[]): readonly VastAd[] {
  return ads.slice(-1).filter(({ kind }) => kind !== 'wrapper');
}
