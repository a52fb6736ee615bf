import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SendError } from '../egress/send-error';
import { timers } from '../schedule';
import { readVast } from '../service/ads-reading/vast';
import type { WrapperOptions } from '../service/ads-reading/wrappers';
import { readVideoDocument } from './assets';
import { vastVideo } from './vast-video';

const inline = (media: string) =>
  `<Ad><InLine><Impression>https://inner.example/i</Impression><Creatives><Creative><Linear><Duration>00:00:06</Duration><MediaFiles>${media}</MediaFiles></Linear></Creative></Creatives></InLine></Ad>`;
const FILE = '<MediaFile type="video/mp4">https://m.example/v.mp4</MediaFile>';
const WRAPPER =
  '<VAST version="2.0"><Ad><Wrapper><VASTAdTagURI>https://inner.example/vast</VASTAdTagURI><Impression>https://outer.example/i</Impression></Wrapper></Ad></VAST>';
const readDocument: WrapperOptions['readDocument'] = async (text, options) => readVast(text, options);
const vast = (ads: string) => `<VAST version="2.0">${ads}</VAST>`;

test('the first ad that has media is the video', async () => {
  const reading = await vastVideo(readVideoDocument(vast(`<Ad/>${inline('')}${inline(FILE)}`)), null);
  expect(reading).toMatchObject({
    kind: 'video',
    video: { mediaFiles: [{ url: 'https://m.example/v.mp4' }] },
  });
});

test('the video has the ids of its document, and the URLs for a verification that does not run', async () => {
  const verification =
    '<AdVerifications><Verification vendor="v"><TrackingEvents><Tracking event="verificationNotExecuted">https://t.example/unverified</Tracking></TrackingEvents></Verification></AdVerifications>';
  const document = vast(
    inline(FILE)
      .replace('<Creatives>', `<AdServingId>serving-1</AdServingId>${verification}<Creatives>`)
      .replace('<Creative>', '<Creative id="creative-1">'),
  );
  expect(await vastVideo(readVideoDocument(document), null)).toMatchObject({
    video: {
      ids: { adServingId: 'serving-1', creativeId: 'creative-1' },
      notVerified: ['https://t.example/unverified'],
    },
  });
});

// An answer may hold 20,000 URLs in 20 ads: checking each blocked main for 27 ms, the first time for 350 ms (rule 31).
test('the video takes over the lists of its document without looking at each item', async () => {
  const document = readVideoDocument(vast(inline(FILE)));
  const [ad] = document.kind === 'vast' ? document.ads : [];
  const reading = await vastVideo(document, null);
  if (ad?.kind !== 'inline' || reading.kind !== 'video') throw new Error('there is no video');
  for (const list of ['mediaFiles', 'impressions', 'tracking', 'errors', 'clickTracking'] as const)
    expect(reading.video[list]).toBe(ad[list]);
});

test('a wrapper is followed without metadata, and its tracking is inherited', async () => {
  const reading = await vastVideo(readVideoDocument(WRAPPER), {
    readDocument,
    fetchDocument: async (url) => {
      expect(url).toBe('https://inner.example/vast');
      return { kind: 'document', text: vast(inline(FILE)) };
    },
    schedule: timers,
  });
  expect(reading).toMatchObject({
    kind: 'video',
    video: { impressions: ['https://inner.example/i', 'https://outer.example/i'], durationMs: 6_000 },
  });
});

const ERROR = '<Error>https://t.example/e?[ERRORCODE]</Error>';
const TOLD = ['https://t.example/e?[ERRORCODE]'];

test.each([
  [
    'a wrapper that cannot be followed here',
    WRAPPER.replace('<Impression>', `${ERROR}<Impression>`),
    /wrapper/,
    300,
    TOLD,
  ],
  ['no ad', `<VAST version="2.0">${ERROR}</VAST>`, /no ad/, 303, TOLD],
  ['no media', vast(inline('').replace('<Impression>', `${ERROR}<Impression>`)), /no media/, 403, TOLD],
  ['an ad of no kind', vast('<Ad/>'), /./, 101, []],
  ['damage', '<VAST><Ad>', /./, 101, []],
  ['another document', '<html/>', /VAST/, 101, []],
])('%s is no video, and its error URLs get the reason', async (_name, document, detail, errorCode, urls) => {
  expect(await vastVideo(readVideoDocument(document), null)).toEqual({
    kind: 'none',
    detail: expect.stringMatching(detail),
    errors: urls.length === 0 ? [] : [{ errorCode, errorUrls: urls }],
  });
});

