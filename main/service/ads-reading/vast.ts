import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { MediaFile, TrackingUrl } from '../../../shared/ad';

/** What a document may hold at most. Lengths and sizes are UTF-16 code units of the decoded text. */
export interface VastLimits {
  readonly document: number;
  /** Nesting of elements, the root being 1. */
  readonly depth: number;
  readonly ads: number;
  /** URLs of one ad: impressions, errors, tracking and click tracking together. */
  readonly urls: number;
  readonly url: number;
  readonly mediaFiles: number;
  /** Ids, titles, event names, media types. */
  readonly name: number;
}

export const VAST_LIMITS: VastLimits = {
  document: 64 * 1024 * 1024,
  depth: 64,
  ads: 100_000,
  urls: 2_000,
  url: 32_768,
  mediaFiles: 500,
  name: 1_024,
};

export interface VastOptions {
  /** `type` of the `<Extension>` whose text is collected; null collects none. */
  readonly extensionType: string | null;
  readonly limits?: Partial<VastLimits>;
}

interface Common {
  /** The `<Ad>`'s id, trimmed, or null where it has none. */
  readonly id: string | null;
  /** From 1, in document order; malformed ads are counted. */
  readonly number: number;
  /** Position in a pod, or null for a stand-alone ad. */
  readonly sequence: number | null;
  readonly errors: string[];
}

interface WellFormed extends Common {
  /** Text of every extension of the wanted type, one entry per `<Extension>`. */
  readonly extensions: string[];
  readonly title: string | null;
  readonly impressions: string[];
  readonly tracking: TrackingUrl[];
  readonly clickThrough: string | null;
  readonly clickTracking: string[];
}

export interface InlineAd extends WellFormed {
  readonly kind: 'inline';
  readonly durationMs: number | null;
  readonly mediaFiles: MediaFile[];
}

export interface WrapperAd extends WellFormed {
  readonly kind: 'wrapper';
  /** Address of the wrapped document, verbatim but trimmed; empty where the wrapper names none. */
  readonly adTagUrl: string;
  /** Default true (VAST 3.0, 2.3.2). */
  readonly followAdditionalWrappers: boolean;
  /** Default false (VAST 3.0, 2.3.2). */
  readonly allowMultipleAds: boolean;
}

/** An `<Ad>` whose structure is damaged or beyond the limits: nothing of it may be used but its error URLs. */
export interface MalformedAd extends Common {
  readonly kind: 'malformed';
  readonly detail: string;
}

export type VastAd = InlineAd | WrapperAd | MalformedAd;

export type UnreadableCode =
  | 'empty'
  | 'malformed-xml'
  | 'not-vast'
  | 'doctype-refused'
  | 'too-large'
  | 'too-deep'
  | 'too-many-ads';

/** A document of which nothing may be used (rule 1). `message` is one line, fit for a log. */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly code: UnreadableCode;
  readonly message: string;
}

export interface VastDocument {
  readonly kind: 'vast';
  readonly version: string | null;
  /** Pods ascend by `sequence`, see `inPodOrder`. No ad at all is no fill. */
  readonly ads: readonly VastAd[];
  /** `<Error>` at the root: to be told when the answer holds no ad. */
  readonly errorUrls: readonly string[];
}

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

class Refusal extends Error {
  constructor(
    readonly code: UnreadableCode,
    message: string,
  ) {
    super(message);
  }
}

function unreadable(code: UnreadableCode, message: string): Unreadable {
  return { kind: 'unreadable', code, message };
}

function excerpt(text: string): string {
  return JSON.stringify(text.slice(0, 20));
}

/** Elements that mean something at their place; everything else is passed over. */
enum Element {
  Ignored,
  Document,
  Vast,
  RootError,
  Ad,
  InLine,
  Wrapper,
  AdTitle,
  AdTagUrl,
  Impression,
  AdError,
  Creatives,
  Creative,
  Linear,
  Duration,
  TrackingEvents,
  Tracking,
  VideoClicks,
  ClickThrough,
  ClickTracking,
  MediaFiles,
  MediaFile,
  Extensions,
  Extension,
  /** `<URL>` inside an element that should hold the URL itself (left over from VAST 1). */
  NestedUrl,
}

type Meanings = ReadonlyArray<readonly [name: string, element: Element]>;

