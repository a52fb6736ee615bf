import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NativeAd } from '../../shared/native';
import { finishNativeAnswer } from './finish-native-answer';
import { MAX_REMARKS, readNativeAnswer } from './native-answer';

async function read(answer: unknown, adcount = 20) {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const document = readNativeAnswer(text, { adcount, answerId: 'answer' });
  return document.kind === 'ads'
    ? { kind: document.kind, ...(await finishNativeAnswer(document, null)) }
    : document;
}

const TITLE = { type: 'title', data: { text: 'Coffee' } };

/** The one ad of an answer with these parts. */
async function ad(parts: Record<string, unknown>): Promise<NativeAd> {
  const reading = await read({ status: 'ok', ads: [{ assets: [TITLE], ...parts }] });
  if (reading.kind !== 'ads' || reading.ads[0] === undefined) throw new Error(JSON.stringify(reading));
  return NativeAd.parse(reading.ads[0]);
}
const asset = async (type: string, data: unknown) => (await ad({ assets: [TITLE, { type, data }] })).assets;
const meta = async (type: string, data: unknown) => (await ad({ meta: [{ type, data }] })).meta;
const beacons = async (list: unknown) => (await ad({ beacons: list })).beacons;

const VAST = `<VAST version="2.0"><Ad id="v"><InLine><AdSystem>s</AdSystem><AdTitle>t</AdTitle>
  <Error><![CDATA[http://t.example/error?[ERRORCODE]]]></Error><Impression>http://t.example/i</Impression>
  <Creatives><Creative><Linear><Duration>00:00:15</Duration>
  <TrackingEvents><Tracking event="start">http://t.example/start</Tracking></TrackingEvents>
  <VideoClicks><ClickThrough>https://shop.example</ClickThrough><ClickTracking>http://t.example/c</ClickTracking></VideoClicks>
  <MediaFiles><MediaFile delivery="progressive" type="video/mp4" width="640" height="360">https://m.example/v.mp4</MediaFile></MediaFiles>
  </Linear></Creative></Creatives></InLine></Ad></VAST>`;