test.each([
  ['cannot be had', { kind: 'error', message: 'status 404' }, 301, 'status 404'],
  ['leads round in a circle', { kind: 'document', text: WRAPPER }, 302, 'the wrappers form a loop'],
  ['holds no ad', { kind: 'document', text: '<VAST/>' }, 303, 'the wrapped document holds no ad'],
] as const)('a wrapper whose document %s is no video', async (_name, fetched, errorCode, detail) => {
  const reading = await vastVideo(
    readVideoDocument(WRAPPER.replace('<Impression>', `${ERROR}<Impression>`)),
    { readDocument, fetchDocument: async () => fetched, schedule: timers },
  );
  expect(reading).toEqual({ kind: 'none', detail, errors: [{ errorCode, errorUrls: TOLD }] });
});

test('a wrapper whose request does not leave the kiosk is no video, and no error of its ad', async () => {
  const reading = await vastVideo(
    readVideoDocument(WRAPPER.replace('<Impression>', `${ERROR}<Impression>`)),
    {
      readDocument,
      fetchDocument: () => Promise.reject(new SendError('connection', 'no', 'ENETUNREACH')),
      schedule: timers,
    },
  );
  expect(reading).toMatchObject({ kind: 'none', errors: [] });
});

const broken = (name: string) => `<Ad><InLine><Error>${name}</Error></InLine><InLine/></Ad>`;
const wrapperTo = (path: string, attributes = '') =>
  `<Ad><Wrapper ${attributes}><VASTAdTagURI>https://w.example/${path}</VASTAdTagURI><Error>${path}</Error></Wrapper></Ad>`;

test.each<[string, string, string, [code: number, ...urls: string[]][]]>([
  [
    'before the video',
    vast(`${broken('a')}${wrapperTo('gone')}${inline(FILE)}${broken('b')}`),
    'video',
    [
      [101, 'a'],
      [301, 'gone'],
    ],
  ],
  [
    'beside the video behind a wrapper',
    vast(wrapperTo('several', 'allowMultipleAds="true"')),
    'video',
    [
      [101, 'c'],
      [301, 'gone', 'several'],
    ],
  ],
  [
    'where there is no video',
    vast(`${broken('a')}${wrapperTo('gone')}${broken('b')}`),
    'none',
    [
      [101, 'a'],
      [301, 'gone'],
      [101, 'b'],
    ],
  ],
])('every ad that failed %s is reported', async (_, document, kind, expected) => {
  const reading = await vastVideo(readVideoDocument(document), {
    readDocument,
    fetchDocument: async (url) =>
      url.endsWith('/gone')
        ? { kind: 'error', message: 'status 404' }
        : { kind: 'document', text: vast(`${broken('c')}${inline(FILE)}${wrapperTo('gone')}`) },
    schedule: timers,
  });
  expect(reading.kind).toBe(kind);
  expect(reading.errors.map(({ errorCode, errorUrls }) => [errorCode, ...errorUrls])).toEqual(expected);
});

test('of a document with only errors a bounded number is reported', async () => {
  const reading = await vastVideo(readVideoDocument(vast(broken('a').repeat(50))), null);
  expect(reading.errors).toHaveLength(20);
});

test('the stored parts of a document determine its video, or why there is none', async () => {
  const errors = (name: number) => `<Error>https://t.example/${name}</Error>`;
  const kinds: readonly ((name: number) => string)[] = [
    (name) => inline(FILE.replace('v.mp4', `${name}.mp4`)),
    (name) => inline('').replace('<Impression>', `${errors(name)}<Impression>`),
    () => '<Ad/>',
    (name) => `<Ad><Wrapper><VASTAdTagURI>https://dead.example/</VASTAdTagURI>${errors(name)}</Wrapper></Ad>`,
    (name) => `<Ad><Wrapper><VASTAdTagURI>https://good.example/</VASTAdTagURI>${errors(name)}</Wrapper></Ad>`,
  ];
  const options: WrapperOptions = {
    readDocument,
    fetchDocument: async (url) =>
      url.includes('good')
        ? { kind: 'document', text: vast(inline(FILE)) }
        : { kind: 'error', message: 'status 404' },
    schedule: timers,
  };
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(kinds.length - 1), { maxLength: 6 }), async (chosen) => {
      // At most as many wrappers as are followed.
      fc.pre(chosen.filter((kind) => kind >= 3).length <= 5);
      const text = vast(`${errors(99)}${chosen.map((kind, name) => kinds[kind]?.(name)).join('')}`);
      const whole = readVast(text, { extensionType: null });
      expect(await vastVideo(readVideoDocument(text), options)).toEqual(await vastVideo(whole, options));
    }),
  );
});

test('of a document at most five wrappers are followed', async () => {
  let asked = 0;
  const reading = await vastVideo(readVideoDocument(vast(WRAPPER.slice(20, -7).repeat(20))), {
    readDocument,
    fetchDocument: async () => {
      asked += 1;
      return { kind: 'error', message: 'status 404' };
    },
    schedule: timers,
  });
  expect(reading).toMatchObject({ kind: 'none', detail: 'status 404' });
  expect(asked).toBe(5);
});