const nestedUrl: Meanings = [['URL', Element.NestedUrl]];
const adForm: Meanings = [
  ['Impression', Element.Impression],
  ['Error', Element.AdError],
  ['Creatives', Element.Creatives],
  ['Extensions', Element.Extensions],
  ['AdTitle', Element.AdTitle],
];

/** What an element's name means, by the element around it. */
const GRAMMAR: readonly Meanings[] = byElement<Meanings>(
  [],
  [
    [Element.Document, [['VAST', Element.Vast]]],
    [
      Element.Vast,
      [
        ['Ad', Element.Ad],
        ['Error', Element.RootError],
      ],
    ],
    [
      Element.Ad,
      [
        ['InLine', Element.InLine],
        ['Wrapper', Element.Wrapper],
      ],
    ],
    [Element.InLine, adForm],
    [Element.Wrapper, [...adForm, ['VASTAdTagURI', Element.AdTagUrl], ['VASTAdTagURL', Element.AdTagUrl]]],
    [Element.Creatives, [['Creative', Element.Creative]]],
    [Element.Creative, [['Linear', Element.Linear]]],
    [
      Element.Linear,
      [
        ['Duration', Element.Duration],
        ['TrackingEvents', Element.TrackingEvents],
        ['VideoClicks', Element.VideoClicks],
        ['MediaFiles', Element.MediaFiles],
      ],
    ],
    [Element.TrackingEvents, [['Tracking', Element.Tracking]]],
    [
      Element.VideoClicks,
      [
        ['ClickThrough', Element.ClickThrough],
        ['ClickTracking', Element.ClickTracking],
      ],
    ],
    [Element.MediaFiles, [['MediaFile', Element.MediaFile]]],
    [Element.Extensions, [['Extension', Element.Extension]]],
    [Element.RootError, nestedUrl],
    [Element.AdTagUrl, nestedUrl],
    [Element.Impression, nestedUrl],
    [Element.AdError, nestedUrl],
    [Element.Tracking, nestedUrl],
    [Element.ClickThrough, nestedUrl],
    [Element.ClickTracking, nestedUrl],
    [Element.MediaFile, nestedUrl],
  ],
);

/** The element's meaning by its whole name or, with a prefix, by what follows it: whose namespace it is is not asked. */
function meaningIn(place: Meanings, name: string): Element {
  const whole = knownAs(place, name);
  if (whole !== Element.Ignored) return whole;
  const colon = name.indexOf(':');
  return colon < 0 ? Element.Ignored : knownAs(place, name.slice(colon + 1));
}

/** Compared one by one: a place knows few names, and every name is a fresh string that a map would have to hash. */
function knownAs(place: Meanings, name: string): Element {
  for (const [known, element] of place) if (known === name) return element;
  return Element.Ignored;
}

/** Elements whose text is collected. */
const HOLDS_TEXT: readonly boolean[] = byElement(
  false,
  [
    Element.RootError,
    Element.AdTitle,
    Element.AdTagUrl,
    Element.Impression,
    Element.AdError,
    Element.Duration,
    Element.Tracking,
    Element.ClickThrough,
    Element.ClickTracking,
    Element.MediaFile,
    Element.Extension,
    Element.NestedUrl,
  ].map((element) => [element, true]),
);

/** A table indexed by element. */
function byElement<T>(otherwise: T, entries: ReadonlyArray<[Element, T]>): T[] {
  const table = new Array<T>(Element.NestedUrl + 1).fill(otherwise);
  for (const [element, value] of entries) table[element] = value;
  return table;
}

const NAMES_KEPT = 100;

type Attributes = SaxesTagPlain['attributes'];

interface LinearDraft {
  readonly sequence: number | null;
  durationMs: number | null;
  clickThrough: string | null;
  readonly tracking: TrackingUrl[];
  readonly clickTracking: string[];
  readonly mediaFiles: MediaFile[];
}

interface AdDraft {
  readonly id: string | null;
  readonly number: number;
  readonly sequence: number | null;
  forms: number;
  wrapper: { followAdditionalWrappers: boolean; allowMultipleAds: boolean } | null;
  adTagUrl: string;
  title: string | null;
  urls: number;
  /** Why the ad is malformed, as soon as it is. */
  flaw: string | null;
  readonly impressions: string[];
  readonly errors: string[];
  readonly extensions: string[];
  readonly linears: LinearDraft[];
}

