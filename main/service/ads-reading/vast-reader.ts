import { SaxesParser, type SaxesTagPlain } from 'saxes';
import {
  type AdDraft,
  type CreativeDraft,
  emptyLinear,
  finishedAd,
  type LinearDraft,
  NO_CREATIVE,
} from './vast-ad-draft';
import type { UnreadableCode, VastAd, VastDocument, VastLimits } from './vast-document';
import { durationMs, flag, positiveInteger, positiveNumber } from './vast-values';

/** Stops the reading: nothing of the document may be used. */
export class Refusal extends Error {
  constructor(
    readonly code: UnreadableCode,
    message: string,
  ) {
    super(message);
  }
}

/** Elements that are read, each at its place in the document; all others are skipped. */
enum Element {
  Ignored,
  Document,
  Vast,
  Ad,
  InLine,
  Wrapper,
  Creatives,
  ViewableImpression,
  AdVerifications,
  Verification,
  VerificationEvents,
  Creative,
  Linear,
  TrackingEvents,
  VideoClicks,
  MediaFiles,
  Extensions,
  /** From here on: elements whose text is collected. */
  RootError,
  AdTitle,
  AdTagUrl,
  Impression,
  AdError,
  AdServingId,
  Viewable,
  VerificationTracking,
  UniversalAdId,
  Duration,
  Tracking,
  ClickThrough,
  ClickTracking,
  MediaFile,
  Extension,
  /** `<URL>` inside an element that should contain the URL itself (from VAST 1). */
  NestedUrl,
}

const holdsText = (element: Element): boolean => element >= Element.RootError;

type Names = Readonly<Record<string, Element>>;

const nestedUrl: Names = { URL: Element.NestedUrl };
const adForm: Names = {
  Impression: Element.Impression,
  Error: Element.AdError,
  Creatives: Element.Creatives,
  Extensions: Element.Extensions,
  AdTitle: Element.AdTitle,
  AdServingId: Element.AdServingId,
  ViewableImpression: Element.ViewableImpression,
  AdVerifications: Element.AdVerifications,
};

/** What an element's name means, by its parent element. */
const GRAMMAR: Readonly<Partial<Record<Element, Names>>> = {
  [Element.Document]: { VAST: Element.Vast },
  [Element.Vast]: { Ad: Element.Ad, Error: Element.RootError },
  [Element.Ad]: { InLine: Element.InLine, Wrapper: Element.Wrapper },
  [Element.InLine]: adForm,
  [Element.Wrapper]: { ...adForm, VASTAdTagURI: Element.AdTagUrl, VASTAdTagURL: Element.AdTagUrl },
  [Element.Creatives]: { Creative: Element.Creative },
  [Element.ViewableImpression]: { Viewable: Element.Viewable },
  [Element.AdVerifications]: { Verification: Element.Verification },
  [Element.Verification]: { TrackingEvents: Element.VerificationEvents },
  [Element.VerificationEvents]: { Tracking: Element.VerificationTracking },
  [Element.Creative]: { Linear: Element.Linear, UniversalAdId: Element.UniversalAdId },
  [Element.Linear]: {
    Duration: Element.Duration,
    TrackingEvents: Element.TrackingEvents,
    VideoClicks: Element.VideoClicks,
    MediaFiles: Element.MediaFiles,
  },
  [Element.TrackingEvents]: { Tracking: Element.Tracking },
  [Element.VideoClicks]: { ClickThrough: Element.ClickThrough, ClickTracking: Element.ClickTracking },
  [Element.MediaFiles]: { MediaFile: Element.MediaFile },
  [Element.Extensions]: { Extension: Element.Extension },
  [Element.RootError]: nestedUrl,
  [Element.AdTagUrl]: nestedUrl,
  [Element.Impression]: nestedUrl,
  [Element.AdError]: nestedUrl,
  [Element.Tracking]: nestedUrl,
  [Element.ClickThrough]: nestedUrl,
  [Element.ClickTracking]: nestedUrl,
  [Element.MediaFile]: nestedUrl,
};

/** `GRAMMAR` as lists: each place has few names, and hashing every fresh string would take longer. */
const PLACES = Array.from({ length: Element.NestedUrl + 1 }, (_, place) =>
  Object.entries(GRAMMAR[place as Element] ?? {}),
);

/** Looks up an element's name, first whole, then without its prefix. The namespace is not checked. */
function meaningIn(parent: Element, name: string): Element {
  const whole = knownAs(parent, name);
  if (whole !== Element.Ignored) return whole;
  const colon = name.indexOf(':');
  return colon < 0 ? Element.Ignored : knownAs(parent, name.slice(colon + 1));
}

function knownAs(parent: Element, name: string): Element {
  for (const [known, element] of PLACES[parent] ?? []) if (known === name) return element;
  return Element.Ignored;
}

/** Most characters of an error of the XML parser. */
const LONGEST_DETAIL = 200;

type Attributes = SaxesTagPlain['attributes'];

/** Reads the document in one pass, without a tree: keeps only the path of elements and the current ad. */
export class VastReader {
  private readonly parser = new SaxesParser();
  private readonly path: Element[] = [Element.Document];
  /** Text of the element that is being collected; null: none is. */
  private text: string | null = null;
  /** Attributes of the innermost element that contains text, or a URL in a `<URL>`. */
  private attributes: Attributes = {};
  private readonly errorUrls: string[] = [];
  private ads = 0;
  private ad: AdDraft | null = null;
  private creative = NO_CREATIVE;
  private linear: LinearDraft | null = null;