describe('an answer', () => {
  test('of status ok returns its ads, each with an instance', async () => {
    const reading = await read({ status: 'ok', ads: [{ assets: [TITLE] }, { assets: [TITLE] }] });
    expect(reading).toMatchObject({
      kind: 'ads',
      ads: [{ instance: 'answer/0' }, { instance: 'answer/1' }],
      remarks: [],
    });
  });

  test.each([
    ['an empty list', { status: 'ok', ads: [] }],
    ['no list', { status: 'ok' }],
    ['null', { status: 'ok', ads: null }],
  ])('with %s is no fill', async (_name, answer) => {
    expect(await read(answer)).toEqual({ kind: 'ads', ads: [], leftOut: 0, remarks: [], videoErrors: [] });
  });

  test.each([
    [{ status: 'error', error_message: 'Invalid app token' }, 'error'],
    [{ status: '', ads: [{ assets: [TITLE] }] }, 'empty'],
    [{ ads: [{ assets: [TITLE] }] }, 'empty'],
    [{ status: 1, ads: [] }, 'empty'],
    [{ status: 'okay', ads: [] }, 'okay'],
  ])('%j is refused', async (answer, status) => {
    expect(await read(answer)).toEqual({ kind: 'refused', status });
  });

  test.each([
    ['<html>', 'not-json'],
    ['{"status":"ok","ads":[', 'not-json'],
    ['[]', 'malformed'],
    ['null', 'malformed'],
    ['"ok"', 'malformed'],
    ['{"status":"ok","ads":{}}', 'malformed'],
    ['{"__proto__":{"status":"ok"},"constructor":{"prototype":{"ads":1}}}', 'refused'],
    [`{"status":"ok","ads":[],"x":${'['.repeat(64)}1${']'.repeat(64)}}`, 'malformed'],
  ])('%s is %s', async (body, kind) => {
    expect((await read(body)).kind).toBe(kind);
  });

  test('states that it is ok in any case', async () => {
    expect(await read({ status: ' OK ', ads: [{ assets: [TITLE] }] })).toMatchObject({ kind: 'ads' });
  });

  test('with unknown fields is read', async () => {
    const known = { assets: [TITLE], beacons: [{ type: 'click', data: { url: 'https://t.example/c' } }] };
    const unknown = {
      assets: [{ type: 'hologram', data: {} }, ...known.assets],
      meta: [{ type: 'mood', data: 1 }],
      beacons: [{ type: 'scroll', data: { url: 'https://t.example/s' } }, ...known.beacons],
      colour: 1,
    };
    const reading = await read({ status: 'ok', page: 2, ads: [unknown] });
    expect(reading).toMatchObject({
      kind: 'ads',
      ads: [await ad(known)],
      remarks: ['hologram', 'mood', 'scroll'].map((type) => expect.stringContaining(type)),
    });
  });

  test('remarks no more on an ad than on an answer', () => {
    const assets = Array.from({ length: 30 }, (_, n) => ({ type: `odd-${n}` }));
    const body = JSON.stringify({ status: 'ok', ads: [{ assets }] });
    const reading = readNativeAnswer(body, { adcount: 1, answerId: 'answer' });
    expect(reading.kind === 'ads' && reading.ads[0]?.remarks.length).toBe(MAX_REMARKS);
  });

  test('with more ads than requested is shortened', async () => {
    const reading = await read({ status: 'ok', ads: Array(5).fill({ assets: [TITLE] }) }, 2);
    expect(reading).toMatchObject({ ads: [{ instance: 'answer/0' }, { instance: 'answer/1' }] });
    expect(reading.kind === 'ads' && reading.remarks).toEqual(['3 more ads than were asked for']);
  });

  test('loses only an ad without content to show', async () => {
    const silent = { assets: [{ type: 'rating', data: { number: 4 } }] };
    const invisible = { assets: [{ type: 'title', data: { text: '\u200b' } }] };
    const reading = await read({ status: 'ok', ads: [silent, null, { assets: [TITLE] }, {}, invisible] });
    expect(reading).toMatchObject({ ads: [{ instance: 'answer/2' }] });
    expect(reading.kind === 'ads' && reading.remarks).toEqual([
      'ad 1: nothing to show',
      'ad 2: not an object',
      'ad 4: nothing to show',
      'ad 5: asset title cannot be used',
      'ad 5: nothing to show',
    ]);
  });

  test('of any shape is read without an exception, into valid ads', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 4 }), fc.jsonValue(), async (ads, value) => {
        const types = ['icon', 'title', 'rating', 'htmlbanner', 'vast2', 'impression', 'click', 'points'];
        const odd = {
          link: value,
          assetgroupid: value,
          assets: [TITLE, ...types.map((type) => ({ type, data: value }))],
          meta: [...types, 'contentinfo'].map((type) => ({ type, data: value })),
          beacons: types.map((type) => ({ type, jsondata: value })),
        };
        const confirmed = { ...odd, beacons: odd.beacons.filter(({ type }) => type !== 'impression') };
        const reading = await read({ status: 'ok', ads: [confirmed, odd, ...ads] });
        expect(reading.kind).toBe('ads');
        if (reading.kind !== 'ads') return;
        for (const each of reading.ads) NativeAd.parse(each);
        expect(reading.ads[0]?.assets.title).toBe('Coffee');
      }),
    );
  });
});