/** One pass over the document, no tree: what is kept is the path of elements and the ad being read. */
class VastReader {
  private readonly parser = new SaxesParser();
  private readonly path: Element[] = [Element.Document];
  /** Text of the element being collected, or null outside of one. */
  private text: string | null = null;
  /** Attributes of the innermost element that holds text or a URL in a `<URL>`. */
  private attributes: Attributes = {};
  /** One copy of each event name and media type: thousands of ads share a dozen. */
  private readonly names = new Map<string, string>();
  private version: string | null = null;
  private readonly errorUrls: string[] = [];
  private ads = 0;
  private ad: AdDraft | null = null;
  private creativeSequence: number | null = null;
  private linear: LinearDraft | null = null;

  constructor(
    private readonly extensionType: string | null,
    private readonly limits: VastLimits,
    private readonly onAd: (ad: VastAd) => void,
  ) {
    this.parser.on('error', (error) => {
      throw new Refusal('malformed-xml', error.message);
    });
    this.parser.on('doctype', (doctype) => {
      if (doctype.includes('[')) {
        throw new Refusal('doctype-refused', 'the DOCTYPE declares entities or markup of its own');
      }
    });
    this.parser.on('opentag', (tag) => this.open(tag));
    this.parser.on('closetag', () => this.close());
    const collect = (text: string) => {
      if (this.text !== null) this.text += text;
    };
    this.parser.on('text', collect);
    this.parser.on('cdata', collect);
  }

  write(text: string): void {
    this.parser.write(text);
  }

  end(): VastDocument {
    this.parser.close();
    return { kind: 'vast', version: this.version, ads: [], errorUrls: this.errorUrls };
  }

  private open(tag: SaxesTagPlain): void {
    const { path } = this;
    const parent = path[path.length - 1];
    const element = parent === undefined ? Element.Ignored : this.meaning(parent, tag);
    if (path.length > this.limits.depth) {
      throw new Refusal('too-deep', `elements nested deeper than ${this.limits.depth}`);
    }
    path.push(element);
    switch (element) {
      case Element.Ignored:
        return;
      case Element.Vast:
        this.version = tag.attributes.version ?? null;
        return;
      case Element.Ad:
        this.openAd(tag.attributes);
        return;
      case Element.InLine:
        if (this.ad !== null) this.ad.forms++;
        return;
      case Element.Wrapper:
        this.openWrapper(tag.attributes);
        return;
      case Element.Creative:
        this.creativeSequence = positiveInteger(tag.attributes.sequence);
        return;
      case Element.Linear:
        this.linear = emptyLinear(this.creativeSequence);
        return;
      case Element.NestedUrl:
        this.text = '';
        return;
      default:
        if (HOLDS_TEXT[element] === true) {
          this.text = '';
          this.attributes = tag.attributes;
        }
    }
  }

  private meaning(parent: Element, tag: SaxesTagPlain): Element {
    if (parent === Element.Ignored) return Element.Ignored;
    const element = meaningIn(GRAMMAR[parent] ?? [], tag.name);
    if (element === Element.Ignored && parent === Element.Document) {
      throw new Refusal('not-vast', notVast(tag.name));
    }
    if (element === Element.Extension && tag.attributes.type?.trim() !== this.extensionType) {
      return Element.Ignored;
    }
    return element;
  }

  private close(): void {
    const element = this.path.pop();
    if (element === undefined || element === Element.Ignored) return;
    if (HOLDS_TEXT[element] === true) {
      this.closeText(element);
      return;
    }
    if (element === Element.Linear) {
      if (this.linear !== null) this.ad?.linears.push(this.linear);
      this.linear = null;
    } else if (element === Element.Ad && this.ad !== null) {
      const ad = this.ad;
      this.ad = null;
      this.onAd(finishedAd(ad));
    }
  }

  private closeText(element: Element): void {
    const text = this.text ?? '';
    if (element === Element.NestedUrl) {
      const around = this.path[this.path.length - 1];
      if (around !== undefined) this.take(around, text.trim());
      // What follows inside the outer element is white space, or another <URL>.
      this.text = '';
      return;
    }
    this.text = null;
    this.take(element, element === Element.Extension ? text : text.trim());
  }

