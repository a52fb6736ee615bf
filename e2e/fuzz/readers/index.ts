import type { FuzzReader } from '../fuzz-reader';
import { DOCUMENT_READERS } from './documents';
import { HEADER_READERS } from './headers';
import { LOCAL_READERS } from './local';
import { MEDIA_READERS } from './media';

/** Every reader of foreign bytes. */
export const FUZZ_READERS: readonly FuzzReader[] = [
  ...DOCUMENT_READERS,
  ...MEDIA_READERS,
  ...HEADER_READERS,
  ...LOCAL_READERS,
];
