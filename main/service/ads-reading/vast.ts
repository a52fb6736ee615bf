import {
  type Unreadable,
  type UnreadableCode,
  VAST_LIMITS,
  type VastAd,
  type VastDocument,
  type VastOptions,
} from './vast-document';
import { Refusal, VastReader } from './vast-reader';

/**
 * Reads a VAST 2.0 to 4.3 document (rule 1). A damaged `<Ad>` becomes a
 * `malformed` entry and leaves its neighbours alone; a damaged document is
 * unreadable as a whole, however far its ads looked fine. Linear in its length
 * (rule 31). Never throws.
 */
export function readVast(document: string, options: VastOptions): VastDocument | Unreadable {
  const ads: VastAd[] = [];
  const read = readVastAds(document, options, (ad) => ads.push(ad));
  return read.kind === 'vast' ? { ...read, ads: inPodOrder(ads) } : read;
}

/**
 * The same, handing each ad to `onAd` in document order as it closes. They may be
 * used only if the reading ends as `vast`, whose own `ads` is empty here.
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
  // An XML declaration may only stand at the very start; servers put blank lines before it.
  const text = document.trimStart();
  if (text === '') return unreadable('empty', 'the answer is empty: no fill would be an empty <VAST/>');
  if (!text.startsWith('<')) {
    return unreadable('not-vast', `expected XML, the text begins with ${excerpt(text)}`);
  }
  if (!text.isWellFormed()) return unreadable('malformed-xml', 'the text holds half a surrogate pair');

  const reader = new VastReader(options.extensionType, limits, onAd);
  try {
    reader.write(text);
    return reader.end();
  } catch (error) {
    if (error instanceof Refusal) return unreadable(error.code, error.message);
    throw error;
  }
}

/**
 * Puts the ads of a pod in ascending `sequence`, equal ones in document order.
 * They share the places that pod ads had; stand-alone ads keep theirs.
 */
export function inPodOrder<T extends { readonly sequence: number | null }>(ads: readonly T[]): T[] {
  const pod = ads.filter((ad) => ad.sequence !== null);
  pod.sort((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  let next = 0;
  return ads.map((ad) => (ad.sequence === null ? ad : (pod[next++] ?? ad)));
}

function unreadable(code: UnreadableCode, message: string): Unreadable {
  return { kind: 'unreadable', code, message };
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 20));
}
