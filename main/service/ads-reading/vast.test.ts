import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inPodOrder, readVast } from './vast';
import {
  type InlineAd,
  type UnreadableCode,
  VAST_LIMITS,
  type VastAd,
  type VastDocument,
  type VastLimits,
} from './vast-document';
import { durationMs } from './vast-values';

const EXTENSION = 'service-metadata';

function read(document: string, limits: Partial<VastLimits> = {}): VastDocument {
  const reading = readVast(document, { extensionType: EXTENSION, limits });
  if (reading.kind === 'unreadable') throw new Error(`${reading.code}: ${reading.message}`);
  return reading;
}

function refusal(document: string, limits: Partial<VastLimits> = {}): UnreadableCode | 'read' {
  const reading = readVast(document, { extensionType: EXTENSION, limits });
  return reading.kind === 'unreadable' ? reading.code : 'read';
}

function vast(inside: string): string {
  return `<VAST version="4.2">${inside}</VAST>`;
}

function inline(inside: string, attributes = ''): string {
  return `<Ad ${attributes}><InLine>${inside}</InLine></Ad>`;
}

function linear(inside: string): string {
  return `<Creatives><Creative><Linear>${inside}</Linear></Creative></Creatives>`;
}

function first(document: string, limits: Partial<VastLimits> = {}): VastAd {
  const [ad] = read(document, limits).ads;
  if (ad === undefined) throw new Error('expected an ad');
  return ad;
}

function readInline(inside: string): InlineAd {
  const ad = first(vast(inline(inside)));
  if (ad.kind !== 'inline') throw new Error(`expected an inline ad, got ${ad.kind}`);
  return ad;
}

describe('the ids and verification URLs of an ad', () => {
  const creative = (names: string, attributes = '') =>
    `<Creatives><Creative ${attributes}>${names}<Linear><MediaFiles>
      <MediaFile type="video/mp4">https://cdn.example/a.mp4</MediaFile>
    </MediaFiles></Linear></Creative></Creatives>`;

  it.each([
    ['VAST 4.1', '<UniversalAdId idRegistry="ad-id.org"> CNPA0484000H </UniversalAdId>', 'ad-id.org'],
    ['VAST 4.0', '<UniversalAdId idRegistry="ad-id.org" idValue="CNPA0484000H"/>', 'ad-id.org'],
    ['no registry', '<UniversalAdId>CNPA0484000H</UniversalAdId>', 'unknown'],
    [
      'VAST 3, in an extension of the creative',
      '<CreativeExtensions><CreativeExtension type="UniversalAdId"><UniversalAdId idRegistry="ad-id.org">CNPA0484000H</UniversalAdId></CreativeExtension></CreativeExtensions>',
      'ad-id.org',
    ],
    [
      'the first of several',
      '<UniversalAdId idRegistry="ad-id.org">CNPA0484000H</UniversalAdId><UniversalAdId idRegistry="r">2</UniversalAdId>',
      'ad-id.org',
    ],
  ])('are read from %s', (_, names, registry) => {
    const found = readInline(`<AdServingId>s-1</AdServingId>${creative(names, 'id="server" adId="c-1"')}`);
    expect(found.ids).toEqual({
      universalAdId: { registry, value: 'CNPA0484000H' },
      adServingId: 's-1',
      creativeId: 'c-1',
    });
  });

  it.each([
    ['of any creative', '', 'CNPA0484000H'],
    ['of this creative', 'creativeId="c-1"', 'CNPA0484000H'],
    ['of this creative, which has two ids', 'creativeId="server"', 'CNPA0484000H'],
    ['of another creative', 'creativeId="c-2"', undefined],
  ])('are read from VAST 2, in an extension of the ad: %s', (_, attribute, expected) => {
    const extensions = `<Extensions><Extension type="UniversalAdId">
      <UniversalAdId idRegistry="unknown">unknown</UniversalAdId>
      <UniversalAdId idRegistry="ad-id.org" ${attribute}>CNPA0484000H</UniversalAdId></Extension></Extensions>`;
    const creatives = `${creative('', 'id="server" adId="c-1"')}<Creatives><Creative id="companion"></Creative></Creatives>`;
    for (const document of [extensions + creatives, creatives + extensions])
      expect(readInline(document).ids?.universalAdId?.value).toBe(expected);
  });

  it('are those of the creative whose media file is taken', () => {
    const second = creative('<UniversalAdId idRegistry="r">two</UniversalAdId>', 'sequence="1" id="c-2"');
    const ad = readInline(
      creative('<UniversalAdId idRegistry="r">one</UniversalAdId>', 'sequence="2"') + second,
    );
    expect(ad.ids).toEqual({
      universalAdId: { registry: 'r', value: 'two' },
      adServingId: null,
      creativeId: 'c-2',
    });
  });

  it('are absent if the document has none, or only invalid ones', () => {
    const unknown = '<UniversalAdId/><UniversalAdId idRegistry="unknown">Unknown</UniversalAdId>';
    const ad = readInline(`<AdServingId>${'x'.repeat(2_000)}</AdServingId>${creative(unknown)}`);
    expect(ad).not.toHaveProperty('ids');
    expect(ad).not.toHaveProperty('viewable');
  });

  it('include the URLs of a viewable impression and of a verification that does not run', () => {
    const ad = readInline(
      `<ViewableImpression id="v"><Viewable>https://t.example/viewable</Viewable>
        <NotViewable>https://t.example/not</NotViewable></ViewableImpression>
      <AdVerifications><Verification vendor="a"><JavaScriptResource>https://t.example/omid.js</JavaScriptResource>
        <TrackingEvents><Tracking event="verificationNotExecuted">https://t.example/[REASON]</Tracking>
          <Tracking event="other">https://t.example/other</Tracking></TrackingEvents>
      </Verification></AdVerifications>${creative('')}`,
    );
    expect([ad.viewable, ad.notVerified]).toEqual([
      ['https://t.example/viewable'],
      ['https://t.example/[REASON]'],
    ]);
  });
});

