import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSettings } from '../settings/find-settings';
import { createEgress } from './egress';
import { boundedLookup } from './fence/bounded-lookup';
import { createFence, type Lookup } from './fence/fence';
import { noProxyRule } from './fence/no-proxy';
import { lookupOf } from './fence/testing/watched-servers';
import { handTurnedTime } from './testing/hand-turned-time';
import { realHttp } from './testing/local-server';

function egressOf(network: object) {
  const service = { baseUrl: 'https://ads.example', headers: { 'X-Retailer': 'acme' } };
  const read = readSettings({ service, ads: { authentication: 'none' }, network }, 'test');
  if (read.kind === 'fault') throw new Error(read.message);
  return createEgress(read.settings, {
    lookup: lookupOf({}),
    systemProxy: async () => 'DIRECT',
    schedule: realHttp.schedule,
    clock: realHttp.clock,
    userAgent: 'Endcap/test',
  });
}

test('the state names the proxy without its password, and each host that was not checked once', async () => {
  const egress = egressOf({ proxy: 'http://kiosk:hush@[fd00::7]:3128' });
  for (const host of ['a.example', 'a.example', 'b.example']) egress.behindProxy.onUnchecked(host);
  expect(egress.state()).toEqual({ proxy: 'http://[fd00::7]:3128', uncheckedHosts: 2, additionalCas: 0 });
  expect(inspect(egress, { depth: 9 })).not.toContain('hush');
  expect(egressOf({ proxy: 'system' }).state().proxy).toBe('system');
  expect(egressOf({}).state().proxy).toBeNull();
});

test("the service's client carries the headers of the settings", () => {
  const headers = egressOf({}).http().headers ?? [];
  expect(headers.map(({ name, value }) => [name, value.reveal()])).toEqual([['X-Retailer', 'acme']]);
});

test('a look-up that is not answered fails after 2 s, and the third at once, until one is', async () => {
  const time = handTurnedTime();
  const answers: Array<() => void> = [];
  const silent: Lookup = () =>
    new Promise((answer) => answers.push(() => answer([{ address: '1.1.1.1', family: 4 }])));
  const lookup = boundedLookup(silent, time.schedule, time.clock);
  const [first, second] = [lookup('a.example'), lookup('b.example')];
  const failed = Promise.all([
    expect(first).rejects.toMatchObject({ code: 'ETIMEOUT' }),
    expect(second).rejects.toMatchObject({ code: 'ETIMEOUT' }),
  ]);
  await time.advance(2_000);
  await failed;
  await expect(lookup('c.example')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(answers).toHaveLength(2);
  answers[0]?.();
  await time.settle();
  const third = lookup('c.example');
  answers[2]?.();
  expect(await third).toEqual([{ address: '1.1.1.1', family: 4 }]);
});

test('silent name servers do not switch the check of names off where DNS answers', async () => {
  const time = handTurnedTime();
  const lookup: Lookup = async (name) => {
    if (name.startsWith('silent')) return new Promise(() => {});
    if (name.startsWith('failing')) throw Object.assign(new Error(name), { code: 'EAI_AGAIN' });
    if (name.startsWith('unknown')) throw Object.assign(new Error(name), { code: 'ENOTFOUND' });
    return [{ address: name.startsWith('inside') ? '10.0.0.7' : '1.1.1.1', family: 4 }];
  };
  const unchecked: string[] = [];
  const proxy = { ok: true, hostname: 'proxy', port: 3128, credentials: null } as const;
  const fence = createFence({
    ...{ serviceUrls: [], allowPrivateHosts: [], lookup, interfaces: () => ({}) },
    behindProxy: {
      proxies: async () => ({ ...proxy, addresses: [{ address: '192.0.2.1', family: 4 }] }),
      lookup: boundedLookup(lookup, time.schedule, time.clock),
      onUnchecked: (name) => void unchecked.push(name),
    },
  });
  const resolve = async (host: string) => {
    const resolved = fence.resolve(new URL(`https://${host}/`), 'media');
    await time.settle();
    if (host.startsWith('silent')) await time.advance(2_000);
    const target = await resolved;
    return target.ok ? 'passes' : target.code;
  };
  // Where no DNS answers about the internet, only the proxy can tell.
  expect(await resolve('inside.example')).toBe('fenced');
  expect(await resolve('failing.example')).toBe('passes');
  expect(await resolve('public.example')).toBe('passes');
  expect(unchecked).toEqual(['failing.example']);
  // It has answered: silence is refused, and does not help any other name past the check.
  expect(await resolve('silent-1.example')).toBe('name');
  expect(await resolve('failing.example')).toBe('name');
  expect(await resolve('silent-2.example')).toBe('name');
  expect(await resolve('inside.example')).toBe('name');
  expect(unchecked).toEqual(['failing.example']);
  // It has not answered for long.
  await time.advance(10 * 60_000);
  expect(await resolve('late.example')).toBe('passes');
  expect(unchecked).toEqual(['failing.example', 'late.example']);
});

test('what goes without the proxy: the same as entry by entry', () => {
  const label = fc.constantFrom('a', 'b', 'store');
  const name = fc
    .array(label, { minLength: 1, maxLength: 3 })
    .map((labels) => [...labels, 'example'].join('.'));
  const port = fc.constantFrom('', ':80', ':8080');
  const entry = fc
    .tuple(fc.constantFrom('', '.', '*.'), name, port)
    .map(([dots, host, number]) => `${dots}${host}${number}`);
  /** Slow and obvious: an entry as a pattern of `host:port`. */
  const matches = (each: string, host: string, number: string) => {
    const [where = '', only = number] = each.split(':');
    if (only !== number) return false;
    return /^\*?\./.test(where) ? host.endsWith(where.replace(/^\*/, '')) : host === where;
  };
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 4 }), name, port, (entries, host, number) => {
      const isDirect = noProxyRule(entries)(new URL(`http://${host}${number}/`));
      const expected = entries.some((each) => matches(each, host, number.slice(1) || '80'));
      expect(isDirect).toBe(expected);
    }),
  );
});

test.each([
  ['10.1.2.3', true],
  ['11.1.2.3', false],
  ['[fd00::1]', true],
  ['ten.example', false],
  ['127.9.9.9', true],
  ['LOCALHOST.', true],
])('beside the networks 10.0.0.0/8 and fd00::/8, %s goes without the proxy: %s', (host, isDirect) => {
  expect(noProxyRule(['10.0.0.0/8', 'fd00::/8'])(new URL(`https://${host}/`))).toBe(isDirect);
});
