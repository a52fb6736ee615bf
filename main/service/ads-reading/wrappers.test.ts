import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { SendError } from '../../egress/send-error';
import type { Schedule } from '../../schedule';
import { type AdsReading, readAds } from './read-ads';
import { readVast } from './vast';
import { type FetchedDocument, type ResolvedAds, resolveWrappers, type WrapperOptions } from './wrappers';

const METADATA = '<Extensions><Extension type="service-metadata">{"request_id":"r"}</Extension></Extensions>';

function vast(...ads: string[]): string {
  return `<VAST version="4.2">${ads.join('')}</VAST>`;
}

/** All elements that an ad can inherit, marked with `name`. */
function marked(name: string): string {
  return `<Impression>i-${name}</Impression><Error>e-${name}</Error>
  <ViewableImpression><Viewable>v-${name}</Viewable></ViewableImpression>
  <AdVerifications><Verification><TrackingEvents>
    <Tracking event="verificationNotExecuted">n-${name}</Tracking>
  </TrackingEvents></Verification></AdVerifications>
  <Creatives><Creative><Linear>
    <TrackingEvents><Tracking event="start">s-${name}</Tracking></TrackingEvents>
    <VideoClicks><ClickTracking>k-${name}</ClickTracking></VideoClicks>
    <MediaFiles><MediaFile type="video/mp4">https://cdn.example/${name}.mp4</MediaFile></MediaFiles>
  </Linear></Creative></Creatives>`;
}

function inline(name: string, attributes = ''): string {
  return `<Ad id="${name}" ${attributes}><InLine>${marked(name)}</InLine></Ad>`;
}

function wrapper(name: string, to: string, attributes = '', metadata = ''): string {
  const tag = `<VASTAdTagURI>https://ads.example/${to}</VASTAdTagURI>`;
  return `<Ad id="${name}"><Wrapper ${attributes}>${tag}${marked(name)}${metadata}</Wrapper></Ad>`;
}

function service(...ads: string[]): AdsReading {
  const reading = readAds(vast(...ads));
  if (reading.kind === 'unreadable') throw new Error(reading.message);
  return reading;
}

/** An answer of the service with one wrapper. */
function wrapping(to: string, attributes = ''): AdsReading {
  return service(wrapper('w', to, attributes, METADATA));
}

const never: Schedule = () => () => {};

/** Documents by the path of their URL; any other URL is not found. */
function web(documents: Record<string, string>, over: Partial<WrapperOptions> = {}) {
  const fetched: string[] = [];
  const options: WrapperOptions = {
    schedule: never,
    readDocument: async (text, how) => readVast(text, how),
    fetchDocument: async (url): Promise<FetchedDocument> => {
      const path = url.replace('https://ads.example/', '');
      fetched.push(path);
      const text = documents[path];
      return text === undefined ? { kind: 'error', message: 'status 404' } : { kind: 'document', text };
    },
    ...over,
  };
  return { options, fetched };
}

function medias({ ads }: ResolvedAds): string[] {
  return ads.map((ad) => ad.mediaFiles.map(({ url }) => url.replace('https://cdn.example/', '')).join());
}

function rejections({ rejected }: ResolvedAds): string[] {
  return rejected.map(({ id, code, detail }) => `${id} ${code}: ${detail}`);
}

