import { SaxesParser } from 'saxes';

export interface ReadAd {
  readonly id: string;
  readonly sequence: string | null;
  /** The extension's text, or null where there is none. */
  readonly metadata: string | null;
  readonly urls: ReadonlyArray<{
    readonly element: string;
    readonly event: string | null;
    readonly url: string;
  }>;
  readonly media: ReadonlyArray<Record<string, string>>;
  readonly duration: string | null;
}

/** Reads an ads response with a strict parser: throws where it is not well-formed. */
export function readVast(xml: string): ReadAd[] {
  const ads: ReadAd[] = [];
  const parser = new SaxesParser();
  let text = '';
  let open: { name: string; attributes: Record<string, string> }[] = [];
  let ad: {
    id: string;
    sequence: string | null;
    metadata: string | null;
    urls: { element: string; event: string | null; url: string }[];
    media: Record<string, string>[];
    duration: string | null;
  } | null = null;
  parser.on('opentag', ({ name, attributes }) => {
    text = '';
    open = [...open, { name, attributes }];
    if (name === 'Ad') {
      ad = {
        id: attributes.id ?? '',
        sequence: attributes.sequence ?? null,
        metadata: null,
        urls: [],
        media: [],
        duration: null,
      };
    }
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('cdata', (piece) => {
    text += piece;
  });
  parser.on('closetag', ({ name, attributes }) => {
    open = open.slice(0, -1);
    if (ad === null) return;
    if (name === 'Extension') ad.metadata = text;
    if (name === 'Duration') ad.duration = text;
    if (name === 'MediaFile') ad.media.push({ ...attributes, url: text });
    if (['Impression', 'Tracking', 'Error', 'ClickThrough', 'ClickTracking', 'VASTAdTagURI'].includes(name)) {
      ad.urls.push({ element: name, event: attributes.event ?? null, url: text });
    }
    if (name === 'Ad') {
      ads.push(ad);
      ad = null;
    }
    text = '';
  });
  parser.write(xml).close();
  return ads;
}