describe('assets', () => {
  const picture = { w: 10, h: 20, url: 'https://m.example/p.png' };
  const read = { width: 10, height: 20, url: 'https://m.example/p.png' };
  test.each([
    ['icon', picture, { icon: read }],
    ['banner', picture, { banner: read }],
    ['standardbanner', picture, { standardBanner: read }],
    ['description', { text: 'Slow\n steeped' }, { description: 'Slow steeped' }],
    ['rating', { number: 4.5 }, { rating: 4.5 }],
    ['cta', { text: 'Buy' }, { callToAction: 'Buy' }],
    [
      'htmlbanner',
      { w: 320, h: 480, html: '<b>x</b>' },
      { htmlBanner: { html: '<b>x</b>', width: 320, height: 480 } },
    ],
  ])('%s is read', async (type, data, expected) => {
    expect(await asset(type, data)).toMatchObject(expected);
  });

  test('title is read', async () => {
    const { assets } = await ad({ assets: [{ type: 'title', data: { text: 'Green tea' } }] });
    expect(assets.title).toBe('Green tea');
  });

  test.each([
    ['as it is, if it is short enough', '☕️'.repeat(40), '☕️'.repeat(40)],
    ['as it is, if only its UTF-16 is longer', '🍵'.repeat(80), '🍵'.repeat(80)],
    ['up to the bound', '🍵'.repeat(81), `${'🍵'.repeat(79)}…`],
  ])('text is read %s', async (_name, text, expected) => {
    expect((await asset('cta', { text })).callToAction).toBe(expected);
  });

  test.each(['\u200b\u2060', '\u00ad', '\u3164 \u2800', '\u202e\u202c'])(
    'text that shows nothing (%j) is no text',
    async (text) => {
      expect((await asset('cta', { text })).callToAction).toBeNull();
    },
  );

  test('vast2 is read into media, tracking and click-through, URLs verbatim and without metadata', async () => {
    expect((await asset('vast2', { vast2: VAST })).video).toEqual({
      durationMs: 15_000,
      mediaFiles: [
        expect.objectContaining({ url: 'https://m.example/v.mp4', type: 'video/mp4', width: 640 }),
      ],
      impressions: ['http://t.example/i'],
      tracking: [{ event: 'start', url: 'http://t.example/start', offset: null }],
      errors: ['http://t.example/error?[ERRORCODE]'],
      clickThrough: 'https://shop.example',
      clickTracking: ['http://t.example/c'],
    });
  });

  test('half a surrogate pair hides nothing of a vast2, and gets into no address', async () => {
    const broken = VAST.replace('v.mp4', '\ud800.mp4').replace('t.example/c<', 't.example/c\ud800<');
    expect((await asset('vast2', { vast2: broken })).video).toMatchObject({
      mediaFiles: [{ url: 'https://m.example/\ufffd.mp4' }],
      clickTracking: ['http://t.example/c\ufffd'],
    });
  });

  test.each([
    ['numbers as text', 'rating', { number: '4,5' }, { rating: 4.5 }],
    ['sizes as text', 'icon', { ...picture, w: '10', h: '20' }, { icon: read }],
    [
      'sizes left out',
      'icon',
      { url: picture.url },
      { icon: { url: picture.url, width: null, height: null } },
    ],
    [
      'no scheme in an address',
      'icon',
      { url: '//m.example/p.png' },
      { icon: { url: 'https://m.example/p.png' } },
    ],
    ['text without an object', 'cta', 'Buy', { callToAction: 'Buy' }],
    [
      'character references of HTML',
      'description',
      {
        text: 'Tom &amp; Jerry&#39;s&nbsp;ice &quot;M&#xFC;sli&quot; &lt; 3&euro; &unknown; &#0;&#xFFFFFFF; AT&T',
      },
      { description: 'Tom & Jerry\'s ice "Müsli" < 3€ &unknown; &#xFFFFFFF; AT&T' },
    ],
    [
      'a number with a space that keeps it on one line',
      'description',
      { text: 'From\u00a01\u202f299&nbsp;\u20ac \u00a0 now' },
      { description: 'From 1\u202f299\u00a0\u20ac now' },
    ],
    [
      'a character reference that is itself referred to',
      'cta',
      { text: '&amp;lt;' },
      { callToAction: '&lt;' },
    ],
    [
      'character references by the numbers of Windows',
      'cta',
      { text: 'Buy Jerry&#146;s &#x80; &#129;' },
      { callToAction: 'Buy Jerry’s €' },
    ],
    ['vast2 without an object', 'vast2', VAST, { video: { durationMs: 15_000 } }],
    ['a type in capitals', 'CTA', { text: 'Buy' }, { callToAction: 'Buy' }],
  ])('tolerates %s', async (_name, type, data, expected) => {
    expect(await asset(type, data)).toMatchObject(expected);
  });

  test.each([
    ['beside data', { type: 'cta', jsondata: { text: 'Buy' } }],
    ['inside data', { type: 'cta', data: { jsondata: { text: 'Buy' } } }],
    ['as text', { type: 'cta', jsondata: '{"text":"Buy"}' }],
    ['as text inside data', { type: 'cta', data: { jsondata: '{"text":"Buy"}' } }],
    ['beside data that is null', { type: 'cta', data: null, jsondata: { text: 'Buy' } }],
    ['beside empty data', { type: 'cta', data: {}, jsondata: { text: 'Buy' } }],
    ['beside data of no text', { type: 'cta', data: '', jsondata: '{"text":"Buy"}' }],
    ['inside data beside data', { type: 'cta', data: {}, jsondata: { jsondata: { text: 'Buy' } } }],
  ])('finds data under jsondata, %s', async (_name, item) => {
    expect((await ad({ assets: [TITLE, item] })).assets.callToAction).toBe('Buy');
  });

  test.each([null, '', {}])('reads data whose jsondata is %j', async (jsondata) => {
    const data = { text: 'Buy', html: null, jsondata };
    expect((await ad({ assets: [TITLE, { type: 'cta', data, jsondata }] })).assets.callToAction).toBe('Buy');
    const beacon = { type: 'impression', data: { url: 'https://t.example/', js: null, jsondata } };
    expect((await ad({ assets: [TITLE], beacons: [beacon] })).beacons).toEqual([
      { kind: 'impression-url', url: 'https://t.example/' },
    ]);
  });

  test.each([
    ['icon', { url: 'data:image/png;base64,xx' }],
    ['banner', { url: 'ftp://m.example/x' }],
    ['standardbanner', {}],
    ['rating', { number: 87 }],
    ['rating', { number: -1 }],
    ['rating', { number: 0 }],
    ['rating', { number: 'good' }],
    ['cta', { text: '  ' }],
    ['cta', { text: '&#8203;&nbsp;' }],
    ['htmlbanner', { html: '' }],
    ['vast2', { vast2: '<VAST version="2.0"/>' }],
    ['vast2', { vast2: 'no xml' }],
    ['vast2', {}],
    ['custom_endcard', { jsondata: { anything: 1 } }],
    ['icon', { jsondata: `{"url":"https://m.example/p.png","x":${'['.repeat(64)}${']'.repeat(64)}}` }],
    ['votes', { number: 12 }],
  ])('ignores %s of %j', async (type, data) => {
    expect(await asset(type, data)).toEqual((await ad({})).assets);
  });

  test('of one type twice use the first valid one', async () => {
    const { icon } = (
      await ad({
        assets: [
          TITLE,
          { type: 'icon', data: { url: 'broken' } },
          { type: 'icon', data: { url: 'https://m.example/1' } },
          { type: 'icon', data: { url: 'https://m.example/2' } },
        ],
      })
    ).assets;
    expect(icon?.url).toBe('https://m.example/1');
  });
});

