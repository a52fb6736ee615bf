import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AdsReading, readAds } from './read-ads';

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
  return read(document).ads.map(({ id }) => id);
}

/** Id and code of all rejected ads. */
function rejections(document: string): string[] {
  return read(document).rejected.map(({ id, code }) => `${id}: ${code}`);
}

function only(document: string) {
  const [first] = read(document).ads;
  if (!first || 'wrapper' in first) throw new Error(`expected an ad, got ${JSON.stringify(read(document))}`);
  return first;
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

  it('without an ad is no fill, and returns its error URLs', () => {
    const document = '<VAST version="4.2"><Error><![CDATA[ https://t.example/none ]]></Error></VAST>';
    expect(read(document)).toMatchObject({ ads: [], rejected: [], errorUrls: ['https://t.example/none'] });
    expect(read('<VAST/>')).toMatchObject({ ads: [], rejected: [] });
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

  it('puts the ads of a pod in their order', () => {
    const pod = (id: string, sequence: number) =>
      inline(id, linear() + extension(), `sequence="${sequence}"`);
    expect(ids(vast(pod('c', 3), pod('a', 1), inline('alone'), pod('b', 2)))).toEqual([
      'a',
      'b',
      'alone',
      'c',
    ]);
  });

  it('reads the extension of the type that is set', () => {
    const document = vast(inline('1', linear() + extension(META, 'brand-metadata')));
    expect(rejections(document)).toEqual(['1: metadata-missing']);
    const reading = readAds(document, { metadataExtension: 'brand-metadata' });
    expect(reading).toMatchObject({ ads: [{ id: '1' }], rejected: [] });
  });

  it('gives every ad its own metadata, even if some ads have equal metadata', () => {
    const flights = ['a', 'b', 'a', 'c', 'b'];
    const document = vast(
      ...flights.map((flight, i) =>
        inline(`${i}`, linear() + extension(JSON.stringify({ request_id: 'r', flight_id: flight }))),
      ),
    );
    const read = readAds(document);
    expect(read.kind === 'ads' && read.ads.map(({ metadata }) => metadata.flightId)).toEqual(flights);
  });

  it('lists an ad that has no media', () => {
    expect(only(vast(inline('1', extension())))).toMatchObject({ mediaFiles: [], durationMs: null });
  });

  it('returns the error URLs of the ads that it rejects', () => {
    const document = vast(inline('1'), '<Ad id="2"><InLine><Error>https://t.example/e</Error></InLine></Ad>');
    expect(read(document).rejected).toMatchObject([
      { number: 2, errorUrls: ['https://t.example/e'], errorCode: 101 },
    ]);
  });

  it('keeps all good ads, whatever is wrong with a bad one', () => {
    const bad = fc.constantFrom(
      '<Ad/>',
      '<Ad><InLine/><InLine/></Ad>',
      '<Ad><Wrapper><VASTAdTagURI>u</VASTAdTagURI></Wrapper></Ad>',
      inline('', linear()),
      ...[
        '',
        'null',
        '{}',
        '{"request_id":7}',
        '{"request_id":"r","frequency_caps":[{"limit":-1}]}',
        '[[',
      ].map((json) => inline('', linear() + extension(json))),
      inline(
        '',
        `<AdTitle>${'x'.repeat(100_000)}</AdTitle>${extension().repeat(2)}${extension('{"request_id":"2"}')}`,
      ),
      inline('', `<Impression>${'x'.repeat(100_000)}</Impression>${extension()}`),
      inline('', `<x><InLine><Ad><VAST/></Ad></InLine></x>${extension('{')}`),
    );
    fc.assert(
      fc.property(fc.nat(4), fc.nat(4), bad, (before, after, ad) => {
        const good = Array.from({ length: before + after }, (_, i) => inline(`g${i}`));
        const document = vast(...good.slice(0, before), ad, ...good.slice(before));
        expect(ids(document)).toEqual(good.map((_, i) => `g${i}`));
        expect(read(document).rejected).toHaveLength(1);
      }),
    );
  });

  it('is unreadable when it is cut off at any position', () => {
    const document = vast(inline('1'), inline('2'));
    const whole = document.indexOf('</VAST>') + '</VAST>'.length;
    for (let end = 0; end < document.length; end++) {
      const expected = end < whole ? 'unreadable' : 'ads';
      expect(readAds(document.slice(0, end)).kind, `cut at ${end}`).toBe(expected);
    }
  });
});
