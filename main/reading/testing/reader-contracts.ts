import type { StructureError } from '../../media/media-type';
import type { NativeReadingOptions } from '../../native/native-answer';
import type { ReadAdsOptions } from '../../service/ads-reading/read-ads';
import type { VastOptions } from '../../service/ads-reading/vast-document';
import { READERS } from '../readers';

/** What every reader of foreign bytes promises (rule 31). */
interface Contract<Content extends string | Uint8Array, Options, Output> {
  readonly load: () => Promise<(content: Content, options: Options) => Output | Promise<Output>>;
  /** Whether its content is decoded text or bytes. */
  readonly content: Content extends string ? 'text' : 'bytes';
  /** Every outcome that `outcomeOf` gives for an output. */
  readonly outcomes: readonly string[];
  readonly outcomeOf: (output: Output) => string;
  readonly options: Options;
}

const byKind = (output: { readonly kind: string }) => output.kind;
const byType = (output: { readonly type: string } | StructureError) =>
  'code' in output ? output.code : 'taken';

/** Contracts by name: of the readers that main calls through `Reading`, and of readers that call each other. */
export const CONTRACTS = {
  ads: contract({
    load: READERS.ads.load,
    content: 'text',
    outcomes: ['ads', 'unreadable'],
    outcomeOf: byKind,
    options: {} as ReadAdsOptions,
  }),
  vast: contract({
    load: READERS.vast.load,
    content: 'text',
    outcomes: ['vast', 'unreadable'],
    outcomeOf: byKind,
    options: { extensionType: null } as VastOptions,
  }),
  native: contract({
    load: READERS.native.load,
    content: 'text',
    outcomes: ['ads', 'refused', 'not-json', 'malformed'],
    outcomeOf: byKind,
    options: { adcount: 20, answerId: 'answer' } as NativeReadingOptions,
  }),
  /** The JSON of one ad's metadata extension. */
  metadata: contract({
    load: async () => (await import('../../service/ads-reading/metadata')).readMetadata,
    content: 'text',
    outcomes: ['metadata', 'rejected'],
    outcomeOf: byKind,
    options: undefined,
  }),
  /** The service's own message in the body of an error. */
  'service-message': contract({
    load: async () => (await import('../../service/service-message')).serviceMessage,
    content: 'text',
    outcomes: ['message', 'none'],
    outcomeOf: (message) => (message === null ? 'none' : 'message'),
    options: ['a secret'] as readonly string[],
  }),
  page: contract({
    load: READERS.page.load,
    content: 'bytes',
    outcomes: ['taken', 'not-media', 'truncated', 'undecodable'],
    outcomeOf: byType,
    options: undefined,
  }),
  media: contract({
    load: READERS.media.load,
    content: 'bytes',
    outcomes: ['taken', 'not-media', 'too-many-pixels', 'undecodable'],
    outcomeOf: byType,
    options: undefined,
  }),
} as const;

export type ContractName = keyof typeof CONTRACTS;
/** Any contract, without its types. */
export type AnyContract = Contract<string | Uint8Array, unknown, unknown>;

/** Keeps the types of a contract's parts together. */
function contract<Content extends string | Uint8Array, Options, Output>(
  of: Contract<Content, Options, Output>,
): Contract<Content, Options, Output> {
  return of;
}
