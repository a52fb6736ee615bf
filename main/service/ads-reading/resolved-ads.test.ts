import { expect, it } from 'vitest';
import { readInPlace as reading } from '../../reading/testing/read-in-place';
import { handTurnedTime } from '../testing/hand-turned-time';
import { readResolvedAds } from './resolved-ads';
import type { VastOptions } from './vast-document';

const EXTENSION =
  '<Extensions><Extension type="service-metadata">{"request_id":"r"}</Extension></Extensions>';
const options = {
  reading,
  leftMs: 120_000,
  wrappers: {
    readDocument: (text: string, how: VastOptions) => reading.read('vast', text, how),
    schedule: () => () => {},
    fetchDocument: async () => ({
      kind: 'document' as const,
      text: '<VAST><Ad><InLine><Impression>inner</Impression></InLine></Ad></VAST>',
    }),
  },
};

it('reads a response and follows its wrappers', async () => {
  const wrapper = `<Wrapper><VASTAdTagURI>https://ads.example/</VASTAdTagURI><Impression>outer</Impression>${EXTENSION}</Wrapper>`;
  const document = `<VAST><Ad id="w">${wrapper}</Ad><Ad id="i"><InLine>${EXTENSION}</InLine></Ad></VAST>`;
  expect(await readResolvedAds(document, options)).toMatchObject({
    kind: 'ads',
    ads: [
      { id: 'w', impressions: ['inner', 'outer'] },
      { id: 'i', impressions: [] },
    ],
    rejected: [],
  });
});

it('follows no wrapper of a document that cannot be read', async () => {
  expect(await readResolvedAds('<VAST>', options)).toMatchObject({
    kind: 'unreadable',
    code: 'malformed-xml',
  });
});

const wrapping = (id: string, to: string, host = 'ads.example') =>
  `<Ad id="${id}"><Wrapper><VASTAdTagURI>https://${host}/${to}</VASTAdTagURI><Error>e-${id}</Error>${EXTENSION}</Wrapper></Ad>`;

it('keeps the ads of wrappers that resolve within the time of the answer, and rejects the others', async () => {
  const { schedule, advance } = handTurnedTime();
  const asked: string[] = [];
  const fetchDocument = async (url: string) => {
    asked.push(url);
    return url.endsWith('good') ? options.wrappers.fetchDocument() : await new Promise<never>(() => {});
  };
  const silent = Array.from({ length: 1_000 }, (_, n) => wrapping(`${n}`, 'silent', `${n}.example`));
  const document = `<VAST>${wrapping('good', 'good')}${silent.join('')}</VAST>`;
  let read: unknown = null;
  const wrappers = { ...options.wrappers, schedule, fetchDocument };
  void readResolvedAds(document, { reading, wrappers, leftMs: 25_000 }).then((result) => {
    read = result;
  });
  await expect.poll(() => asked.length).toBe(5);
  await advance(24_999);
  expect(read).toBeNull();
  await advance(1);
  await expect.poll(() => read).not.toBeNull();
  expect(read).toMatchObject({ kind: 'ads', ads: [{ id: 'good' }], rejected: { length: 1_000 } });
  // Ten seconds for each document: four at once, three times, and one more.
  expect(asked).toHaveLength(13);
  const late = {
    code: 'wrapper-unresolved',
    detail: 'the time of the whole answer was over',
    errorCode: 301,
  };
  expect(read).toHaveProperty('rejected.999', expect.objectContaining({ ...late, errorUrls: ['e-999'] }));
});

it('requests no more of a server whose documents time out twice in a row, and those of all others', async () => {
  const { schedule, advance } = handTurnedTime();
  const asked: string[] = [];
  const fetchDocument = async (url: string) => {
    asked.push(new URL(url).host);
    return url.includes('hang') ? await new Promise<never>(() => {}) : options.wrappers.fetchDocument();
  };
  const hanging = Array.from({ length: 50 }, (_, n) => wrapping(`h${n}`, `${n}`, 'hang.example'));
  const good = Array.from({ length: 20 }, (_, n) => wrapping(`g${n}`, `${n}`, 'good.example'));
  const wrappers = { ...options.wrappers, schedule, fetchDocument };
  const document = `<VAST>${[...hanging, ...good].join('')}</VAST>`;
  let read: unknown = null;
  void readResolvedAds(document, { ...options, wrappers }).then((result) => {
    read = result;
  });
  await expect.poll(() => asked.length).toBe(4);
  await expect
    .poll(async () => {
      await advance(10_000);
      return read;
    })
    .not.toBeNull();
  const rejected = Array.from({ length: 50 }, (_, n) => ({ errorCode: 301, errorUrls: [`e-h${n}`] }));
  expect(read).toMatchObject({ ads: { length: 20 }, rejected });
  // Four at once, and one more where the first of them timed out before the second.
  expect(asked.filter((host) => host === 'hang.example').length).toBeLessThanOrEqual(5);
});

it('requests all documents of a server that answers between two time-outs', async () => {
  const { schedule, advance } = handTurnedTime();
  const asked: string[] = [];
  const fetchDocument = async (url: string) => {
    asked.push(url.slice(-1));
    return url.endsWith('/s') ? await new Promise<never>(() => {}) : options.wrappers.fetchDocument();
  };
  const ads = [...'sgsgsg'].map((to, n) => wrapping(`${n}`, to));
  const wrappers = { ...options.wrappers, schedule, fetchDocument, concurrency: 1 };
  const resolving = readResolvedAds(`<VAST>${ads.join('')}</VAST>`, { ...options, wrappers });
  for (const count of [1, 3, 5]) {
    await expect.poll(() => asked.length).toBe(count);
    await advance(10_000);
  }
  expect(await resolving).toMatchObject({ ads: { length: 3 }, rejected: { length: 3 } });
  expect(asked.join('')).toBe('sgsgsg');
});

it('follows no wrapper when the time of the answer is over', async () => {
  const { schedule, advance } = handTurnedTime();
  const asked: string[] = [];
  const fetchDocument = async (url: string) => {
    asked.push(url);
    return await new Promise<never>(() => {});
  };
  const wrappers = { ...options.wrappers, schedule, fetchDocument };
  const resolving = readResolvedAds(`<VAST>${wrapping('w', 'silent')}</VAST>`, {
    reading,
    wrappers,
    leftMs: -1,
  });
  await advance(0);
  expect(await resolving).toMatchObject({ ads: [], rejected: [{ errorCode: 301 }] });
});

it('rejects a wrapper whose document is not read in time', async () => {
  const { schedule, advance } = handTurnedTime();
  let isWaiting = false;
  const readDocument = () => {
    isWaiting = true;
    return new Promise<never>(() => {});
  };
  const wrappers = { ...options.wrappers, schedule, readDocument };
  const resolving = readResolvedAds(`<VAST>${wrapping('w', 'good')}</VAST>`, { ...options, wrappers });
  await expect.poll(() => isWaiting).toBe(true);
  await advance(120_000);
  expect(await resolving).toMatchObject({ ads: [], rejected: [{ errorCode: 301, errorUrls: ['e-w'] }] });
});
