import type { StructureError } from '../media/media-type';
import type { NativeReadingOptions } from '../native/native-answer';
import type { ReadAdsOptions } from '../service/ads-reading/read-ads';
import type { VastOptions } from '../service/ads-reading/vast-document';

/**
 * A pure function over foreign bytes (rule 31): time linear in the length of
 * `content`, no I/O, and never an exception. What cannot be read is a value.
 */
export interface Reader<Content extends string | Uint8Array, Options, Output> {
  /** Loads the code of the reader, when it is first needed. */
  readonly load: () => Promise<(content: Content, options: Options) => Output | Promise<Output>>;
  /** What `content` is: decoded text, or bytes. */
  readonly content: Content extends string ? 'text' : 'bytes';
  /** Keys of the output that hold long lists: they leave the worker in parts. */
  readonly lists: readonly string[];
  /** The error contract: every outcome that `outcomeOf` gives for an output. */
  readonly outcomes: readonly string[];
  readonly outcomeOf: (output: Output) => string;
  /** Options for tests and fuzzing. */
  readonly sampleOptions: Options;
}

const byKind = (output: { readonly kind: string }) => output.kind;
const byType = (output: { readonly type: string } | StructureError) =>
  'code' in output ? output.code : 'taken';

/** All readers of foreign bytes, by name. */
export const READERS = {
  /** An ads response: VAST with the metadata of the service. */
  ads: reader({
    load: async () => (await import('../service/ads-reading/read-ads')).readAds,
    content: 'text',
    lists: ['ads', 'rejected', 'errorUrls'],
    outcomes: ['ads', 'unreadable'],
    outcomeOf: byKind,
    sampleOptions: {} as ReadAdsOptions,
  }),
  /** A VAST document without metadata: behind a wrapper. */
  vast: reader({
    load: async () => (await import('../service/ads-reading/vast')).readVast,
    content: 'text',
    lists: ['ads', 'errorUrls'],
    outcomes: ['vast', 'unreadable'],
    outcomeOf: byKind,
    sampleOptions: { extensionType: null } as VastOptions,
  }),
  /** A native answer with the VAST in it. */
  native: reader({
    load: async () => (await import('../native/native-answer')).readNativeAnswer,
    content: 'text',
    lists: ['ads'],
    outcomes: ['ads', 'refused', 'not-json', 'malformed'],
    outcomeOf: byKind,
    sampleOptions: { adcount: 20, answerId: 'answer', receivedAt: 0 } as NativeReadingOptions,
  }),
  /** The JSON of one ad's metadata extension. */
  metadata: reader({
    load: async () => (await import('../service/ads-reading/metadata')).readMetadata,
    content: 'text',
    lists: [],
    outcomes: ['metadata', 'rejected'],
    outcomeOf: byKind,
    sampleOptions: undefined,
  }),
  /** The service's own words in the body of an error. */
  'service-message': reader({
    load: async () => (await import('../service/service-message')).serviceMessage,
    content: 'text',
    lists: [],
    outcomes: ['message', 'none'],
    outcomeOf: (message) => (message === null ? 'none' : 'message'),
    sampleOptions: ['a secret'] as readonly string[],
  }),
  /** A creative that is a page: the whole file. */
  page: reader({
    load: async () => (await import('../media/structure/page')).readPage,
    content: 'bytes',
    lists: [],
    outcomes: ['taken', 'not-media', 'truncated', 'undecodable'],
    outcomeOf: byType,
    sampleOptions: undefined,
  }),
  /** A picture or a video: the first bytes of the file. */
  media: reader({
    load: async () => (await import('../media/structure/media-head')).readMediaHead,
    content: 'bytes',
    lists: [],
    outcomes: ['taken', 'not-media', 'too-many-pixels', 'undecodable'],
    outcomeOf: byType,
    sampleOptions: undefined,
  }),
} as const;

export type ReaderName = keyof typeof READERS;

/** What a reader reads. */
export type ContentOf<N extends ReaderName> =
  (typeof READERS)[N] extends Reader<infer Content, infer _O, infer _R> ? Content : never;
export type OptionsOf<N extends ReaderName> = (typeof READERS)[N]['sampleOptions'];
export type OutputOf<N extends ReaderName> = Awaited<
  ReturnType<Awaited<ReturnType<(typeof READERS)[N]['load']>>>
>;

/** Keeps the types of a reader's parts together. */
function reader<Content extends string | Uint8Array, Options, Output>(
  of: Reader<Content, Options, Output>,
): Reader<Content, Options, Output> {
  return of;
}