describe('a wrapper', () => {
  it('becomes the ad that it leads to, inherits everything, and keeps only the metadata of the service', async () => {
    const { options, fetched } = web({
      a: vast(wrapper('x', 'b')),
      b: vast(
        `${inline('y').replace('</InLine>', '<Extensions><Extension type="service-metadata">{"request_id":"other"}</Extension></Extensions></InLine>')}`,
      ),
    });
    const resolved = await resolveWrappers(wrapping('a'), options);
    expect(fetched).toEqual(['a', 'b']);
    expect(resolved).toMatchObject({ rejected: [], hasWrappers: true });
    expect(resolved.ads).toHaveLength(1);
    expect(resolved.ads[0]).toMatchObject({
      id: 'w',
      metadata: { requestId: 'r' },
      impressions: ['i-y', 'i-x', 'i-w'],
      errors: ['e-y', 'e-x', 'e-w'],
      tracking: ['s-y', 's-x', 's-w'].map((url) => ({ event: 'start', url })),
      clickTracking: ['k-y', 'k-x', 'k-w'],
      viewable: ['v-y', 'v-x', 'v-w'],
      notVerified: ['n-y', 'n-x', 'n-w'],
      mediaFiles: [{ url: 'https://cdn.example/y.mp4' }],
    });
  });

  it.each([
    ['its own', ['of y', 'of x', 'of w'], 'of y'],
    ['else those of the innermost wrapper that has one', ['', 'of x', 'of w'], 'of x'],
    ['or of the one around that', ['', '', 'of w'], 'of w'],
  ])('leads to an ad with a title and a landing page: %s', async (_, [y = '', x = '', w = ''], expected) => {
    const naming = (text: string) => `<AdTitle>${text}</AdTitle><Creatives><Creative><Linear>
      <VideoClicks><ClickThrough>${text}</ClickThrough></VideoClicks></Linear></Creative></Creatives>`;
    const around = (to: string, text: string) =>
      `<Ad><Wrapper><VASTAdTagURI>https://ads.example/${to}</VASTAdTagURI>${naming(text)}${METADATA}</Wrapper></Ad>`;
    const { options } = web({
      a: vast(around('b', x)),
      b: vast(`<Ad><InLine>${naming(y)}</InLine></Ad>`),
    });
    const { ads } = await resolveWrappers(service(around('a', w)), options);
    expect(ads).toMatchObject([{ title: expected, clickThrough: expected }]);
  });

  it('keeps its place among the other ads', async () => {
    const { options } = web({ a: vast(inline('A')), b: vast(inline('B')) });
    const own = (name: string) => inline(name).replace('</InLine>', `${METADATA}</InLine>`);
    const reading = service(
      own('1'),
      wrapper('2', 'a', '', METADATA),
      own('3'),
      wrapper('4', 'b', '', METADATA),
    );
    expect(medias(await resolveWrappers(reading, options))).toEqual(['1.mp4', 'A.mp4', '3.mp4', 'B.mp4']);
  });

  it.each([
    ['its document cannot be had', {}, 'status 404'],
    ['its document is empty', { a: '' }, 'the wrapped document: the answer is empty'],
    ['its document is cut off', { a: vast(inline('y')).slice(0, -3) }, 'the wrapped document: '],
    [
      'its document is no fill',
      { a: '<VAST><Error>e-root</Error></VAST>' },
      'the wrapped document holds no ad',
    ],
    ['its document holds only damage', { a: vast('<Ad id="y"/>') }, 'no ad that the wrapper admits'],
    [
      'it leads round in a circle',
      { a: vast(wrapper('x', 'b')), b: vast(wrapper('y', 'a')) },
      'the wrappers form a loop',
    ],
    ['it leads to itself', { a: vast(wrapper('x', 'a')) }, 'the wrappers form a loop'],
  ])('is unresolved when %s', async (_, documents, why) => {
    const { options } = web(documents as Record<string, string>);
    const resolved = await resolveWrappers(wrapping('a'), options);
    expect(resolved.ads).toEqual([]);
    expect(rejections(resolved)).toEqual([expect.stringContaining(`w wrapper-unresolved: `)]);
    expect(resolved.rejected[0]?.detail).toContain(why);
  });

  it.each([
    ['its document cannot be had', {}, 301],
    ['its document cannot be read', { a: '<VAST' }, 300],
    ['its document is empty', { a: '' }, 303],
    ['its document is no fill', { a: '<VAST/>' }, 303],
    ['its document holds only damage', { a: vast('<Ad id="y"/>') }, 303],
    ['it leads round in a circle', { a: vast(wrapper('x', 'b')), b: vast(wrapper('y', 'a')) }, 302],
    ['it names no address', { a: vast('<Ad id="x"><Wrapper/></Ad>') }, 300],
    [
      'it leads too deep',
      Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map((name, i) => [name, vast(wrapper('x', 'bcdef'.charAt(i)))]),
      ),
      302,
    ],
  ])('is unresolved with the error code of the reason: %s', async (_, documents, errorCode) => {
    const { options } = web(documents as Record<string, string>);
    const { rejected } = await resolveWrappers(wrapping('a'), options);
    expect(rejected).toMatchObject([{ code: 'wrapper-unresolved', errorCode }]);
  });

  it('reports the error URLs of the damaged ads in its document too', async () => {
    const { options } = web({ a: vast('<Ad id="y"><InLine><Error>e-y</Error></InLine><InLine/></Ad>') });
    const { rejected } = await resolveWrappers(wrapping('a'), options);
    expect(rejected[0]?.errorUrls).toEqual(['e-w', 'e-y']);
  });

  it('is unresolved with the error URLs of all its wrappers', async () => {
    const { options } = web({ a: vast(wrapper('x', 'b')), b: '<VAST><Error>e-root</Error></VAST>' });
    const { rejected } = await resolveWrappers(wrapping('a'), options);
    expect(rejected[0]?.errorUrls).toEqual(['e-x', 'e-w', 'e-root']);
  });

  it.each(['', 'ftp://ads.example/', 'file:///etc/passwd', 'next.xml', 'https://'])(
    'is not followed to %j',
    async (address) => {
      const { options, fetched } = web({});
      const ad = `<Ad id="w"><Wrapper><VASTAdTagURI>${address}</VASTAdTagURI>${METADATA}</Wrapper></Ad>`;
      expect(rejections(await resolveWrappers(service(ad), options))).toEqual([
        expect.stringMatching(/^w wrapper-unresolved: the wrapper names/),
      ]);
      expect(fetched).toEqual([]);
    },
  );

  it('is followed over https to an address without a scheme', async () => {
    const { options, fetched } = web({ a: vast(inline('y')) });
    const ad = `<Ad id="w"><Wrapper><VASTAdTagURI>//ads.example/a</VASTAdTagURI>${METADATA}</Wrapper></Ad>`;
    expect(medias(await resolveWrappers(service(ad), options))).toEqual(['y.mp4']);
    expect(fetched).toEqual(['a']);
  });

  it('is followed five deep, and no deeper', async () => {
    const chain = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, i) => [
          `${i + 1}`,
          vast(i + 1 === length ? inline('end') : wrapper('x', `${i + 2}`)),
        ]),
      );
    const five = web(chain(5));
    expect(medias(await resolveWrappers(wrapping('1'), five.options))).toEqual(['end.mp4']);
    const six = web(chain(6));
    expect(rejections(await resolveWrappers(wrapping('1'), six.options))).toEqual([
      'w wrapper-unresolved: more than 5 wrappers in a chain',
    ]);
    expect(six.fetched).toEqual(['1', '2', '3', '4', '5']);
  });

  it('takes one stand-alone ad, or the first of a pod', async () => {
    const { options } = web({
      a: vast(inline('p', 'sequence="1"'), inline('q'), inline('r')),
      b: vast(inline('p', 'sequence="2"'), inline('q', 'sequence="1"')),
    });
    expect(medias(await resolveWrappers(wrapping('a'), options))).toEqual(['q.mp4']);
    expect(medias(await resolveWrappers(wrapping('b'), options))).toEqual(['q.mp4']);
  });

  it('takes the next stand-alone ad if one with fallbackOnNoAd leads to no ad, and reports the error', async () => {
    const fallback = 'fallbackOnNoAd="true"';
    const { options } = web({
      a: vast(wrapper('x', 'empty', fallback), wrapper('y', 'gone', fallback), inline('z'), inline('later')),
      b: vast(wrapper('x', 'empty'), inline('z')),
      c: vast(wrapper('x', 'empty', fallback), inline('p', 'sequence="1"')),
      d: vast(wrapper('x', 'empty', fallback), wrapper('y', 'gone', fallback)),
      e: vast(wrapper('x', 'full', fallback), inline('later')),
      f: vast(
        wrapper('x', 'empty', fallback).replace('<Ad', '<Ad sequence="1"'),
        inline('p', 'sequence="2"'),
      ),
      empty: '<VAST/>',
      full: vast(inline('f')),
    });
    const found = await resolveWrappers(wrapping('a'), options);
    expect(medias(found)).toEqual(['z.mp4']);
    expect(found.deadEnds).toEqual([
      { errorUrls: ['e-y', 'e-w'], errorCode: 301 },
      { errorUrls: ['e-x', 'e-w'], errorCode: 303 },
    ]);
    expect(medias(await resolveWrappers(wrapping('e'), options))).toEqual(['f.mp4']);
    for (const to of ['b', 'c', 'd', 'f'])
      expect(rejections(await resolveWrappers(wrapping(to), options))).toHaveLength(1);
  });

  it('takes all available ads if it allows several', async () => {
    const { options } = web({
      a: vast(
        inline('p', 'sequence="2"'),
        '<Ad id="bad"/>',
        wrapper('x', 'gone'),
        inline('q', 'sequence="1"'),
      ),
    });
    const resolved = await resolveWrappers(wrapping('a', 'allowMultipleAds="true"'), options);
    expect(medias(resolved)).toEqual(['q.mp4', 'p.mp4']);
    expect(resolved.rejected).toEqual([]);
  });

  it.each([
    ['', 'allowMultipleAds="true"', ['p.mp4', 'q.mp4']],
    ['allowMultipleAds="true"', '', ['p.mp4']],
  ])(
    'around %j another one with %j takes as many ads as the inner one allows',
    async (outer, inner, expected) => {
      const { options } = web({ a: vast(wrapper('x', 'b', inner)), b: vast(inline('p'), inline('q')) });
      expect(medias(await resolveWrappers(wrapping('a', outer), options))).toEqual(expected);
    },
  );

  const several = 'allowMultipleAds="true"';
  const damaged = (name: string) =>
    `<Ad id="${name}"><InLine><Error>e-${name}</Error></InLine><InLine/></Ad>`;
  it.each<[string, string, string, string[]]>([
    [
      'wrappers that lead nowhere, beside an ad that was found',
      several,
      vast(wrapper('x', 'gone'), inline('p'), wrapper('y', 'empty')),
      ['301 e-x e-w', '303 e-y e-w e-root'],
    ],
    [
      'wrappers that lead nowhere, beyond the first, whose reason rejects the ad',
      several,
      vast(wrapper('x', 'gone'), wrapper('y', 'empty')),
      ['303 e-y e-w e-root'],
    ],
    [
      'damaged ads beside an admitted one',
      '',
      vast(damaged('x'), inline('p'), damaged('y')),
      ['101 e-x', '101 e-y'],
    ],
    [
      'damaged ads beside an admitted wrapper that leads nowhere',
      '',
      vast(damaged('x'), wrapper('y', 'gone')),
      ['101 e-x'],
    ],
    ['nothing where all is well', several, vast(inline('p'), inline('q')), []],
  ])('names the error URLs of %s', async (_, attributes, a, expected) => {
    const { options } = web({ a, empty: '<VAST><Error>e-root</Error></VAST>' });
    const { deadEnds } = await resolveWrappers(wrapping('a', attributes), options);
    const told = deadEnds.map(({ errorCode, errorUrls }) => [errorCode, ...errorUrls].join(' '));
    expect(told.sort()).toEqual(expected);
  });

  it('names a bounded number of dead ends, however many a document holds', async () => {
    const errors = '<Error>e</Error>'.repeat(500);
    const dead = Array.from({ length: 200 }, () => `<Ad><InLine>${errors}</InLine><InLine/></Ad>`);
    const { options } = web({ a: vast(inline('p'), ...dead.slice(1)) });
    const { deadEnds } = await resolveWrappers(wrapping('a', several), options);
    expect(deadEnds).toHaveLength(20);
    for (const { errorUrls } of deadEnds) expect(errorUrls).toHaveLength(100);
  });

  it.each([
    ['a document of more than 200 ads', { a: vast(inline('y').repeat(201)) }, 300, 'more than 200 ads'],
    [
      'a document of more than 4 MiB',
      { a: vast(inline('y'), ' '.repeat(4 * 1024 * 1024)) },
      300,
      'at most 4194304 are read',
    ],
    [
      'documents of more than 8 MiB',
      Object.fromEntries(
        ['a', 'b', 'c'].map((name, i) => [
          name,
          vast(i === 2 ? inline('y') : wrapper('x', 'bc'.charAt(i)), ' '.repeat(3 * 1024 * 1024)),
        ]),
      ),
      302,
      'documents of more than 8388608 characters behind one ad',
    ],
  ])('is unresolved when it leads to %s', async (_, documents, errorCode, why) => {
    const { options } = web(documents as Record<string, string>);
    const { ads, rejected } = await resolveWrappers(wrapping('a'), options);
    expect(ads).toEqual([]);
    expect(rejected).toMatchObject([{ errorCode, detail: expect.stringContaining(why) }]);
  });

  it('can forbid further wrappers', async () => {
    const { options, fetched } = web({
      a: vast(wrapper('x', 'b'), inline('y')),
      b: vast(inline('z')),
      c: vast(wrapper('x', 'b')),
    });
    const only = 'followAdditionalWrappers="false"';
    expect(medias(await resolveWrappers(wrapping('a', only), options))).toEqual(['y.mp4']);
    expect(rejections(await resolveWrappers(wrapping('c', only), options))).toHaveLength(1);
    expect(fetched).toEqual(['a', 'c']);
  });

  it('causes at most 20 requests, even if each document holds 5 wrappers', async () => {
    const documents: Record<string, string> = {};
    const grow = (name: string, depth: number): void => {
      const children = Array.from({ length: 5 }, (_, i) => `${name}${i}`);
      documents[name] = vast(...children.map((child) => wrapper(child, child, several)));
      if (depth < 4) for (const child of children) grow(child, depth + 1);
    };
    grow('a', 1);
    const { options, fetched } = web(documents);
    await resolveWrappers(wrapping('a', several), options);
    expect(fetched).toHaveLength(20);
  });

  it('is unresolved at its deadline, even if the fetch ignores the abort', async () => {
    const due: (() => void)[] = [];
    const cancelled: number[] = [];
    const schedule: Schedule = (ms, run) => {
      expect(ms).toBe(2_000);
      const index = due.push(run) - 1;
      return () => cancelled.push(index);
    };
    const signals: AbortSignal[] = [];
    const { options } = web(
      {},
      {
        schedule,
        deadlineMs: 2_000,
        fetchDocument: (_, signal) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    );
    const resolving = resolveWrappers(wrapping('a'), options);
    // Not at once where the turn is over by then.
    await expect.poll(() => due).toHaveLength(1);
    expect(signals[0]?.aborted).toBe(false);
    due[0]?.();
    expect(rejections(await resolving)).toEqual([
      'w wrapper-unresolved: the wrapped document did not arrive within 2000 ms',
    ]);
    expect((await resolving).rejected[0]?.errorCode).toBe(301);
    expect(signals[0]?.aborted).toBe(true);
    expect(cancelled).toEqual([0]);
  });

  it('is unresolved when the fetch throws', async () => {
    const { options } = web({}, { fetchDocument: () => Promise.reject(new Error('secret')) });
    expect(rejections(await resolveWrappers(wrapping('a'), options))).toEqual([
      'w wrapper-unresolved: the wrapped document did not arrive',
    ]);
  });

  it.each([
    ['the line is down', new SendError('connection', 'no', 'ENETUNREACH'), []],
    ['names have no address', new SendError('name', 'no', 'EAI_AGAIN'), []],
    ['a proxy does not lead there', new SendError('proxy-refused', 'no', '403'), []],
    ['it must not be requested', new SendError('fenced', 'no', 'private'), ['e-w']],
    ['its server may have the request', new SendError('answer', 'maybe', 'ECONNRESET'), ['e-w']],
  ])('is unresolved when %s; its error URLs are those of an error of the ad', async (_, error, errorUrls) => {
    const { options } = web({}, { fetchDocument: () => Promise.reject(error) });
    const resolved = await resolveWrappers(wrapping('a'), options);
    expect(resolved.rejected).toMatchObject([{ code: 'wrapper-unresolved', errorCode: 301, errorUrls }]);
    expect(resolved.isCutOff).toBe(errorUrls.length === 0);
  });

  it.each([
    ['a document arrived', 'a', false],
    ['no document arrived, though a server answered', 'gone', true],
  ])(
    'whose request did not leave the kiosk cuts the answer off where %s: %s, %s',
    async (_, other, isCutOff) => {
      const { options } = web({ a: vast(inline('y')) });
      const reading = service(wrapper('1', 'unsent', '', METADATA), wrapper('2', other, '', METADATA));
      const resolved = await resolveWrappers(reading, {
        ...options,
        fetchDocument: (url, signal) =>
          url.endsWith('unsent')
            ? Promise.reject(new SendError('connection', 'no', 'ENETUNREACH'))
            : options.fetchDocument(url, signal),
      });
      expect(resolved.rejected[0]).toMatchObject({ id: '1', errorUrls: [] });
      expect(resolved.isCutOff).toBe(isCutOff);
    },
  );

  it('is unresolved when the whole answer is aborted', async () => {
    const stop = new AbortController();
    const { options, fetched } = web({ b: vast(inline('y')) }, { signal: stop.signal, concurrency: 1 });
    const hanging: WrapperOptions = {
      ...options,
      fetchDocument: (url, signal) => {
        if (url.endsWith('/a')) {
          queueMicrotask(() => stop.abort());
          return new Promise(() => {});
        }
        return options.fetchDocument(url, signal);
      },
    };
    const reading = service(wrapper('1', 'a', '', METADATA), wrapper('2', 'b', '', METADATA));
    expect(rejections(await resolveWrappers(reading, hanging))).toEqual([
      '1 wrapper-unresolved: the time of the whole answer was over',
      '2 wrapper-unresolved: the time of the whole answer was over',
    ]);
    expect(fetched).toEqual([]);
  });

  it('waits while the maximum number of requests is running', async () => {
    let begun = 0;
    let underWay = 0;
    let most = 0;
    const ads = Array.from({ length: 20 }, (_, i) => wrapper(`${i}`, `${i}`, '', METADATA));
    const { options } = web(
      {},
      {
        concurrency: 3,
        fetchDocument: async () => {
          begun += 1;
          most = Math.max(most, ++underWay);
          // Others may begin in a later turn, because work pauses when it has taken long.
          await vi.waitUntil(() => underWay === 3 || begun === ads.length, { interval: 1, timeout: 60_000 });
          underWay--;
          return { kind: 'document', text: vast(inline('y')) };
        },
      },
    );
    const resolved = await resolveWrappers(service(...ads), options);
    expect(resolved.ads.map(({ id }) => id)).toEqual(ads.map((_, i) => `${i}`));
    expect(most).toBe(3);
  });

  it('without metadata is rejected without being followed', async () => {
    const { options, fetched } = web({ a: vast(inline('y')) });
    const resolved = await resolveWrappers(service(wrapper('w', 'a')), options);
    expect(rejections(resolved)).toEqual(['w metadata-missing: no metadata extension']);
    expect(fetched).toEqual([]);
  });
});