  private take(element: Element, text: string): void {
    const { ad } = this;
    if (element === Element.RootError) {
      if (text !== '' && text.length <= this.limits.url && this.errorUrls.length < this.limits.urls) {
        this.errorUrls.push(text);
      }
      return;
    }
    if (ad === null) return;
    if (element === Element.Extension) {
      ad.extensions.push(text);
      return;
    }
    if (text === '') return;
    switch (element) {
      case Element.AdTitle:
        ad.title = text.slice(0, this.limits.name);
        return;
      case Element.AdTagUrl:
        if (this.admit(ad, text)) ad.adTagUrl = text;
        return;
      case Element.Impression:
        if (this.admit(ad, text)) ad.impressions.push(text);
        return;
      case Element.AdError:
        if (this.admit(ad, text)) ad.errors.push(text);
        return;
      default:
        if (this.linear !== null) this.takeOfLinear(ad, this.linear, element, text);
    }
  }

  private takeOfLinear(ad: AdDraft, linear: LinearDraft, element: Element, text: string): void {
    switch (element) {
      case Element.Duration:
        linear.durationMs = durationMs(text);
        return;
      case Element.Tracking: {
        const event = this.name(ad, this.attributes.event);
        if (event === null || !this.admit(ad, text)) return;
        const offset = event === 'progress' ? this.name(ad, this.attributes.offset) : null;
        linear.tracking.push({ event, url: text, offset });
        return;
      }
      case Element.ClickThrough:
        if (linear.clickThrough === null && this.admit(ad, text)) linear.clickThrough = text;
        return;
      case Element.ClickTracking:
        if (this.admit(ad, text)) linear.clickTracking.push(text);
        return;
      case Element.MediaFile:
        this.takeMediaFile(ad, linear, text);
        return;
    }
  }

  private takeMediaFile(ad: AdDraft, linear: LinearDraft, url: string): void {
    const { attributes } = this;
    // With an API framework the file is a program that would draw the ad (VPAID, SIMID), not media.
    // A file with an address beyond reason (media inlined as `data:`) is nothing a kiosk fetches.
    if (/vpaid|simid|mraid/i.test(attributes.apiFramework ?? '') || url.length > this.limits.url) return;
    if (linear.mediaFiles.length >= this.limits.mediaFiles) {
      ad.flaw ??= `more than ${this.limits.mediaFiles} media files`;
      return;
    }
    linear.mediaFiles.push({
      url,
      type: this.name(ad, attributes.type) ?? '',
      delivery: this.name(ad, attributes.delivery),
      width: positiveNumber(attributes.width),
      height: positiveNumber(attributes.height),
      bitrateKbps:
        positiveNumber(attributes.bitrate) ??
        positiveNumber(attributes.maxBitrate) ??
        positiveNumber(attributes.minBitrate),
      codec: this.name(ad, attributes.codec),
    });
  }

  /** Whether one more URL may be kept; if not, the ad is malformed: it could not be reported as asked. */
  private admit(ad: AdDraft, url: string): boolean {
    if (url.length > this.limits.url) {
      ad.flaw ??= `a URL of ${url.length} characters, at most ${this.limits.url} are read`;
      return false;
    }
    ad.urls++;
    if (ad.urls > this.limits.urls) {
      ad.flaw ??= `more than ${this.limits.urls} URLs`;
      return false;
    }
    return true;
  }

  private name(ad: AdDraft, value: string | undefined): string | null {
    const name = value?.trim() ?? '';
    if (name === '') return null;
    if (name.length > this.limits.name) {
      ad.flaw ??= `an attribute of ${name.length} characters, at most ${this.limits.name} are read`;
      return null;
    }
    const known = this.names.get(name);
    if (known !== undefined) return known;
    if (this.names.size < NAMES_KEPT) this.names.set(name, name);
    return name;
  }

  private openAd(attributes: Attributes): void {
    this.ads++;
    if (this.ads > this.limits.ads) {
      throw new Refusal('too-many-ads', `more than ${this.limits.ads} ads`);
    }
    const id = attributes.id?.trim() ?? '';
    const overlong = id.length > this.limits.name;
    this.ad = {
      id: id === '' || overlong ? null : id,
      number: this.ads,
      sequence: positiveInteger(attributes.sequence),
      forms: 0,
      wrapper: null,
      adTagUrl: '',
      title: null,
      urls: 0,
      flaw: overlong ? `an id of ${id.length} characters, at most ${this.limits.name} are read` : null,
      impressions: [],
      errors: [],
      extensions: [],
      linears: [],
    };
  }