describe('meta', () => {
  test.each([
    ['points', { number: 1500 }, { points: 1500 }],
    ['points', { number: 0 }, { points: 0 }],
    ['points', { number: '12' }, { points: 12 }],
    ['revenuemodel', { text: 'cpa' }, { revenueModel: 'CPA' }],
    ['revenuemodel', { text: 'CPC' }, { revenueModel: 'CPC' }],
    ['revenuemodel', { text: ' Cpm ' }, { revenueModel: 'CPM' }],
    ['revenuemodel', { text: 'cpv' }, { revenueModel: 'other' }],
    ['revenuemodel', {}, { revenueModel: null }],
    ['campaignid', { text: '41010' }, { campaignId: '41010' }],
    ['campaignid', { text: 41010 }, { campaignId: '41010' }],
    ['creativeid', {}, { creativeId: null }],
    ['creativeid', { text: 'c-1' }, { creativeId: 'c-1' }],
    ['bundleid', { text: '' }, { bundleId: null }],
    ['bundleid', {}, { bundleId: null }],
    ['bundleid', { text: 'com.example' }, { bundleId: 'com.example' }],
    [
      'contentinfo',
      { link: 'https://a.example', icon: 'https://a.example/i.png', text: 'Why?' },
      { contentInfo: { link: 'https://a.example', icon: 'https://a.example/i.png', text: 'Why?' } },
    ],
    ['contentinfo', { text: 'Why?' }, { contentInfo: { link: null, icon: null, text: 'Why?' } }],
    ['contentinfo', {}, { contentInfo: null }],
    ['mood', { text: 'good' }, { points: null }],
  ])('%s of %j', async (type, data, expected) => {
    expect(await meta(type, data)).toMatchObject(expected);
  });
});