it('an answer without wrappers is the service’s alone', async () => {
  const { options } = web({});
  const reading = service(inline('1').replace('</InLine>', `${METADATA}</InLine>`));
  expect(await resolveWrappers(reading, options)).toMatchObject({
    ads: [{ id: '1' }],
    hasWrappers: false,
    isCutOff: false,
  });
  expect(await resolveWrappers(service('<Error>e-root</Error>'), options)).toMatchObject({
    ads: [],
    errorUrls: ['e-root'],
  });
});

describe('the data that ads inherit', () => {
  const urls = (count: number, of = 'i') => `<Impression>${of}</Impression>`.repeat(count);
  const found = (count: number) => `<Ad><InLine>${urls(count)}</InLine></Ad>`;
  const leading = (to: string, inside: string) =>
    `<Ad id="${to}"><Wrapper allowMultipleAds="true"><VASTAdTagURI>https://ads.example/${to}</VASTAdTagURI>${inside}</Wrapper></Ad>`;

  it('is never shortened: an ad with more than 2000 URLs in all is rejected', async () => {
    const counts = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(counts, counts, async (wrappers, inlines) => {
        const documents: Record<string, string> = {};
        for (const [level, count] of wrappers.entries())
          if (level > 0) documents[`${level}`] = vast(leading(`${level + 1}`, urls(count)));
        documents[`${wrappers.length}`] = vast(...inlines.map(found));
        const { options } = web(documents);
        const reading = service(leading('1', urls(wrappers[0] ?? 0) + METADATA));
        const { ads, rejected } = await resolveWrappers(reading, options);
        const inherited = wrappers.reduce((sum, count) => sum + count, 0);
        const totals = inlines.map((count) => count + inherited).filter((count) => count <= 2_000);
        expect(ads.map(({ impressions }) => impressions.length)).toEqual(totals);
        expect(rejected.map(({ detail }) => detail)).toEqual(
          totals.length > 0 ? [] : ['more than 2000 URLs with those of its wrappers'],
        );
      }),
      { numRuns: 30 },
    );
  });

  it('names the error URLs of an ad that has too many URLs, beside one that has not', async () => {
    const heavy = `<Ad><InLine><Error>e-heavy</Error>${urls(1_999)}</InLine></Ad>`;
    const { options } = web({ a: vast(heavy, found(1)) });
    const reading = service(leading('a', `<Error>e-w</Error>${METADATA}`));
    const { ads, deadEnds } = await resolveWrappers(reading, options);
    expect(ads).toHaveLength(1);
    expect(deadEnds).toEqual([{ errorCode: 300, errorUrls: ['e-heavy', 'e-w'] }]);
  });

  it('is limited in bytes per wrapper and per answer; other ads stay', async () => {
    const long = urls(1, 'u'.repeat(31_000));
    // The first wrapper has 6 MB behind it, each other one 3 MB.
    const { options } = web({ heavy: vast(found(0).repeat(200)), light: vast(found(0).repeat(100)) });
    const light = Array.from({ length: 14 }, () => leading('light', long + METADATA));
    const alone = `<Ad><InLine>${METADATA}</InLine></Ad>`;
    const { ads, rejected } = await resolveWrappers(
      service(leading('heavy', `${long}<Error>e-heavy</Error>${METADATA}`), ...light, alone),
      { ...options, concurrency: 1 },
    );
    expect(ads).toHaveLength(10 * 100 + 1);
    expect(rejected[0]).toMatchObject({ errorUrls: ['e-heavy'], errorCode: 300 });
    expect(rejected.map(({ number, detail }) => [number, detail])).toEqual([
      [1, 'more than 4194304 bytes of ads behind one wrapper'],
      ...[12, 13, 14, 15].map((number) => [
        number,
        'more than 33554432 bytes of ads behind the wrappers of one answer',
      ]),
    ]);
  });
});
