import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { AdDraft, type Attributes } from './vast-ad-draft';
import type { UnreadableCode, VastAd, VastDocument, VastLimits } from './vast-document';
import { durationMs, flag, withScheme } from './vast-values';

/** Stops the reading: nothing of the document may be used. */
export class UnreadableDocument extends Error {
  constructor(
    readonly code: UnreadableCode,
    message: string,
  ) {
    super(message);
  }
}

/** How an element is read, at its place in the document. */
interface Element {
  /** Names of the elements in it that are read; all others are skipped. Hashing every fresh name would take longer. */
  readonly names: readonly string[];
  readonly elements: readonly Element[];
  readonly opens: ((ad: AdDraft, attributes: Attributes) => void) | null;
  /** Takes its whole text; null: the text is skipped. */
  readonly takes: ((ad: AdDraft, text: string, attributes: Attributes) => void) | null;
  readonly closes: ((ad: AdDraft) => void) | null;
}

type Names = Readonly<Record<string, Element>>;

const element = (
  inside: Names,
  { opens = null, takes = null, closes = null }: Partial<Element> = {},
): Element => ({ names: Object.keys(inside), elements: Object.values(inside), opens, takes, closes });

/** An element whose trimmed text counts; an empty one counts as absent. */
const text = (take: NonNullable<Element['takes']>, inside: Names = {}) =>
  element(inside, {
    takes(ad, whole, attributes) {
      const trimmed = whole.trim();
      if (trimmed !== '') take(ad, trimmed, attributes);
    },
  });

/** `<URL>` inside an element that should contain the URL itself (from VAST 1); its text goes to that element. */
const NESTED_URL = element({}, { takes() {} });
const nestedUrl: Names = { URL: NESTED_URL };

/** An element whose text is a URL. `about:blank` is a placeholder for none: VAST requires an impression. */
const address = (take: NonNullable<Element['takes']>) =>
  text((ad, found, attributes) => {
    if (found !== 'about:blank') take(ad, withScheme(found), attributes);
  }, nestedUrl);

/** An element that holds one more URL of the ad. */
const url = (take: (ad: AdDraft, url: string) => void) =>
  address((ad, found) => {
    if (ad.admits(found)) take(ad, found);
  });

const LINEAR = element(
  {
    Duration: text((ad, found) => {
      ad.linear.durationMs = durationMs(found);
    }),
    TrackingEvents: element({
      Tracking: address((ad, found, attributes) => ad.takeTracking(found, attributes)),
    }),
    VideoClicks: element({
      ClickThrough: address((ad, found) => {
        if (ad.linear.clickThrough === null && ad.admits(found)) ad.linear.clickThrough = found;
      }),
      ClickTracking: url((ad, found) => ad.linear.clickTracking.push(found)),
    }),
    MediaFiles: element({
      MediaFile: address((ad, found, attributes) => ad.takeMediaFile(found, attributes)),
    }),
  },
  { opens: (ad) => ad.openLinear(), closes: (ad) => ad.closeLinear() },
);

const UNIVERSAL_AD_ID: Names = {
  UniversalAdId: element({}, { takes: (ad, found, attributes) => ad.takeUniversalAdId(found, attributes) }),
};
/** VAST 3 has the id in an extension (VAST CTV Addendum 2024 of the IAB Tech Lab). */
const CREATIVE = element(
  {
    Linear: LINEAR,
    ...UNIVERSAL_AD_ID,
    CreativeExtensions: element({ CreativeExtension: element(UNIVERSAL_AD_ID) }),
  },
  { opens: (ad, attributes) => ad.openCreative(attributes) },
);

const EXTENSION = element({}, { takes: (ad, whole) => ad.extensions.push(whole) });

const VERIFICATIONS: Names = {
  AdVerifications: element({
    Verification: element({
      TrackingEvents: element({
        Tracking: address((ad, found, { event }) => {
          if (event === 'verificationNotExecuted' && ad.admits(found)) ad.notVerified.push(found);
        }),
      }),
    }),
  }),
};
/** Of another type than the wanted one. VAST 2 to 4.0 have the verifications in there, VAST 2 the id (same addendum). */
const OTHER_EXTENSION = element({
  ...VERIFICATIONS,
  UniversalAdId: element({}, { takes: (ad, found, attributes) => ad.takeIdOfCreative(found, attributes) }),
});

const FORM: Names = {
  Impression: url((ad, found) => ad.impressions.push(found)),
  Error: url((ad, found) => ad.errors.push(found)),
  Creatives: element({ Creative: CREATIVE }),
  Extensions: element({ Extension: EXTENSION }),
  AdTitle: text((ad, found) => {
    ad.title = found.slice(0, ad.limits.name);
  }),
  AdServingId: text((ad, found) => {
    ad.adServingId ??= ad.nameOf(found);
  }),
  ViewableImpression: element({
    Viewable: url((ad, found) => ad.viewable.push(found)),
  }),
  ...VERIFICATIONS,
};