describe('ids that came as numbers', () => {
  /** As a service writes it: JSON has no largest number. */
  const answerWith = (id: string) => `{"status":"ok","ads":[{"assetgroupid":${id},
    "assets":[{"type":"title","data":{"text":"\\"${id}, \\\\"}},{"type":"rating","data":{"number":4.1250000000000000000}}],
    "meta":[{"type":"campaignid","data":${id}},{"type":"creativeid","data":{"id":[${id}]}},
      {"type":"creativeid","jsondata":"${id}"},{"type":"bundleid","jsondata":"{\\"text\\":${id}}"},
      {"type":"points","data":1234567890123456}]}]}`;

  test.each([
    '1',
    '9007199254740991',
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
  ])('keep all digits: %s', async (id) => {
    const reading = await read(answerWith(id));
    expect(reading).toMatchObject({
      ads: [
        {
          assetGroupId: id,
          assets: { title: `"${id}, \\`, rating: 4.125 },
          meta: { campaignId: id, creativeId: id, bundleId: id, points: 1234567890123456 },
        },
      ],
    });
  });
});

describe('beacons', () => {
  const url = (n: number) => `https://t.example/${n}?cb=[CACHEBUSTING]`;

  test('keep their order, their kinds and their duplicates', async () => {
    expect(
      await beacons([
        { type: 'impression', data: { url: url(1) } },
        { type: 'click', data: { url: url(2) } },
        { type: 'impression', data: { js: '<script>1</script>' } },
        { type: 'impression', data: { url: url(1) } },
        { type: 'click', data: { url: url(2) } },
      ]),
    ).toEqual([
      { kind: 'impression-url', url: url(1) },
      { kind: 'click', url: url(2) },
      { kind: 'impression-script', script: '<script>1</script>' },
      { kind: 'impression-url', url: url(1) },
      { kind: 'click', url: url(2) },
    ]);
  });

  test('with an address and a script are two', async () => {
    expect(await beacons([{ type: 'impression', data: { js: 'x()', url: url(1) } }])).toEqual([
      { kind: 'impression-url', url: url(1) },
      { kind: 'impression-script', script: 'x()' },
    ]);
  });

  test.each([
    ['of an unknown type', [{ type: 'viewable', data: { url: url(1) } }]],
    ['without an address', [{ type: 'click', data: {} }]],
    ['of another scheme', [{ type: 'click', data: { url: 'tel:1' } }]],
    ['whose click is a script', [{ type: 'click', data: { js: 'x()' } }]],
    ['that are no list', { type: 'click' }],
    ['without a type', [{ data: { url: url(1) } }]],
    ['of an impression without an address', [{ type: 'impression', data: { url: ' ', js: '' } }]],
    [
      'of an impression without data',
      [
        { type: 'impression', data: {} },
        { type: 'impression', data: [] },
      ],
    ],
  ])('%s are none', async (_name, list) => {
    expect(await beacons(list)).toEqual([]);
  });

  test.each([
    ['of another scheme', { url: 'tel:1' }],
    ['too long', { url: `https://t.example/${'i'.repeat(32_768)}` }],
    ['that is no address', 'https://'],
    ['that is no text', { url: 5 }],
    ['beside a script', { url: 'x', js: 'x()' }],
    ['whose script is too long', { url: url(1), js: 'x'.repeat(256 * 1024 + 1) }],
  ])('of an impression %s lose their ad, which could not be confirmed completely', async (_name, data) => {
    const assets = [TITLE];
    const good = { type: 'impression', data: { url: url(1) } };
    const lost = { assets, beacons: [good, { type: 'impression', data }] };
    expect(await read({ status: 'ok', ads: [lost, { assets, beacons: [good] }] })).toMatchObject({
      ads: [{ instance: 'answer/1', beacons: [{ kind: 'impression-url' }] }],
      remarks: ['ad 1: an impression beacon cannot be used'],
      leftOut: 1,
    });
  });
});

