import {
  type Unreadable,
  unreadable,
  VAST_LIMITS,
  type VastAd,
  type VastDocument,
  type VastOptions,
} from './vast-document';
import { UnreadableDocument, VastReader } from './vast-reader';

/**
 * Reads a VAST 2.0 to 4.3 document (rule 1). A damaged `<Ad>` becomes a `malformed` entry and does not affect
 * the others. A damaged document is unreadable as a whole, even if its first ads are valid. Linear in its
 * length (rule 31). Never throws.
 */
export function readVast(document: string, options: VastOptions): VastDocument | Unreadable {
  const ads: VastAd[] = [];
  const read = readVastAds(document, options, (ad) => ads.push(ad));
  return read.kind === 'vast' ? { ...read, ads: inPodOrder(ads) } : read;
}

/**
 * Like `readVast`, but passes each ad to `onAd` in document order when it closes; `ads` of the result is
 * empty. The ads may be used only if the result is a `vast`.
 */
export function readVastAds(
  document: string,
  options: VastOptions,
  onAd: (ad: VastAd) => void,
): VastDocument | Unreadable {
  const limits = { ...VAST_LIMITS, ...options.limits };
  if (document.length > limits.document) {
    return unreadable('too-large', `${document.length} characters, at most ${limits.document} are read`);
  }
  // XML allows a declaration only at the very start, but some servers put blank lines before it.
  const text = document.trimStart();
  if (text === '') return unreadable('empty', 'the answer is empty: no fill would be an empty <VAST/>');
  if (!text.startsWith('<')) {
    return unreadable('not-vast', `expected XML, the text begins with ${JSON.stringify(text.slice(0, 20))}`);
  }
  if (!text.isWellFormed()) return unreadable('malformed-xml', 'the text holds half a surrogate pair');

  try {
    return new VastReader(options.extensionType, limits, onAd).read(text);
  } catch (error) {
    if (error instanceof UnreadableDocument) return unreadable(error.code, error.message);
    throw error;
  }
}

/**
 * Sorts the ads of a pod by `sequence`, equal ones in document order. Pod ads share the positions that they
 * had in the list; stand-alone ads keep theirs.
 */
export function inPodOrder<T extends { readonly sequence: number | null }>(ads: readonly T[]): T[] {
  const pod = ads.filter((ad) => ad.sequence !== null);
  pod.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  let next = 0;
  return ads.map((ad) => (ad.sequence === null ? ad : (pod[next++] ?? ad)));
}