  constructor(
    private readonly extensionType: string | null,
    private readonly limits: VastLimits,
    private readonly onAd: (ad: VastAd) => void,
  ) {
    this.parser.on('error', (error) => {
      // It holds whole names of the document.
      throw new Refusal('malformed-xml', error.message.slice(0, LONGEST_DETAIL));
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

  read(text: string): VastDocument {
    this.parser.write(text).close();
    return { kind: 'vast', ads: [], errorUrls: this.errorUrls };
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
        this.creative = creativeOf(tag.attributes, this.limits.name);
        return;
      case Element.Linear:
        this.linear = emptyLinear(this.creative);
        return;
      case Element.NestedUrl:
        this.text = '';
        return;
      default:
        if (holdsText(element)) {
          this.text = '';
          this.attributes = tag.attributes;
        }
    }
  }

  private meaning(parent: Element, tag: SaxesTagPlain): Element {
    if (parent === Element.Ignored) return Element.Ignored;
    const element = meaningIn(parent, tag.name);
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
    if (holdsText(element)) {
      this.closeText(element);
      return;
    }
    if (element === Element.Linear) {
      if (this.linear !== null && this.ad !== null) this.closeLinear(this.ad, this.linear);
      this.linear = null;
    } else if (element === Element.Ad && this.ad !== null) {
      const ad = this.ad;
      this.ad = null;
      this.onAd(finishedAd(ad));
    }
  }

  private closeLinear(ad: AdDraft, linear: LinearDraft): void {
    if (ad.linears.length < this.limits.linears) ad.linears.push(linear);
    else ad.error ??= `more than ${this.limits.linears} linear creatives`;
  }

  private closeText(element: Element): void {
    const text = this.text ?? '';
    if (element === Element.NestedUrl) {
      const around = this.path[this.path.length - 1];
      if (around !== undefined) this.take(around, text.trim());
      // Only white space or another `<URL>` follows inside the outer element.
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
    if (element === Element.UniversalAdId) {
      this.creative.universalAdId ??= universalAdId(this.attributes, text, this.limits.name);
      return;
    }
    if (text === '') return;
    switch (element) {
      case Element.AdServingId:
        ad.adServingId ??= nameOf(text, this.limits.name);
        return;
      case Element.Viewable:
        if (this.admit(ad, text)) ad.viewable.push(text);
        return;
      case Element.VerificationTracking:
        if (this.attributes.event === 'verificationNotExecuted' && this.admit(ad, text))
          ad.notVerified.push(text);
        return;
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
    // With an API framework (VPAID, SIMID, MRAID) the file is a program that draws the ad, not media.
    // An overlong URL (media inlined as `data:`) cannot be downloaded.
    if (/vpaid|simid|mraid/i.test(attributes.apiFramework ?? '') || url.length > this.limits.url) return;
    if (linear.mediaFiles.length >= this.limits.mediaFiles) {
      ad.error ??= `more than ${this.limits.mediaFiles} media files`;
      return;
    }
    if (!this.admitLength(ad, url)) return;
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

  /**
   * Whether the ad may have one more URL. If not, the ad is malformed, because it could not be reported
   * completely.
   */
  private admit(ad: AdDraft, url: string): boolean {
    if (url.length > this.limits.url) {
      ad.error ??= `a URL of ${url.length} characters, at most ${this.limits.url} are read`;
      return false;
    }
    ad.urls++;
    if (ad.urls > this.limits.urls) {
      ad.error ??= `more than ${this.limits.urls} URLs`;
      return false;
    }
    return this.admitLength(ad, url);
  }

  private admitLength(ad: AdDraft, url: string): boolean {
    ad.urlsLength += url.length;
    if (ad.urlsLength <= this.limits.urlsLength) return true;
    ad.error ??= `URLs of more than ${this.limits.urlsLength} characters in all`;
    return false;
  }

  private name(ad: AdDraft, value: string | undefined): string | null {
    const name = value?.trim() ?? '';
    if (name === '') return null;
    if (name.length > this.limits.name) {
      ad.error ??= `an attribute of ${name.length} characters, at most ${this.limits.name} are read`;
      return null;
    }
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
      urlsLength: 0,
      error: overlong ? `an id of ${id.length} characters, at most ${this.limits.name} are read` : null,
      impressions: [],
      errors: [],
      extensions: [],
      adServingId: null,
      viewable: [],
      notVerified: [],
      linears: [],
    };
  }

  private openWrapper(attributes: Attributes): void {
    if (this.ad === null) return;
    this.ad.forms++;
    this.ad.wrapper = {
      followAdditionalWrappers: flag(attributes.followAdditionalWrappers, true),
      allowMultipleAds: flag(attributes.allowMultipleAds, false),
    };
  }
}

/** The trimmed name; null: empty or too long. It is not truncated, because that could be another name. */
function nameOf(text: string | undefined, limit: number): string | null {
  const name = text?.trim() ?? '';
  return name === '' || name.length > limit ? null : name;
}

/** `adId` is the ad server's id of the creative. `id` identifies the server, or the creative in older documents. */
function creativeOf({ adId, id, sequence }: Attributes, limit: number): CreativeDraft {
  return {
    sequence: positiveInteger(sequence),
    id: nameOf(adId, limit) ?? nameOf(id, limit),
    universalAdId: null,
  };
}

/** VAST 4.0 has the value in `idValue`, later versions in the text. */
function universalAdId({ idRegistry, idValue }: Attributes, text: string, limit: number) {
  const value = nameOf(text, limit) ?? nameOf(idValue, limit);
  if (value === null || value.toLowerCase() === 'unknown') return null;
  return { registry: nameOf(idRegistry, limit) ?? 'unknown', value };
}

function notVast(root: string): string {
  const name = root.slice(0, 60);
  if (root === 'VideoAdServingTemplate')
    return 'expected VAST 2.0 or later, this is VAST 1 (<VideoAdServingTemplate>)';
  return `expected <VAST>, the root is <${name}>`;
}
