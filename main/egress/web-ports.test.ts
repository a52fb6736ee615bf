import { describe, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { timers } from '../schedule';
import { createAdFetch } from './ad-fetch';
import { createEgressPolicy, type EgressPurpose } from './egress-policy';
import { startEgressProxy } from './egress-proxy';
import { sendRawRequest } from './testing/raw-request';
import { lookupOf } from './testing/watched-servers';
import { isWebPort } from './web-ports';

const CLOSED = [
  ...[1, 7, 21, 22, 23, 25, 53, 79, 81, 110, 143, 389, 445, 465, 514, 587, 993, 1023],
  ...[
    1433, 2049, 2375, 3306, 3389, 4190, 5060, 5432, 5900, 6000, 6379, 6667, 9100, 9200, 10080, 11211, 27017,
  ],
];
const OPEN = [80, 443, 1024, 3000, 8000, 8080, 8081, 8443, 8888, 9443, 32_768, 65_535];

test.each(CLOSED)('port %i is not a web port', (port) => expect(isWebPort(port)).toBe(false));
test.each(OPEN)('port %i may serve the web', (port) => expect(isWebPort(port)).toBe(true));
test.each([0, -1, 65_536, 80.5, Number.NaN])('%d is no port', (port) => expect(isWebPort(port)).toBe(false));

test('every port that fetch refuses is refused here', async () => {
  const refused: number[] = [];
  for (const port of [...Array(11_000).keys()].slice(1)) {
    // `fetch` refuses a bad port before it calls the dispatcher, which sends nothing.
    const error: Error = await fetch(`http://127.0.0.1:${port}/`, sendsNothing).then(
      () => new Error('answered'),
      (thrown) => thrown.cause,
    );
    if (error.message === 'bad port') refused.push(port);
    else expect(error.message).toBe('sends nothing');
  }
  expect(refused).toContain(6667);
  expect(refused.filter(isWebPort)).toEqual([]);
});

/** Node's own option, which the types of browsers do not know. */
const sendsNothing: RequestInit = Object.assign(
  { redirect: 'error' as const },
  {
    dispatcher: {
      dispatch() {
        throw new Error('sends nothing');
      },
    },
  },
);

describe('ads reach public hosts at web ports only', () => {
  const lookup = lookupOf({ 'public.example': ['1.1.1.1'] });
  const opened: number[] = [];
  const parts = (allow: string[] = [], serviceUrls: string[] = []) => ({
    egressPolicy: createEgressPolicy({ serviceUrls, allowPrivateHosts: allow, lookup }),
    schedule: timers,
    log: silentLog,
    openConnection: ({ port }: { port: number }) => {
      opened.push(port);
      return Promise.reject(new Error('opened'));
    },
  });
  const fetched = (port: number, purpose: EgressPurpose, allow?: string[], serviceUrls?: string[]) =>
    createAdFetch({ ...parts(allow, serviceUrls), purpose })(`http://public.example:${port}/`).catch(
      ({ code }) => code,
    );

  test.each(CLOSED)('port %i is closed to a beacon, a file, a wrapper and a page', async (port) => {
    opened.length = 0;
    lookup.asked.length = 0;
    for (const purpose of ['beacon', 'media', 'wrapper'] as const) {
      expect(await fetched(port, purpose)).toBe('fenced');
    }
    const proxy = await startEgressProxy({ ...parts(), purpose: 'guest' });
    const authority = `public.example:${port}`;
    const connect = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
    expect(await sendRawRequest(proxy.port, connect)).toMatch(/^HTTP\/1\.1 403 /);
    const get = `GET http://${authority}/ HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`;
    expect(await sendRawRequest(proxy.port, get)).toMatch(/^HTTP\/1\.1 403 /);
    await proxy.close();
    expect(opened).toEqual([]);
    expect(lookup.asked).toEqual([]);
  });

  test('a web port is open', async () => {
    opened.length = 0;
    for (const port of OPEN) expect(await fetched(port, 'beacon')).toBe('connection');
    expect(opened).toEqual(OPEN);
  });

  test('a host named by the operator is open at any port, unless the operator named one', async () => {
    expect(await fetched(6379, 'beacon', ['public.example:6379'])).toBe('connection');
    expect(await fetched(6379, 'beacon', ['public.example'])).toBe('connection');
    expect(await fetched(22, 'beacon', ['public.example:6379'])).toBe('fenced');
    expect(await fetched(22, 'beacon', [], ['http://public.example:22'])).toBe('connection');
    expect(await fetched(22, 'link', [], ['http://public.example:22'])).toBe('fenced');
  });
});
