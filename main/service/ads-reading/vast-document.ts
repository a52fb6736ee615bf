import type { AdIds, MediaFile, TrackingUrl } from '../../../shared/ad';

/** Bounds of a document. Lengths and sizes are UTF-16 code units of the decoded text. */
export const VAST_LIMITS = {
  document: 64 * 1024 * 1024,
  /** Nesting of elements; the root is 1. */
  depth: 64,
  ads: 100_000,
  /** URLs of one ad, without those of its media files. */
  urls: 2_000,
  /**
   * Length of these URLs and those of the media files, together: twice what the beacons of a play may take in the books
   * (rule 15). Copying it takes about 10 ms.
   */
  urlsLength: 8 * 1024 * 1024,
  url: 32_768,
  /**
   * Length of a media file's URL, which is stored with every play; a file with a longer one is left out. CloudFront, for
   * example, takes no URL of more than 8,192 bytes.
   */
  mediaUrl: 8_192,
  mediaFiles: 500,
  /** Linear creatives of one ad. */
  linears: 500,
  /** Longest id, title, event name or media type. */
  name: 1_024,
};
export type VastLimits = Readonly<typeof VAST_LIMITS>;

export interface VastOptions {
  /** Collects the text of `<Extension>` elements with this `type`; null: of none. */
  readonly extensionType: string | null;
  readonly limits?: Partial<VastLimits>;
}

interface Common {
  /** The `<Ad>`'s id, trimmed; null: none. */
  readonly id: string | null;
  /** From 1, in document order; malformed ads count too. */
  readonly number: number;
  /** Position in a pod; null: a stand-alone ad. */
  readonly sequence: number | null;
  readonly errors: string[];
}

interface WellFormed extends Common {
  /** The text of each `<Extension>` of the wanted type. */
  readonly extensions: string[];
  readonly title: string | null;
  readonly impressions: string[];
  readonly tracking: TrackingUrl[];
  readonly clickThrough: string | null;
  readonly clickTracking: string[];
  readonly viewable?: string[];
  readonly notVerified?: string[];
}

export interface InlineAd extends WellFormed {
  readonly kind: 'inline';
  readonly durationMs: number | null;
  readonly mediaFiles: MediaFile[];
  /** Ids of the creative with these media files; absent: it has none. */
  readonly ids?: AdIds;
}

export interface WrapperAd extends WellFormed {
  readonly kind: 'wrapper';
  /** URL of the wrapped document, verbatim but trimmed; empty: the wrapper has none. */
  readonly adTagUrl: string;
  /** Default true (VAST 3.0, 2.3.2). */
  readonly followAdditionalWrappers: boolean;
  /** Default false (VAST 3.0, 2.3.2). */
  readonly allowMultipleAds: boolean;
  /** Where this wrapper leads to no ad, the next stand-alone ad of its document takes its place (VAST 3.0, 2.3.2). */
  readonly fallbackOnNoAd: boolean;
}

/** An `<Ad>` that is damaged or beyond the limits: only its error URLs may be used. */
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

/** A document of which nothing may be used (rule 1). `message` is one line, suitable for a log. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly code: UnreadableCode;
  readonly message: string;
}

export function unreadable(code: UnreadableCode, message: string): Unreadable {
  return { kind: 'unreadable', code, message };
}

export interface VastDocument {
  readonly kind: 'vast';
  /** Pods in ascending order of `sequence`, see `inPodOrder`. Empty: no fill. */
  readonly ads: readonly VastAd[];
  /** `<Error>` URLs at the root, fired if the answer has no ad. */
  readonly errorUrls: readonly string[];
}

/** VAST 4.2 error codes (section 2.3.6.3) for errors before an ad is shown. */
export const VAST_ERROR = {
  /** XML that cannot be read, or that does not match VAST or its metadata. */
  unreadable: 101,
  wrapper: 300,
  /** The document of a wrapper was unavailable, or did not come in time. */
  wrapperTimeout: 301,
  /** Too many wrappers, a loop included. */
  wrapperLimit: 302,
  noAd: 303,
  mediaNotFound: 401,
  /** No media file of a type that can be shown. */
  noMedia: 403,
  /** A media file of a type that can be shown, which cannot be shown. */
  mediaNotShown: 405,
} as const;
