import { startDeadline } from '../../deadline';
import type { Reading, ReadingError, Text } from '../../reading/reading';
import { tooManyAds } from './answer-limits';
import type { ReadAdsOptions } from './read-ads';
import type { Unreadable } from './vast-document';
import { type ResolvedAds, resolveWrappers, type WrapperOptions } from './wrappers';

export interface ResolvedAdsOptions extends ReadAdsOptions {
  readonly wrappers: WrapperOptions;
  readonly reading: Pick<Reading, 'read'>;
  /** Time left for this answer, ms; wrappers that are not resolved by then are rejected. */
  readonly leftMs: number;
}

/** Reads an ads response and resolves its wrappers over the network (rules 1, 2, 4 and 31). Never rejects. */
export async function readResolvedAds(
  document: Text,
  { wrappers, reading, leftMs, ...options }: ResolvedAdsOptions,
): Promise<ResolvedAds | Unreadable | ReadingError> {
  const { signal, release } = startDeadline(leftMs, wrappers.schedule, wrappers.signal);
  try {
    const read = await reading.read('ads', document, options);
    if (read.kind === 'unreadable') return read;
    const resolved = await resolveWrappers(read, { ...wrappers, signal });
    return tooManyAds(resolved.ads.length) ?? resolved;
  } finally {
    release();
  }
}
