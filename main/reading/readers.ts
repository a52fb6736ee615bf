/**
 * A pure function over foreign bytes (rule 31): time linear in the length of `content`, no I/O, and never an
 * exception. For content that it cannot read, it returns a value.
 */
export interface Reader<Content extends string | Uint8Array, Options, Output> {
  /** Loads the code of the reader, when it is first needed. */
  readonly load: () => Promise<(content: Content, options: Options) => Output | Promise<Output>>;
  /** Keys of the output that hold long lists: they leave the worker in parts. */
  readonly lists: readonly string[];
}

/** All readers of foreign bytes that may be long, by name. */
export const READERS = {
  /** An ads response: VAST with the metadata of the service. */
  ads: {
    load: async () => (await import('../service/ads-reading/read-ads')).readAds,
    lists: ['ads', 'rejected', 'errorUrls'],
  },
  /** A VAST document without metadata: behind a wrapper. */
  vast: {
    load: async () => (await import('../service/ads-reading/vast')).readVast,
    lists: ['ads', 'errorUrls'],
  },
  /** A native answer with the VAST in it. */
  native: {
    load: async () => (await import('../native/native-answer')).readNativeAnswer,
    lists: ['ads'],
  },
  /** A creative that is a page: the whole file. */
  page: { load: async () => (await import('../media/structure/page')).readPage, lists: [] },
  /** A picture or a video: the first bytes of the file. */
  media: { load: async () => (await import('../media/structure/media-head')).readMediaHead, lists: [] },
} as const satisfies Record<string, Reader<never, never, unknown>>;

export type ReaderName = keyof typeof READERS;
type Loaded<N extends ReaderName> = Awaited<ReturnType<(typeof READERS)[N]['load']>>;

/** What a reader reads. */
export type ContentOf<N extends ReaderName> = Parameters<Loaded<N>>[0];
export type OptionsOf<N extends ReaderName> = Parameters<Loaded<N>>[1];
export type OutputOf<N extends ReaderName> = Awaited<ReturnType<Loaded<N>>>;

/** Input of a reader: one piece, or the pieces of a text. */
export type Pieces = readonly (string | Uint8Array)[];

/** Reads pieces that belong together with the named reader. */
export async function readPieces(name: ReaderName, pieces: Pieces, options: unknown): Promise<unknown> {
  const reader = READERS[name] as Reader<string | Uint8Array, unknown, unknown>;
  const [first] = pieces;
  return (await reader.load())(typeof first === 'object' ? first : pieces.join(''), options);
}
