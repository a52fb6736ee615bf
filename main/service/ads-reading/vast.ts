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
 * unreadable as a whole, however far its ads looked fine.
 */
export function readVast(document: string, options: VastOptions): VastDocument | Unreadable {
  const ads: VastAd[] = [];
  const reading = readingVast(document, options, (ad) => ads.push(ad), document.length);
  for (;;) {
    const step = reading.next();
    if (step.done === true) {
      return step.value.kind === 'vast' ? { ...step.value, ads: inPodOrder(ads) } : step.value;
    }
  }
}

/**
 * The same in slices: pauses (yields) after every `sliceLength` code units, so
 * that a caller can let other work run. Ads are handed to `onAd` in document
 * order as they close; they may be used only if the reading ends as `vast`
 * (whose own `ads` is empty here).
 */
export function* readingVast(
  document: string,
  options: VastOptions,
  onAd: (ad: VastAd) => void,
  sliceLength: number,
): Generator<void, VastDocument | Unreadable, void> {
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
    for (let at = 0; at < text.length; at += sliceLength) {
      if (at > 0) yield;
      reader.write(at === 0 && sliceLength >= text.length ? text : text.slice(at, at + sliceLength));
    }
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