const TAG_URL = url((ad, found) => {
  ad.adTagUrl = found;
});
const WRAPPER = element(
  { ...FORM, VASTAdTagURI: TAG_URL, VASTAdTagURL: TAG_URL },
  {
    opens(ad, { followAdditionalWrappers, allowMultipleAds, fallbackOnNoAd }) {
      ad.forms++;
      ad.wrapper = {
        followAdditionalWrappers: flag(followAdditionalWrappers, true),
        allowMultipleAds: flag(allowMultipleAds, false),
        fallbackOnNoAd: flag(fallbackOnNoAd, false),
      };
    },
  },
);
const IN_LINE = element(FORM, {
  opens(ad) {
    ad.forms++;
  },
});

const IGNORED = element({});
const AD = element({ InLine: IN_LINE, Wrapper: WRAPPER });
const ROOT_ERROR = element(nestedUrl, { takes() {} });
const DOCUMENT = element({ VAST: element({ Ad: AD, Error: ROOT_ERROR }) });

/** Looks up an element's name, first whole, then without its prefix. The namespace is not checked. */
function elementIn({ names, elements }: Element, name: string): Element {
  if (names.length === 0) return IGNORED;
  let at = names.indexOf(name);
  if (at < 0) {
    const colon = name.indexOf(':');
    if (colon >= 0) at = names.indexOf(name.slice(colon + 1));
  }
  return elements[at] ?? IGNORED;
}

const MAX_DETAIL_LENGTH = 200;

/** Reads the document in one pass, without a tree: keeps only the path of elements and the current ad. */
export class VastReader {
  private readonly parser = new SaxesParser();
  private readonly path: Element[] = [DOCUMENT];
  /** Text of the element that is being collected; null: none is. */
  private text: string | null = null;
  /** Attributes of the innermost element that contains text, or a URL in a `<URL>`. */
  private attributes: Attributes = {};
  private readonly errorUrls: string[] = [];
  private ads = 0;
  private ad: AdDraft | null = null;

  constructor(
    private readonly extensionType: string | null,
    private readonly limits: VastLimits,
    private readonly onAd: (ad: VastAd) => void,
  ) {
    this.parser.on('error', (error) => {
      // It holds whole names of the document.
      throw new UnreadableDocument('malformed-xml', error.message.slice(0, MAX_DETAIL_LENGTH));
    });
    this.parser.on('doctype', (doctype) => {
      if (doctype.includes('[')) {
        throw new UnreadableDocument('doctype-refused', 'the DOCTYPE declares entities or markup of its own');
      }
    });
    this.parser.on('opentag', (tag) => this.open(tag));
    this.parser.on('closetag', () => this.close());
    const collect = (part: string) => {
      if (this.text !== null) this.text += part;
    };
    this.parser.on('text', collect);
    this.parser.on('cdata', collect);
  }

  read(document: string): VastDocument {
    this.parser.write(document).close();
    return { kind: 'vast', ads: [], errorUrls: this.errorUrls };
  }

  private open({ name, attributes }: SaxesTagPlain): void {
    const { path, limits } = this;
    const parent = path[path.length - 1] ?? IGNORED;
    let found = elementIn(parent, name);
    if (found === IGNORED && parent === DOCUMENT) throw new UnreadableDocument('not-vast', notVast(name));
    if (found === EXTENSION && attributes.type?.trim() !== this.extensionType) found = OTHER_EXTENSION;
    if (path.length > limits.depth) {
      throw new UnreadableDocument('too-deep', `elements nested deeper than ${limits.depth}`);
    }
    path.push(found);
    if (found === IGNORED) return;
    if (found === AD) this.openAd(attributes);
    if (found.takes !== null) {
      this.text = '';
      if (found !== NESTED_URL) this.attributes = attributes;
    }
    if (found.opens !== null && this.ad !== null) found.opens(this.ad, attributes);
  }

  private openAd(attributes: Attributes): void {
    this.ads++;
    if (this.ads > this.limits.ads)
      throw new UnreadableDocument('too-many-ads', `more than ${this.limits.ads} ads`);
    this.ad = new AdDraft(this.ads, attributes, this.limits);
  }

  private close(): void {
    const closed = this.path.pop() ?? IGNORED;
    if (closed === IGNORED) return;
    if (closed.takes !== null) {
      const whole = this.text ?? '';
      const isNested = closed === NESTED_URL;
      this.text = null;
      this.take(isNested ? (this.path[this.path.length - 1] ?? IGNORED) : closed, whole);
    }
    if (this.ad === null) return;
    closed.closes?.(this.ad);
    if (closed === AD) {
      this.onAd(this.ad.finished());
      this.ad = null;
    }
  }

  private take(taking: Element, whole: string): void {
    if (taking === ROOT_ERROR) {
      const { limits, errorUrls } = this;
      const found = withScheme(whole.trim());
      if (found !== '' && found.length <= limits.url && errorUrls.length < limits.urls) errorUrls.push(found);
    } else if (this.ad !== null) {
      taking.takes?.(this.ad, whole, this.attributes);
    }
  }
}

function notVast(root: string): string {
  const name = root.slice(0, 60);
  if (root === 'VideoAdServingTemplate')
    return 'expected VAST 2.0 or later, this is VAST 1 (<VideoAdServingTemplate>)';
  return `expected <VAST>, the root is <${name}>`;
}
