import type { Ad, AdMetadata } from '../../../shared/ad';
import { firstSources, MAX_ADS, MAX_SOURCES, tooManyAds, tooMuchTargeting } from './answer-limits';
import { type MetadataReading, readMetadataExtensions } from './metadata';
import { inPodOrder, readVastAds } from './vast';
import { type InlineAd, type Unreadable, VAST_ERROR, type VastAd, type WrapperAd } from './vast-document';

export interface ReadAdsOptions {
  /** `ads.metadataExtension` of the settings. Default `service-metadata`. */
  readonly metadataExtension?: string;
}

/** A wrapper in the service's answer: its metadata is known, its media are in another document. */
export interface ServiceWrapper {
  readonly id: string;
  readonly sequence: number | null;
  readonly metadata: AdMetadata;
  readonly wrapper: WrapperAd;
}

export type RejectionCode = 'metadata-missing' | 'metadata-invalid' | 'wrapper-unresolved' | 'malformed-ad';

export interface RejectedAd {
  /** As in the document; null: none, or too long. */
  readonly id: string | null;
  /** From 1, in document order. */
  readonly number: number;
  readonly code: RejectionCode;
  /** One line of text, without values that may be long or secret. */
  readonly detail: string;
  /** The ad's `<Error>` URLs and those of its wrappers, verbatim. */
  readonly errorUrls: readonly string[];
  /** The VAST error code for these URLs (VAST 4.2, section 2.3.6.3). */
  readonly errorCode: number;
}

export interface AdsReading {
  readonly kind: 'ads';
  /** Pods in ascending order, stand-alone ads in document order. Empty, and `rejected` too: no fill. */
  readonly ads: ReadonlyArray<Ad | ServiceWrapper>;
  readonly rejected: readonly RejectedAd[];
  /** `<Error>` URLs at the root, for an answer without an ad. */
  readonly errorUrls: readonly string[];
}

/**
 * Reads an ads response (rules 1, 2 and 4): VAST 2.0 to 4.3 with the service's metadata in every ad. A bad ad
 * is in `rejected` and does not affect the others; so is an ad of one source too many. An answer beyond the
 * other limits of `answer-limits.ts` is unreadable as a whole. Linear in its length (rule 31), about 25 µs per
 * ad. Never throws.
 */
export function readAds(document: string, options: ReadAdsOptions = {}): AdsReading | Unreadable {
  const ads: (Ad | ServiceWrapper)[] = [];
  const rejected: RejectedAd[] = [];
  const extensionType = options.metadataExtension ?? 'service-metadata';
  // Ads of one flight repeat the same metadata, so equal texts are parsed once.
  const known = new Map<string, MetadataReading>();
  const metadataOf = (texts: readonly string[]): MetadataReading => {
    const [text] = texts;
    if (text === undefined || texts.length > 1) return readMetadataExtensions(texts);
    const reading = known.get(text) ?? readMetadataExtensions(texts);
    if (known.size < 1_000) known.set(text, reading);
    return reading;
  };
  let taken = 0;
  const isOfFirstSources = firstSources();
  const take = (ad: VastAd): void => {
    const read = withMetadata(ad, metadataOf, isOfFirstSources);
    if ('code' in read) {
      rejected.push(read);
      return;
    }
    taken += 1;
    if (taken <= MAX_ADS) ads.push(read);
  };
  const end = readVastAds(document, { extensionType }, take);
  if (end.kind === 'unreadable') return end;
  const tooMuch = tooManyAds(taken) ?? tooMuchTargeting(ads);
  if (tooMuch !== null) return tooMuch;
  return { kind: 'ads', ads: inPodOrder(ads), rejected, errorUrls: end.errorUrls };
}

function withMetadata(
  ad: VastAd,
  metadataOf: (texts: readonly string[]) => MetadataReading,
  isOfFirstSources: (metadata: AdMetadata) => boolean,
): Ad | ServiceWrapper | RejectedAd {
  const reject = (code: RejectionCode, detail: string): RejectedAd => ({
    id: ad.id,
    number: ad.number,
    code,
    detail,
    errorUrls: ad.errors,
    errorCode: VAST_ERROR.unreadable,
  });
  if (ad.kind === 'malformed') return reject('malformed-ad', ad.detail);
  const reading = metadataOf(ad.extensions);
  if (reading.kind === 'rejected') return reject(reading.code, reading.detail);
  const { metadata } = reading;
  if (!isOfFirstSources(metadata))
    return reject('metadata-invalid', `source_id: more than ${MAX_SOURCES} different ones in one answer`);
  const id = ad.id ?? `ad-${ad.number}`;
  const { sequence } = ad;
  return ad.kind === 'wrapper'
    ? { id, sequence, metadata, wrapper: ad }
    : serviceAd(id, sequence, metadata, ad);
}

/** Joins the service's metadata for an ad with the content that was found for it. */
export function serviceAd(id: string, sequence: number | null, metadata: AdMetadata, ad: InlineAd): Ad {
  const { kind: _kind, number: _number, extensions: _extensions, ...content } = ad;
  return { ...content, id, sequence, metadata };
}
