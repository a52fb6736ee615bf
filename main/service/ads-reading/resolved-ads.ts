import { type ReadAdsOptions, readAdsInSlices } from './read-ads';
import type { Unreadable } from './vast-document';
import { type ResolvedAds, resolveWrappers, type WrapperOptions } from './wrappers';

export interface ResolvedAdsOptions extends ReadAdsOptions {
  readonly wrappers: WrapperOptions;
  /** Resolves when it is the reading's turn again, so that a long response does not hold up what plays. */
  readonly pause: () => Promise<void>;
}

/** Reads an ads response and follows its wrappers (rules 1, 2 and 4): the entrance for whoever has a network. */
export async function readResolvedAds(
  document: string,
  options: ResolvedAdsOptions,
): Promise<ResolvedAds | Unreadable> {
  const reading = await readAdsInSlices(document, options, options.pause);
  return reading.kind === 'unreadable' ? reading : await resolveWrappers(reading, options.wrappers);
}
