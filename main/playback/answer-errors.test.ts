import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { kioskMacros } from '../beacons/ad-macros';
import { type OutboxWorld, outboxWorld } from '../beacons/testing/outbox-world';
import { readInPlace as reading } from '../reading/testing/read-in-place';
import { timers } from '../schedule';
import { readResolvedAds } from '../service/ads-reading/resolved-ads';
import type { VastOptions } from '../service/ads-reading/vast-document';
import { errorUrlCaller, reportAnswerErrors } from './answer-errors';

const METADATA = '<Extensions><Extension type="service-metadata">{"request_id":"r"}</Extension></Extensions>';
const vast = (...content: string[]) => `<VAST version="4.2">${content.join('')}</VAST>`;
const error = (name: string) =>
  `<Error><![CDATA[https://t.example/${name}?code=[ERRORCODE]&at=[TIMESTAMP]&ua=[DEVICEUA]]]></Error>`;
const badAd = (name: string) => `<Ad><InLine>${error(name)}</InLine></Ad>`;
const wrapperTo = (path: string) =>
  `<Ad><Wrapper><VASTAdTagURI>https://w.example/${path}</VASTAdTagURI>${error(path)}${METADATA}</Wrapper></Ad>`;
const damaged = (name: string) => `<Ad><InLine>${error(name)}</InLine><InLine/></Ad>`;
const good = `<Ad id="good"><InLine>${error('good')}${METADATA}</InLine></Ad>`;

const WRAPPED: Readonly<Record<string, string>> = {
  empty: '<VAST/>',
  round: vast(wrapperTo('round')),
  several: vast(good, wrapperTo('gone').replaceAll('t.example/gone', 't.example/dead'), damaged('bad')),
};

const kiosk = {
  screen: { width: 1920, height: 1080 },
  userAgent: 'Kiosk/1',
  player: 'Endcap/test',
  params: {},
};

let world: OutboxWorld;
beforeEach(() => {
  world = outboxWorld();
});
afterEach(() => world.end());

/** Reads an answer as the kiosk does; returns the requests that servers got, as `name code`. */
async function told(document: string, log = silentLog): Promise<string[]> {
  const { outbox } = world.live(null);
  await outbox.open();
  const tell = reportAnswerErrors(errorUrlCaller(outbox, kiosk, log), ({ id }) => id !== 'unshowable');
  tell(
    await readResolvedAds(document, {
      reading,
      leftMs: 120_000,
      wrappers: {
        readDocument: (text: string, how: VastOptions) => reading.read('vast', text, how),
        schedule: timers,
        fetchDocument: async (url) =>
          url.endsWith('/gone')
            ? { kind: 'error', message: 'status 404' }
            : { kind: 'document', text: WRAPPED[url.slice('https://w.example/'.length)] ?? '' },
      },
    }),
  );
  await world.advance(60_000);
  return world.sent.map(({ url }) => {
    const { pathname, searchParams } = new URL(url);
    expect(searchParams.get('at')).toMatch(/^\d{4}-/);
    expect(searchParams.get('ua')).toBe('Kiosk/1');
    return `${pathname.slice(1)} ${searchParams.get('code')}`;
  });
}

test.each<[string, string, string[]]>([
  ['an ad without metadata', vast(badAd('bad'), good), ['bad 101']],
  ['an ad of damaged structure', vast(damaged('two'), good), ['two 101']],
  ['a wrapper whose document cannot be had', vast(wrapperTo('gone'), good), ['gone 301']],
  ['wrappers in a circle', vast(wrapperTo('round')), ['round 302']],
  ['a wrapper with no ad behind it', vast(wrapperTo('empty')), ['empty 303']],
  [
    'a wrapper with a dead end beside its ad',
    vast(wrapperTo('several').replace('<Wrapper>', '<Wrapper allowMultipleAds="true">')),
    ['bad 101', 'dead 301', 'several 301'],
  ],
  [
    'an ad without a file that can be shown',
    vast(good.replaceAll('good', 'unshowable'), good),
    ['unshowable 403'],
  ],
  ['an empty answer', vast(error('root')), ['root 303']],
  ['an answer of bad ads alone', vast(error('root'), badAd('bad')), ['bad 101']],
  ['an answer of good ads alone', vast(error('root'), good), []],
  ['an answer that cannot be read', `${vast(badAd('bad'))}<`, []],
])('of %s the right error URLs are requested, each once', async (_, document, expected) => {
  expect(await told(document)).toEqual(expected);
});

test('an error URL shared by ads is requested once for each code', async () => {
  const shared = (ad: string) => ad.replaceAll(/t\.example\/\w+/g, 't.example/shared');
  const document = vast(
    badAd('a'),
    badAd('b'),
    shared(badAd('c')),
    shared(badAd('d')),
    shared(wrapperTo('gone')),
  );
  expect((await told(document)).sort()).toEqual(['a 101', 'b 101', 'shared 101', 'shared 301']);
});

test('an answer that repeats a URL very often does not block main', async () => {
  const ad = (urls: number) => `<Ad><InLine>${error('same').repeat(urls)}</InLine></Ad>`;
  const read = await reading.read('ads', vast(ad(1_900).repeat(200)), {});
  if (read.kind === 'unreadable') throw new Error(read.message);
  const fired: unknown[] = [];
  let asked = 0;
  const rejected = read.rejected.map((one) => ({
    ...one,
    errorUrls: new Proxy(one.errorUrls, {
      get(urls, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) asked += 1;
        return Reflect.get(urls, key);
      },
    }),
  }));
  const callErrors = errorUrlCaller({ fire: (...call) => void fired.push(call) }, kiosk, silentLog);
  reportAnswerErrors(
    callErrors,
    () => true,
  )({
    kind: 'ads',
    ads: [],
    rejected,
    deadEnds: [],
    errorUrls: [],
    hasWrappers: false,
    isCutOff: false,
  });
  const macros = kioskMacros(kiosk);
  expect(fired).toEqual([[null, 'error', [read.rejected[0]?.errorUrls[0]], { errorCode: 101, macros }]]);
  expect(asked).toBeLessThanOrEqual(2_000);
});

test.each([
  ['of an answer with only bad ads a hundred URLs are requested, and one line is logged', 10_000],
  ['an answer with a hundred URLs has none left out, and nothing is logged', 100],
])('%s', async (_title, count) => {
  const lines: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (message: string, fields?: object) => void lines.push([message, fields]),
  };
  const ads = Array.from({ length: count }, (_, index) => badAd(`bad-${index}`));
  expect(await told(vast(...ads), log)).toEqual(
    Array.from({ length: 100 }, (_, index) => `bad-${index} 101`),
  );
  const message = 'an answer has many errors; no further error URLs of it are called';
  expect(lines).toEqual(count > 100 ? [[message, { told: 100 }]] : []);
});
