import type { Part } from './in-parts';
import type { ReaderName } from './readers';

/** What main tells the worker. Content comes first, in pieces; each part of the result is asked for. */
export type ToWorker =
  | { readonly kind: 'content'; readonly piece: string | Uint8Array }
  | { readonly kind: 'read'; readonly reader: ReaderName; readonly options: unknown }
  | { readonly kind: 'more' };

/** What the worker tells main: the result without its lists, the lists in parts, the end. */
export type FromWorker =
  | { readonly kind: 'result'; readonly rest: unknown }
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'end' }
  /** A reader threw, which none may. */
  | { readonly kind: 'failed'; readonly message: string };