test.each([
  [77, '77'],
  ['77', '77'],
  [undefined, null],
])('the asset group %j is kept as %j', async (assetgroupid, kept) => {
  expect((await ad({ assetgroupid })).assetGroupId).toBe(kept);
});

test.each([
  ['https://shop.example', 'https://shop.example'],
  [' market://x ', 'market://x'],
  ['', null],
  [undefined, null],
  [5, null],
  [`app:${'a'.repeat(32_764)}`, `app:${'a'.repeat(32_764)}`],
  [`app:${'a'.repeat(32_765)}`, null],
])('the link %j is kept as %j', async (link, kept) => {
  expect((await ad({ link })).link).toBe(kept);
});

describe('a video that cannot be read', () => {
  const broken = {
    type: 'vast2',
    data: { vast2: '<VAST version="2.0"><Error>http://t.example/e</Error></VAST>' },
  };
  test('is one beyond the tenth of an ad, or beyond their total size', async () => {
    const assets = [TITLE, ...Array.from({ length: 11 }, () => broken)];
    const many = await read({ status: 'ok', ads: [{ assets }] });
    expect(many).toMatchObject({
      videoErrors: { length: 10 },
      remarks: expect.arrayContaining(['ad 1: more than 10 assets vast2']),
    });
    const beacons = `<Impression>${'u'.repeat(30_000)}</Impression>`.repeat(10);
    const large = { type: 'vast2', data: VAST.replace('<Impression>', `${beacons}<Impression>`) };
    const heavy = await read({ status: 'ok', ads: [{ assets: [TITLE, large, large] }] });
    expect(heavy).toMatchObject({
      ads: [{ assets: { video: { impressions: { length: 11 } } } }],
      remarks: ['ad 1: asset vast2: more than 524288 bytes with the videos before it'],
    });
  });

  test('is reported with its ad, which is shown without it or dropped', async () => {
    const reading = await read({ status: 'ok', ads: [{ assets: [TITLE, broken] }, { assets: [broken] }] });
    if (reading.kind !== 'ads') throw new Error(reading.kind);
    expect(reading.ads.map(({ instance }) => instance)).toEqual(['answer/0']);
    expect(reading.videoErrors).toEqual([
      { instance: 'answer/0', position: 0, errorCode: 303, errorUrls: ['http://t.example/e'] },
      { instance: 'answer/1', position: 0, errorCode: 303, errorUrls: ['http://t.example/e'] },
    ]);
  });
});
