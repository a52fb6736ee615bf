import type { MediaFile, TrackingUrl } from '../../../shared/ad';

/** What a document may hold at most. Lengths and sizes are UTF-16 code units of the decoded text. */
export interface VastLimits {
  readonly document: number;
  /** Nesting of elements, the root being 1. */
  readonly depth: number;
  readonly ads: number;
  /** URLs of one ad: impressions, errors, tracking and click tracking together. */
  readonly urls: number;
  /** Length of these and of the media files' addresses, together. */
  readonly urlsLength: number;
  readonly url: number;
  readonly mediaFiles: number;
  /** Linear creatives of one ad. */
  readonly linears: number;
  /** Ids, titles, event names, media types. */
  readonly name: number;
}

export const VAST_LIMITS: VastLimits = {
  document: 64 * 1024 * 1024,
  depth: 64,
  ads: 100_000,
  urls: 2_000,
  // Twice what the beacons of a play may take in the books (rule 15); some 10 ms to copy.
  urlsLength: 8 * 1024 * 1024,
  url: 32_768,
  mediaFiles: 500,
  linears: 500,
  name: 1_024,
};

export interface VastOptions {
  /** `type` of the `<Extension>` whose text is collected; null collects none. */
  readonly extensionType: string | null;
  readonly limits?: Partial<VastLimits>;
}

interface Common {
  /** The `<Ad>`'s id, trimmed, or null where it has none. */
  readonly id: string | null;
  /** From 1, in document order; malformed ads are counted. */
  readonly number: number;
  /** Position in a pod, or null for a stand-alone ad. */
  readonly sequence: number | null;
  readonly errors: string[];
}

interface WellFormed extends Common {
  /** Text of every extension of the wanted type, one entry per `<Extension>`. */
  readonly extensions: string[];
  readonly title: string | null;
  readonly impressions: string[];
  readonly tracking: TrackingUrl[];
  readonly clickThrough: string | null;
  readonly clickTracking: string[];
}

export interface InlineAd extends WellFormed {
  readonly kind: 'inline';
  readonly durationMs: number | null;
  readonly mediaFiles: MediaFile[];
}

export interface WrapperAd extends WellFormed {
  readonly kind: 'wrapper';
  /** Address of the wrapped document, verbatim but trimmed; empty where the wrapper names none. */
  readonly adTagUrl: string;
  /** Default true (VAST 3.0, 2.3.2). */
  readonly followAdditionalWrappers: boolean;
  /** Default false (VAST 3.0, 2.3.2). */
  readonly allowMultipleAds: boolean;
}

/** An `<Ad>` whose structure is damaged or beyond the limits: nothing of it may be used but its error URLs. */
export interface MalformedAd extends Common {
  readonly kind: 'malformed';
  readonly detail: string;
}

export type VastAd = InlineAd | WrapperAd | MalformedAd;

export type UnreadableCode =
  | 'empty'
  | 'malformed-xml'
  | 'not-vast'
  | 'doctype-refused'
  | 'too-large'
  | 'too-deep'
  | 'too-many-ads'
  | 'too-much-targeting';

/** A document of which nothing may be used (rule 1). `message` is one line, fit for a log. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly code: UnreadableCode;
  readonly message: string;
}

export interface VastDocument {
  readonly kind: 'vast';
  readonly version: string | null;
  /** Pods ascend by `sequence`, see `inPodOrder`. No ad at all is no fill. */
  readonly ads: readonly VastAd[];
  /** `<Error>` at the root: to be told when the answer holds no ad. */
  readonly errorUrls: readonly string[];
}
