import type { Reading, ReadingError, Text } from '../../reading/reading';
import { tooManyAds } from './answer-limits';
import type { ReadAdsOptions } from './read-ads';
import type { Unreadable } from './vast-document';
import { type ResolvedAds, resolveWrappers, type WrapperOptions } from './wrappers';

export interface ResolvedAdsOptions extends ReadAdsOptions {
  readonly wrappers: WrapperOptions;
  readonly reading: Pick<Reading, 'read'>;
}

/**
 * Reads an ads response and follows its wrappers (rules 1, 2, 4 and 31): the
 * entrance for whoever has a network. Never rejects.
 */
export async function readResolvedAds(
  document: Text,
  { wrappers, reading, ...options }: ResolvedAdsOptions,
): Promise<ResolvedAds | Unreadable | ReadingError> {
  const read = await reading.read('ads', document, options);
  if (read.kind === 'unreadable') return read;
  const resolved = await resolveWrappers(read, wrappers);
  return tooManyAds(resolved.ads.length) ?? resolved;
}