  private openWrapper(attributes: Attributes): void {
    if (this.ad === null) return;
    this.ad.forms++;
    this.ad.wrapper = {
      followAdditionalWrappers: flag(attributes.followAdditionalWrappers) ?? true,
      allowMultipleAds: flag(attributes.allowMultipleAds) ?? false,
    };
  }
}

function finishedAd(ad: AdDraft): VastAd {
  const { id, number, sequence, errors } = ad;
  const flaw = ad.flaw ?? formFlaw(ad.forms);
  if (flaw !== null) return { kind: 'malformed', id, number, sequence, errors, detail: flaw };
  const { extensions, title, impressions, wrapper } = ad;
  if (wrapper === null) {
    const { durationMs, mediaFiles, tracking, clickThrough, clickTracking } = linearOf(ad.linears);
    return {
      kind: 'inline',
      id,
      number,
      sequence,
      errors,
      extensions,
      title,
      impressions,
      tracking,
      clickThrough,
      clickTracking,
      durationMs,
      mediaFiles,
    };
  }
  return {
    kind: 'wrapper',
    id,
    number,
    sequence,
    errors,
    extensions,
    title,
    impressions,
    // Whichever creative is inside plays: a wrapper's tracking is for all of its linear creatives.
    tracking: ad.linears.flatMap((linear) => linear.tracking),
    clickThrough: ad.linears.find((linear) => linear.clickThrough !== null)?.clickThrough ?? null,
    clickTracking: ad.linears.flatMap((linear) => linear.clickTracking),
    adTagUrl: ad.adTagUrl,
    followAdditionalWrappers: wrapper.followAdditionalWrappers,
    allowMultipleAds: wrapper.allowMultipleAds,
  };
}

function formFlaw(forms: number): string | null {
  if (forms === 1) return null;
  return forms === 0 ? 'neither <InLine> nor <Wrapper>' : 'more than one <InLine> or <Wrapper>';
}

/** Of several linear creatives the first by `sequence`, then in document order, that has any media file. */
function linearOf(linears: readonly LinearDraft[]): LinearDraft {
  const [only] = linears;
  if (only === undefined) return emptyLinear(null);
  if (linears.length === 1) return only;
  const last = Number.MAX_SAFE_INTEGER;
  const sorted = linears.toSorted((a, b) => (a.sequence ?? last) - (b.sequence ?? last));
  return sorted.find((linear) => linear.mediaFiles.length > 0) ?? sorted[0] ?? only;
}

function emptyLinear(sequence: number | null): LinearDraft {
  return { sequence, durationMs: null, clickThrough: null, tracking: [], clickTracking: [], mediaFiles: [] };
}

/** `HH:MM:SS` or `HH:MM:SS.mmm` in ms; null for anything else, and for a length of zero, which is none. */
export function durationMs(text: string): number | null {
  const parts = /^(\d{1,4}):([0-5]?\d):([0-5]?\d)(?:\.(\d{1,9}))?$/.exec(text);
  if (parts === null) return null;
  const [, hours, minutes, seconds, fraction = ''] = parts;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return whole * 1_000 + Number(fraction.slice(0, 3).padEnd(3, '0')) || null;
}

function positiveInteger(value: string | undefined): number | null {
  const number = positiveNumber(value);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

function positiveNumber(value: string | undefined): number | null {
  if (value === undefined || !/^\s*\d{1,15}(\.\d{1,9})?\s*$/.test(value)) return null;
  const number = Number(value);
  return number > 0 ? number : null;
}

function flag(value: string | undefined): boolean | null {
  switch (value?.trim().toLowerCase()) {
    case 'true':
    case '1':
      return true;
    case 'false':
    case '0':
      return false;
    default:
      return null;
  }
}

function notVast(root: string): string {
  const name = root.slice(0, 60);
  if (root === 'VideoAdServingTemplate')
    return 'expected VAST 2.0 or later, this is VAST 1 (<VideoAdServingTemplate>)';
  return `expected <VAST>, the root is <${name}>`;
}