it('the URLs of a verification that does not run are also read where VAST 2 to 4.0 have them, in an extension', () => {
  const verification = `<AdVerifications><Verification><TrackingEvents>
    <Tracking event="verificationNotExecuted">https://t.example/n</Tracking>
  </TrackingEvents></Verification></AdVerifications>`;
  const extensions = `<Extensions><Extension type="AdVerifications">${verification}</Extension></Extensions>`;
  expect(readInline(extensions)).toMatchObject({ notVerified: ['https://t.example/n'], extensions: [] });
  // For players of all versions.
  expect(readInline(verification + extensions).notVerified).toEqual(['https://t.example/n']);
});

describe('a VAST document', () => {
  it.each([
    ['a declaration', '<?xml version="1.0" encoding="UTF-8"?><VAST/>'],
    ['white space before the declaration', '\r\n  <?xml version="1.0"?><VAST/>'],
    ['a byte order mark', '\ufeff<?xml version="1.0"?><VAST/>'],
    ['a declaration of XML 1.1', '<?xml version="1.1"?><VAST/>'],
    ['comments and instructions around it', '<!-- a --><?pi b?><VAST/><!-- c --><?pi d?>\n'],
    ['a document type without markup of its own', '<!DOCTYPE VAST SYSTEM "vast.dtd"><VAST/>'],
    [
      'namespaces',
      '<VAST xmlns="http://www.iab.com/VAST" xmlns:xs="http://www.w3.org/2001/XMLSchema" xs:x=""/>',
    ],
    ['a prefix', '<vast:VAST xmlns:vast="http://www.iab.com/VAST"></vast:VAST>'],
    ['a prefix nobody bound', '<vast:VAST/>'],
  ])('may have %s', (_, document) => {
    expect(read(document).ads).toEqual([]);
  });

  it.each<[string, string, UnreadableCode]>([
    ['nothing', '', 'empty'],
    ['white space', ' \n\t', 'empty'],
    ['JSON', '{"code":5,"message":"no"}', 'not-vast'],
    ['words', 'Bad Gateway', 'not-vast'],
    ['a web page', '<!DOCTYPE html><html><body>Sign in</body></html>', 'not-vast'],
    ['VMAP', '<vmap:VMAP xmlns:vmap="http://www.iab.net/videosuite/vmap"/>', 'not-vast'],
    ['VAST 1', '<VideoAdServingTemplate><Ad/></VideoAdServingTemplate>', 'not-vast'],
    ['another case', '<vast/>', 'not-vast'],
    ['prefixes without end', `<${'a:'.repeat(100_000)}VAST/>`, 'not-vast'],
    ['an unclosed root', '<VAST>', 'malformed-xml'],
    ['crossed tags', vast('<Ad><InLine></Ad></InLine>'), 'malformed-xml'],
    ['two roots', '<VAST/><VAST/>', 'malformed-xml'],
    ['something after the root', '<VAST/>error', 'malformed-xml'],
    ['a bare ampersand', vast(inline('<Impression>https://t.example/?a&b</Impression>')), 'malformed-xml'],
    ['an unquoted attribute', '<VAST version=4.2/>', 'malformed-xml'],
    ['a duplicate attribute', '<VAST a="1" a="2"/>', 'malformed-xml'],
    ['an entity that nobody declared', vast('&nbsp;'), 'malformed-xml'],
    ['an entity named like a method', vast('&constructor;'), 'malformed-xml'],
    ['NUL', vast('\u0000'), 'malformed-xml'],
    ['half a surrogate pair', vast('\ud800'), 'malformed-xml'],
    ['half a surrogate pair in an id', vast('<Ad id="\ud800a"/>'), 'malformed-xml'],
    ['a declared entity', '<!DOCTYPE VAST [<!ENTITY a "b">]><VAST>&a;</VAST>', 'doctype-refused'],
    [
      'a billion laughs',
      '<!DOCTYPE VAST [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]><VAST>&c;</VAST>',
      'doctype-refused',
    ],
    [
      'an external entity',
      '<!DOCTYPE VAST [<!ENTITY a SYSTEM "file:///etc/passwd">]><VAST>&a;</VAST>',
      'doctype-refused',
    ],
  ])('cannot be read from %s', (_, document, code) => {
    expect(refusal(document)).toBe(code);
  });

  it('is refused in few words, however long a name in it is', () => {
    const long = 'a'.repeat(1_000_000);
    for (const document of [`<VAST ${long}="1" ${long}="2"/>`, `<${long}/>`]) {
      const read = readVast(document, { extensionType: EXTENSION });
      expect(read.kind === 'unreadable' && read.message.length).toBeLessThan(500);
    }
  });

  it('has a bounded number of error URLs of its own, none of them empty or too long', () => {
    const { errorUrls } = read(
      vast(`<Error> </Error><Error>${'x'.repeat(40_000)}</Error>${'<Error>e</Error>'.repeat(2_001)}`),
    );
    expect([errorUrls.length, new Set(errorUrls)]).toEqual([2_000, new Set(['e'])]);
  });

  it('is unreadable when it is cut off at any position', () => {
    const document = `<?xml version="1.0"?>\n<VAST version="4.2"><Error>e</Error>${inline(
      `<AdTitle>&lt;é😀</AdTitle><!-- c --><Impression><![CDATA[https://t.example/]]]]><![CDATA[>]]></Impression>${linear(
        '<Duration>00:00:10</Duration>',
      )}`,
      'id="1" sequence=\'2\'',
    )}<?pi x?></VAST>`;
    expect(refusal(document)).toBe('read');
    for (let end = 0; end < document.length; end++) {
      expect(refusal(document.slice(0, end)), `cut at ${end}`).not.toBe('read');
    }
  });

  it('is bounded in size, depth and number of ads', () => {
    expect(refusal(vast(' '.repeat(1_000)), { document: 1_000 })).toBe('too-large');
    const nested = (levels: number) => `${'<a>'.repeat(levels)}${'</a>'.repeat(levels)}`;
    expect(refusal(vast(nested(VAST_LIMITS.depth - 1)))).toBe('read');
    expect(refusal(vast(nested(VAST_LIMITS.depth)))).toBe('too-deep');
    expect(refusal(vast('<Ad/>'.repeat(3)), { ads: 3 })).toBe('read');
    expect(refusal(vast('<Ad/>'.repeat(4)), { ads: 3 })).toBe('too-many-ads');
  });

  it('never makes the reader throw', () => {
    const piece = fc.constantFrom(
      '<VAST>',
      '</VAST>',
      '<Ad>',
      '</Ad>',
      '<InLine>',
      '</InLine>',
      '<Wrapper>',
      '</Wrapper>',
      '<Creatives>',
      '<Creative sequence="1">',
      '<Linear>',
      '</Linear>',
      '<MediaFiles>',
      '<MediaFile type="video/mp4">',
      '</MediaFile>',
      '<URL>',
      '</URL>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '<?',
      '?>',
      '&amp;',
      '&#0;',
      '&x;',
      '<!DOCTYPE a',
      '[',
      '>',
      '<',
      '"',
      '\ufeff',
      'https://x.example/',
      '\ud800',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        for (const document of [text, `<VAST>${text}`, vast(text)]) {
          expect(['vast', 'unreadable']).toContain(readVast(document, { extensionType: null }).kind);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('an inline ad', () => {
  it('has its impressions, errors, tracking, clicks, duration and media', () => {
    const ad = readInline(`
      <AdSystem>S</AdSystem><AdTitle> A <b>bold</b> title </AdTitle>
      <Impression id="a"><![CDATA[ https://t.example/i?a=1&b=2 ]]></Impression>
      <Impression>
        https://t.example/i2?a=1&amp;b=&#50;
      </Impression>
      <Impression/>
      <Error><![CDATA[https://t.example/e?[ERRORCODE]]]></Error>
      <ViewableImpression><Viewable>https://t.example/v</Viewable><ViewUndetermined>https://t.example/no</ViewUndetermined></ViewableImpression>
      <AdVerifications><Verification><TrackingEvents><Tracking event="x">https://t.example/no</Tracking></TrackingEvents></Verification></AdVerifications>
      <Creatives>
        <Creative><CompanionAds><Companion><TrackingEvents><Tracking event="creativeView">https://t.example/no</Tracking></TrackingEvents></Companion></CompanionAds></Creative>
        <Creative><NonLinearAds><NonLinear><StaticResource>https://t.example/no</StaticResource></NonLinear></NonLinearAds></Creative>
        <Creative><Linear skipoffset="00:00:05">
          <Duration> 00:00:30.500 </Duration>
          <AdParameters>https://t.example/no</AdParameters>
          <TrackingEvents>
            <Tracking event="start">https://t.example/s</Tracking>
            <Tracking event="progress" offset="25%">https://t.example/p</Tracking>
            <Tracking event="complete" offset="1">https://t.example/c</Tracking>
            <Tracking>https://t.example/no</Tracking>
            <Tracking event="mute"> </Tracking>
          </TrackingEvents>
          <VideoClicks>
            <ClickThrough>https://shop.example/</ClickThrough>
            <ClickTracking>https://t.example/k1</ClickTracking>
            <ClickTracking>https://t.example/k2</ClickTracking>
            <CustomClick>https://t.example/no</CustomClick>
          </VideoClicks>
          <MediaFiles>
            <Mezzanine>https://cdn.example/mezzanine.mov</Mezzanine>
            <InteractiveCreativeFile apiFramework="SIMID">https://cdn.example/simid.html</InteractiveCreativeFile>
            <MediaFile delivery="progressive" type="video/mp4" width="1920" height="1080" bitrate="2500" codec="H.264"><![CDATA[https://cdn.example/a.mp4]]></MediaFile>
            <MediaFile delivery="streaming" type="application/x-mpegURL" minBitrate="500" maxBitrate="700">https://cdn.example/a.m3u8</MediaFile>
            <MediaFile type="image/jpeg" width="0" height="x" minBitrate="90">https://cdn.example/a.jpg</MediaFile>
            <MediaFile type="application/javascript" apiFramework="VPAID">https://cdn.example/vpaid.js</MediaFile>
            <MediaFile type="text/html" apiFramework="SIMID">https://cdn.example/simid.html</MediaFile>
            <MediaFile type="text/html" apiFramework="MRAID">https://cdn.example/mraid.html</MediaFile>
          </MediaFiles>
        </Linear></Creative>
      </Creatives>`);
    expect(ad).toEqual({
      kind: 'inline',
      id: null,
      number: 1,
      sequence: null,
      title: 'A bold title',
      extensions: [],
      impressions: ['https://t.example/i?a=1&b=2', 'https://t.example/i2?a=1&b=2'],
      errors: ['https://t.example/e?[ERRORCODE]'],
      viewable: ['https://t.example/v'],
      tracking: [
        { event: 'start', url: 'https://t.example/s', offset: null },
        { event: 'progress', url: 'https://t.example/p', offset: '25%' },
        { event: 'complete', url: 'https://t.example/c', offset: null },
      ],
      clickThrough: 'https://shop.example/',
      clickTracking: ['https://t.example/k1', 'https://t.example/k2'],
      durationMs: 30_500,
      mediaFiles: [
        {
          url: 'https://cdn.example/a.mp4',
          type: 'video/mp4',
          delivery: 'progressive',
          width: 1920,
          height: 1080,
          bitrateKbps: 2500,
          codec: 'H.264',
        },
        {
          url: 'https://cdn.example/a.m3u8',
          type: 'application/x-mpegURL',
          delivery: 'streaming',
          width: null,
          height: null,
          bitrateKbps: 700,
          codec: null,
        },
        {
          url: 'https://cdn.example/a.jpg',
          type: 'image/jpeg',
          delivery: null,
          width: null,
          height: null,
          bitrateKbps: 90,
          codec: null,
        },
      ],
    });
  });

  it('reads the same with prefixes as without', () => {
    const inside = `${inline(`<Impression>i</Impression>${linear('<MediaFiles><MediaFile>m</MediaFile></MediaFiles>')}`)}`;
    const prefixed = inside.replace(/<(\/?)(\w)/g, '<$1vast:$2');
    const document = `<vast:VAST xmlns:vast="v" version="4.2">${prefixed}</vast:VAST>`;
    expect(read(document)).toEqual(read(vast(inside)));
  });

  it('takes URLs that are wrapped in <URL>', () => {
    const ad = readInline('<Impression><URL id="a"> i1 </URL><URL><![CDATA[i2]]></URL></Impression>');
    expect(ad.impressions).toEqual(['i1', 'i2']);
  });

  it('takes the attributes of the element around a <URL>, not those of the <URL>', () => {
    const ad = readInline(
      linear(`<TrackingEvents><Tracking event="start"><URL id="a">s</URL></Tracking></TrackingEvents>
        <MediaFiles><MediaFile type="video/mp4" width="640"><URL id="b">m</URL></MediaFile></MediaFiles>`),
    );
    expect(ad).toMatchObject({
      tracking: [{ event: 'start', url: 's' }],
      mediaFiles: [{ type: 'video/mp4', width: 640, url: 'm' }],
    });
  });

  it('takes https for its addresses without a scheme, and leaves other texts as they are', () => {
    const ad =
      readInline(`<AdTitle>//a</AdTitle><Impression> //t.example/i </Impression><Error>//t.example/e</Error>
      <ViewableImpression><Viewable>//t.example/v</Viewable></ViewableImpression>
      <AdVerifications><Verification><TrackingEvents>
        <Tracking event="verificationNotExecuted">//t.example/n</Tracking>
      </TrackingEvents></Verification></AdVerifications>
      ${linear(`<TrackingEvents><Tracking event="start">//t.example/s</Tracking></TrackingEvents>
        <VideoClicks><ClickThrough>//shop.example/</ClickThrough><ClickTracking>//t.example/k</ClickTracking></VideoClicks>
        <MediaFiles><MediaFile><URL>//cdn.example/m.mp4</URL></MediaFile><MediaFile>/m.mp4</MediaFile></MediaFiles>`)}`);
    expect(ad).toMatchObject({
      title: '//a',
      impressions: ['https://t.example/i'],
      errors: ['https://t.example/e'],
      viewable: ['https://t.example/v'],
      notVerified: ['https://t.example/n'],
      tracking: [{ url: 'https://t.example/s' }],
      clickThrough: 'https://shop.example/',
      clickTracking: ['https://t.example/k'],
      mediaFiles: [{ url: 'https://cdn.example/m.mp4', type: '' }, { url: '/m.mp4' }],
    });
    expect(read(vast('<Error>//t.example/e</Error>')).errorUrls).toEqual(['https://t.example/e']);
  });

  it('has no URL where a placeholder stands for the impression that VAST requires', () => {
    const tracking = '<TrackingEvents><Tracking event="start"> about:blank </Tracking></TrackingEvents>';
    const ad = readInline(
      `<Impression>about:blank</Impression><Impression>i</Impression>${linear(tracking)}`,
    );
    expect(ad).toMatchObject({ impressions: ['i'], tracking: [] });
  });

  it('leads to the first address that it has for clicks, also if it is a wrapper', () => {
    const clicks = (...urls: string[]) =>
      `<Linear><VideoClicks>${urls.map((url) => `<ClickThrough>${url}</ClickThrough>`).join('')}</VideoClicks></Linear>`;
    const creatives = (...linears: string[]) =>
      `<Creatives>${linears.map((each) => `<Creative>${each}</Creative>`).join('')}</Creatives>`;
    const [one, two] = ['https://a.example', 'https://b.example'];
    expect(readInline(creatives(clicks(one, two))).clickThrough).toBe(one);
    const inside = `<VASTAdTagURI>https://t.example</VASTAdTagURI>${creatives(clicks(), clicks(one), clicks(two))}`;
    expect(first(vast(`<Ad><Wrapper>${inside}</Wrapper></Ad>`))).toMatchObject({
      clickThrough: one,
      fallbackOnNoAd: false,
    });
  });

  it.each([
    ['for clicks', linear('<VideoClicks><ClickThrough>https://a.example</ClickThrough></VideoClicks>')],
    [
      'of an event',
      linear('<TrackingEvents><Tracking event="start">https://a.example</Tracking></TrackingEvents>'),
    ],
    [
      'of a verification',
      `<AdVerifications><Verification><TrackingEvents>
        <Tracking event="verificationNotExecuted">https://a.example</Tracking>
      </TrackingEvents></Verification></AdVerifications>`,
    ],
  ])('with an address %s beyond the limits is malformed, and still reports its errors', (_what, part) => {
    const error = '<Error>https://e.example</Error>';
    const limited = (limits: Partial<VastLimits>) =>
      first(vast(inline(`${error}${part}`, 'sequence="2"')), limits);
    const malformed = { kind: 'malformed', number: 1, sequence: 2, errors: ['https://e.example'] };
    expect(limited({ urls: 1 })).toMatchObject(malformed);
    expect(limited({ urls: 2 })).toMatchObject({ kind: 'inline' });
    expect(limited({ url: 16 })).toMatchObject({ kind: 'malformed' });
    expect(limited({ url: 17 })).toMatchObject({ kind: 'inline' });
  });

  it('without a linear creative has no media', () => {
    expect(readInline('<Creatives><Creative><CompanionAds/></Creative></Creatives>').mediaFiles).toEqual([]);
    expect(readInline('').mediaFiles).toEqual([]);
  });

  it.each([
    ['by sequence', ['3', 'c'], ['1', 'a'], ['2', 'b'], 'a'],
    ['in document order where none has one', ['', 'a'], ['', 'b'], ['', 'c'], 'a'],
    ['those with a sequence first', ['', 'a'], ['0', 'b'], ['2', 'c'], 'c'],
    ['passing over one without media', ['1', ''], ['2', 'b'], ['3', 'c'], 'b'],
  ])('plays one of several linear creatives: %s', (_, ...rest) => {
    const expected = rest.pop();
    const creatives = (rest as string[][]).map(
      ([sequence, url]) =>
        `<Creative sequence="${sequence}"><Linear><TrackingEvents><Tracking event="start">${url}</Tracking></TrackingEvents><MediaFiles><MediaFile>${url}</MediaFile></MediaFiles></Linear></Creative>`,
    );
    const ad = readInline(`<Creatives>${creatives.join('')}</Creatives>`);
    expect(ad.mediaFiles.map(({ url }) => url)).toEqual([expected]);
    expect(ad.tracking.map(({ url }) => url)).toEqual([expected]);
  });

  it('joins the text of its metadata extension, even if CDATA or elements split it', () => {
    const extension = (inside: string, type = EXTENSION) => `<Extension type="${type}">${inside}</Extension>`;
    const ad = readInline(`<Extensions>
      ${extension('<![CDATA[{"a":]]><!-- c --> <![CDATA["]]]]><![CDATA[>"}]]>')}
      ${extension('{&quot;b&quot;:<v>1</v>}', ` ${EXTENSION} `)}
      ${extension('other', 'other')}
      <Extension>${extension('nested')}</Extension>
      <x>${extension('nested')}</x>
    </Extensions>`);
    expect(ad.extensions).toEqual(['{"a": "]]>"}', '{"b":1}']);
  });

  it('collects no extension if the caller asks for none', () => {
    const document = vast(inline('<Extensions><Extension>x</Extension></Extensions>'));
    expect(readVast(document, { extensionType: null })).toMatchObject({ ads: [{ extensions: [] }] });
  });
});

describe('a wrapper', () => {
  it('has the address of its document and the elements that ads inherit', () => {
    const wrapper = `<Ad id="w"><Wrapper>
      <VASTAdTagURI><![CDATA[ https://next.example/?a=1&b=[CACHEBUSTING] ]]></VASTAdTagURI>
      <Impression>i</Impression><Error>e</Error>
      <Creatives>
        <Creative><Linear><TrackingEvents><Tracking event="start">s1</Tracking></TrackingEvents><VideoClicks><ClickTracking>k</ClickTracking></VideoClicks></Linear></Creative>
        <Creative><Linear><TrackingEvents><Tracking event="start">s2</Tracking></TrackingEvents></Linear></Creative>
      </Creatives>
      <Extensions><Extension type="${EXTENSION}">{}</Extension></Extensions>
    </Wrapper></Ad>`;
    expect(first(vast(wrapper))).toMatchObject({
      kind: 'wrapper',
      adTagUrl: 'https://next.example/?a=1&b=[CACHEBUSTING]',
      followAdditionalWrappers: true,
      allowMultipleAds: false,
      impressions: ['i'],
      errors: ['e'],
      tracking: [
        { event: 'start', url: 's1' },
        { event: 'start', url: 's2' },
      ],
      clickTracking: ['k'],
      extensions: ['{}'],
    });
  });

  it.each([
    ['', true, false],
    ['followAdditionalWrappers="false" allowMultipleAds="true"', false, true],
    ['followAdditionalWrappers="0" allowMultipleAds="1"', false, true],
    ['followAdditionalWrappers="False" allowMultipleAds="TRUE"', false, true],
    ['followAdditionalWrappers="" allowMultipleAds="?"', true, false],
  ])(
    'with %j follows wrappers %s and several ads %s',
    (attributes, followAdditionalWrappers, allowMultipleAds) => {
      const document = vast(`<Ad><Wrapper ${attributes}/></Ad>`);
      expect(first(document)).toMatchObject({ followAdditionalWrappers, allowMultipleAds, adTagUrl: '' });
    },
  );

  it('takes its address from an old-fashioned <URL> too', () => {
    const document = vast('<Ad><Wrapper><VASTAdTagURL><URL>u</URL></VASTAdTagURL></Wrapper></Ad>');
    expect(first(document)).toMatchObject({ kind: 'wrapper', adTagUrl: 'u' });
  });
});

describe('a malformed ad', () => {
  it.each([
    ['neither form', '<Ad id="1"><Error>e</Error></Ad>', /neither/],
    ['both forms', '<Ad id="1"><InLine/><Wrapper/></Ad>', /more than one/],
    ['a form twice', '<Ad id="1"><InLine/><InLine/></Ad>', /more than one/],
    ['a URL without end', inline(`<Impression>${'x'.repeat(40_000)}</Impression>`, 'id="1"'), /URL of 40000/],
    [
      'URLs of 8 MB',
      inline(`<Impression>${'u'.repeat(30_000)}</Impression>`.repeat(280), 'id="1"'),
      /URLs of more than 8388608 characters/,
    ],
    [
      'media URLs of 8 MB',
      inline(
        linear(
          `<MediaFiles>${`<MediaFile>${'u'.repeat(8_000)}</MediaFile>`.repeat(400)}</MediaFiles>`,
        ).repeat(3),
        'id="1"',
      ),
      /URLs of more than 8388608 characters/,
    ],
    ['URLs without end', inline('<Impression>i</Impression>'.repeat(2_001), 'id="1"'), /more than 2000 URLs/],
    [
      'media without end',
      inline(linear(`<MediaFiles>${'<MediaFile>m</MediaFile>'.repeat(501)}</MediaFiles>`), 'id="1"'),
      /more than 500 media files/,
    ],
    [
      'linear creatives without end',
      inline(
        `<Creatives><Creative>${'<Linear/>'.repeat(VAST_LIMITS.linears + 1)}</Creative></Creatives>`,
        'id="1"',
      ),
      /linear creatives/,
    ],
    [
      'an event name without end',
      inline(
        linear(`<TrackingEvents><Tracking event="${'x'.repeat(2_000)}">u</Tracking></TrackingEvents>`),
        'id="1"',
      ),
      /attribute of 2000/,
    ],
  ])('has %s, and does not affect the other ads', (_, bad, detail) => {
    const ads = read(vast(`${inline('', 'id="0"')}${bad}${inline('', 'id="2"')}`)).ads;
    expect(ads.map(({ id, kind }) => `${id} ${kind}`)).toEqual(['0 inline', '1 malformed', '2 inline']);
    expect(ads[1]).toMatchObject({ detail: expect.stringMatching(detail) });
  });

  it.each<[string, Partial<VastLimits>]>([
    ['more', { urls: 2 }],
    ['longer ones', { url: 2 }],
    ['more characters', { urlsLength: 4 }],
  ])('names no error URL beyond its limits: no %s', (_what, limits) => {
    const errors = ['e1', 'e2', 'e33'].map((url) => `<Error>${url}</Error>`).join('');
    expect(first(vast(inline(errors)), limits)).toMatchObject({ kind: 'malformed', errors: ['e1', 'e2'] });
  });

  it('is an ad with a far too long id, and the id is left out', () => {
    expect(first(vast(inline('', `id="${'x'.repeat(1_000_000)}"`)))).toMatchObject({
      kind: 'malformed',
      id: null,
    });
  });

  it('is not an ad with a media file whose URL is too long; the file is left out', () => {
    const url = 'https://m.example/'.padEnd(VAST_LIMITS.mediaUrl, 'm');
    const files = `<MediaFile>${url}</MediaFile><MediaFile>${url}m</MediaFile>`;
    expect(readInline(linear(`<MediaFiles>${files}</MediaFiles>`)).mediaFiles).toMatchObject([{ url }]);
  });

  it('is not an ad whose media are data URLs', () => {
    const data = `<MediaFile>data:video/mp4;base64,${'A'.repeat(40_000)}</MediaFile>`;
    expect(readInline(linear(`<MediaFiles>${data}</MediaFiles>`)).mediaFiles).toEqual([]);
  });
});

describe('the order of ads', () => {
  it.each([
    ['stand-alone ads keep theirs', ['', '', ''], [1, 2, 3]],
    ['pods ascend', ['3', '1', '2'], [2, 3, 1]],
    ['equal places keep theirs', ['2', '1', '2', '1'], [2, 4, 1, 3]],
    ['stand-alone ads keep their places beside a pod', ['2', '', '1', ''], [3, 2, 1, 4]],
    ['places that are none are stand-alone', ['0', '-1', '2', 'x', '1.5', '1'], [1, 2, 6, 4, 5, 3]],
  ])('%s', (_, sequences, expected) => {
    const ads = sequences.map((sequence) => inline('', `sequence="${sequence}"`));
    expect(read(vast(ads.join(''))).ads.map(({ number }) => number)).toEqual(expected);
  });

  it('loses and repeats none', () => {
    const ad = fc.record({ sequence: fc.option(fc.integer({ min: 1, max: 5 })), key: fc.integer() });
    fc.assert(
      fc.property(fc.array(ad), (ads) => {
        const ordered = inPodOrder(ads);
        expect(new Set(ordered)).toEqual(new Set(ads));
        expect(ordered).toHaveLength(ads.length);
        const pod = ordered.flatMap(({ sequence }) => sequence ?? []);
        expect(pod).toEqual([...pod].sort((a, b) => a - b));
        expect(ordered.filter(({ sequence }) => sequence === null)).toEqual(
          ads.filter(({ sequence }) => sequence === null),
        );
      }),
    );
  });
});

describe('a duration', () => {
  it.each([
    ['00:00:30', 30_000],
    ['00:00:30.5', 30_500],
    ['00:00:30.123', 30_123],
    ['00:00:30.1239', 30_123],
    ['01:02:03', 3_723_000],
    ['0:0:5', 5_000],
    ['100:00:00', 360_000_000],
    ['00:00:00', null],
    ['00:00:60', null],
    ['00:61:00', null],
    ['30', null],
    ['00:30', null],
    ['-00:00:30', null],
    ['00:00:30.', null],
    ['00:00:3O', null],
    ['', null],
  ])('%j is %s ms', (text, expected) => {
    expect(durationMs(text)).toBe(expected);
  });
});
