import { describe, expect, it } from 'vitest';
import { type AdsReading, readAds, readAdsInSlices } from './read-ads';

const META = '{"request_id":"r1","flight_id":"f1"}';

function extension(json = META, type = 'service-metadata'): string {
  return `<Extensions><Extension type="${type}"><![CDATA[${json}]]></Extension></Extensions>`;
}

function media(name = 'a.mp4'): string {
  return `<MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="1920" height="1080" bitrate="4000"><![CDATA[https://cdn.example/${name}]]></MediaFile></MediaFiles>`;
}

function linear(inside = media()): string {
  return `<Creatives><Creative><Linear><Duration>00:00:10</Duration>${inside}</Linear></Creative></Creatives>`;
}

function inline(id: string, inside = linear() + extension(), attributes = ''): string {
  return `<Ad id="${id}" ${attributes}><InLine><AdTitle>T</AdTitle><Impression>https://t.example/${id}</Impression>${inside}</InLine></Ad>`;
}

function vast(...ads: string[]): string {
  return `<?xml version="1.0"?>\n<VAST version="4.2">\n${ads.join('\n')}\n</VAST>\n`;
}

function read(document: string): AdsReading {
  const reading = readAds(document);
  if (reading.kind === 'unreadable') throw new Error(`${reading.code}: ${reading.message}`);
  return reading;
}

function ids(document: string): string[] {
  return read(document).ads.map((read) => (read.kind === 'ad' ? read.ad.id : read.wrapper.id));
}

/** Code and id of everything refused. */
function rejections(document: string): string[] {
  return read(document).rejected.map(({ id, code }) => `${id}: ${code}`);
}

function only(document: string) {
  const [first] = read(document).ads;
  if (first?.kind !== 'ad') throw new Error(`expected an ad, got ${JSON.stringify(read(document))}`);
  return first.ad;
}

describe('an ads response', () => {
  it('is read into ads with their metadata', () => {
    expect(only(vast(inline('1')))).toEqual({
      id: '1',
      sequence: null,
      title: 'T',
      metadata: {
        requestId: 'r1',
        audience: null,
        campaignId: null,
        flightId: 'f1',
        expiresAt: null,
        frequencyCaps: [],
        source: null,
        sourceId: null,
      },
      durationMs: 10_000,
      mediaFiles: [
        {
          url: 'https://cdn.example/a.mp4',
          type: 'video/mp4',
          delivery: 'progressive',
          width: 1920,
          height: 1080,
          bitrateKbps: 4000,
          codec: null,
        },
      ],
      impressions: ['https://t.example/1'],
      tracking: [],
      errors: [],
      clickThrough: null,
      clickTracking: [],
    });
  });

  it('without an ad is no fill, and says whom to tell', () => {
    const document = '<VAST version="4.2"><Error><![CDATA[ https://t.example/none ]]></Error></VAST>';
    expect(read(document)).toMatchObject({ ads: [], rejected: [], errorUrls: ['https://t.example/none'] });
    expect(read('<VAST/>')).toMatchObject({ ads: [], rejected: [], version: null });
  });

  it('reads the same in slices, pausing between them', async () => {
    const document = vast(...Array.from({ length: 500 }, (_, i) => inline(`é😀${i}`)));
    let pauses = 0;
    const reading = await readAdsInSlices(document, {}, async () => {
      pauses++;
    });
    expect(reading).toEqual(readAds(document));
    expect(pauses).toBe(Math.ceil(document.trimStart().length / 65_536) - 1);
  });

  it('names ads without an id by their number in the document', () => {
    expect(ids(vast(inline('1'), inline('').replace('id=""', ''), '<Ad/>', inline(' ')))).toEqual([
      '1',
      'ad-2',
      'ad-4',
    ]);
  });

  it('keeps the neighbours of a bad ad', () => {
    const document = vast(
      inline('good'),
      inline('bare', linear()),
      inline('broken', linear() + extension('{')),
      '<Ad id="hollow"></Ad>',
      inline('fine'),
    );
    expect(ids(document)).toEqual(['good', 'fine']);
    expect(rejections(document)).toEqual([
      'bare: metadata-missing',
      'broken: metadata-invalid',
      'hollow: malformed-ad',
    ]);
  });
});
