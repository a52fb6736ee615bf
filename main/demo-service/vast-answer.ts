import { type DemoAd, metadataObject } from './demo-ad';

const NO_FILL = '<VAST version="4.2"/>';

const QUARTILES = ['start', 'firstQuartile', 'midpoint', 'thirdQuartile', 'complete'];

export interface VastOptions {
  readonly origin: string;
  readonly requestId: string;
}

/** An ads response as VAST 4.2, elements in the schema's order; no ads give the empty document of a no fill. */
export function vastAnswer(ads: readonly DemoAd[], options: VastOptions): string {
  if (ads.length === 0) return NO_FILL;
  const records = ads.map((ad) => adElement(ad, options)).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<VAST version="4.2" xmlns="http://www.iab.com/VAST">\n${records}\n</VAST>\n`;
}

function adElement(ad: DemoAd, { origin, requestId }: VastOptions): string {
  const flightId = metadataObject(ad).flight_id;
  const collect = (path: string): string => {
    const query = new URLSearchParams({ ad: ad.id });
    if (typeof flightId === 'string') query.set('flight', flightId);
    query.set('request', requestId);
    return `${origin}/collect/${path}?${query}`;
  };
  const impressions = ad.impressions ?? [collect('impression.gif')];
  const errors = ad.errors ?? [`${collect('error')}&code=[ERRORCODE]`];
  const tracking =
    ad.tracking ??
    QUARTILES.map((event) => ({ event, url: collect(`tracking/${event}`), offset: undefined }));
  const metadata = metadataText(ad, requestId);

  const trackingEvents = tracking
    .map(({ event, url, offset }) => element('Tracking', attributes({ event, offset }), cdata(url)))
    .join('');
  const clicks =
    ad.clickThrough === undefined && ad.clickTracking === undefined
      ? ''
      : element(
          'VideoClicks',
          '',
          (ad.clickThrough === undefined ? '' : element('ClickThrough', '', cdata(ad.clickThrough))) +
            (ad.clickTracking ?? []).map((url) => element('ClickTracking', '', cdata(url))).join(''),
        );
  const mediaFiles = ad.media
    .map((media) => {
      const { width, height, bitrate, codec, delivery, type } = media;
      const url = media.url ?? `${origin}/media/${encodeURIComponent(media.name ?? '')}`;
      return element('MediaFile', attributes({ delivery, type, width, height, bitrate, codec }), cdata(url));
    })
    .join('');
  const linear = element(
    'Linear',
    '',
    element('TrackingEvents', '', trackingEvents) +
      (ad.wrapper !== undefined || ad.durationSeconds === null
        ? ''
        : element('Duration', '', vastDuration(ad.durationSeconds))) +
      (ad.wrapper === undefined ? element('MediaFiles', '', mediaFiles) : '') +
      clicks,
  );
  const creative =
    (ad.wrapper === undefined
      ? element('UniversalAdId', attributes({ idRegistry: 'demo' }), escapeXml(ad.id))
      : '') + linear;

  const base =
    element('AdSystem', attributes({ version: '1.0' }), 'Endcap demo service') +
    errors.map((url) => element('Error', '', cdata(url))).join('') +
    (metadata === null
      ? ''
      : element(
          'Extensions',
          '',
          element('Extension', attributes({ type: 'service-metadata' }), cdata(metadata)),
        )) +
    impressions.map((url) => element('Impression', '', cdata(url))).join('');
  const creatives = element(
    'Creatives',
    '',
    element('Creative', attributes({ id: ad.id, sequence: 1 }), creative),
  );
  const content =
    ad.wrapper === undefined
      ? element(
          'InLine',
          '',
          base +
            element('AdServingId', '', escapeXml(`${requestId}-${ad.id}`)) +
            element('AdTitle', '', escapeXml(ad.title ?? ad.id)) +
            creatives,
        )
      : element('Wrapper', '', base + creatives + element('VASTAdTagURI', '', cdata(ad.wrapper)));
  return element('Ad', attributes({ id: ad.id, sequence: ad.sequence }), content);
}

function metadataText(ad: DemoAd, requestId: string): string | null {
  if (ad.metadata === null || typeof ad.metadata === 'string') return ad.metadata;
  return JSON.stringify({ request_id: requestId, ...ad.metadata });
}

/** `HH:MM:SS`, with `.mmm` where there are milliseconds. */
function vastDuration(seconds: number): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const whole = `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}`;
  return ms % 1000 === 0 ? whole : `${whole}.${String(ms % 1000).padStart(3, '0')}`;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const escapeXml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** A CDATA section cannot hold its own end: such text is split over two. */
const cdata = (text: string): string => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;

const element = (name: string, attributeText: string, content: string): string =>
  `<${name}${attributeText}>${content}</${name}>`;

const attributes = (values: Record<string, string | number | undefined>): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');
