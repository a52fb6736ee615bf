import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { realHttp } from '../service/testing/local-server';
import { readSettings } from '../settings/testing/read-settings';
import type { Lookup } from './checked-target';
import { createEgress } from './egress';
import { noProxyRule } from './no-proxy';
import { lookupOf } from './testing/watched-servers';

function egressOf(network: object, lookup: Lookup = lookupOf({})) {
  const service = { baseUrl: 'https://ads.example', headers: { 'X-Retailer': 'acme' } };
  const read = readSettings({ service, ads: { authentication: 'none' }, network }, 'test');
  if (read.kind === 'error') throw new Error(read.message);
  return createEgress(read.settings, {
    lookup,
    webLookup: lookup,
    systemProxy: async () => 'DIRECT',
    schedule: realHttp.schedule,
    clock: realHttp.clock,
    userAgent: 'Endcap/test',
  });
}

test('the state names the proxy without its password, and counts each unchecked host once', async () => {
  const egress = egressOf({ proxy: 'http://kiosk:hush@[fd00::7]:3128' });
  for (const host of ['a.example', 'a.example', 'b.example'])
    expect(await egress.egressPolicy.resolve(new URL(`https://${host}/`), 'guest')).toMatchObject({
      addresses: [],
    });
  expect(egress.state()).toEqual({ proxy: 'http://[fd00::7]:3128', uncheckedHosts: 2, additionalCas: 0 });
  expect(inspect(egress, { depth: 9 })).not.toContain('hush');
  expect(egressOf({ proxy: 'system' }).state().proxy).toBe('system');
  expect(egressOf({}).state().proxy).toBeNull();
});

test("the service's client carries the headers of the settings", () => {
  const headers = egressOf({}).http().headers ?? [];
  expect(headers.map(({ name, value }) => [name, value.reveal()])).toEqual([['X-Retailer', 'acme']]);
});

test('a connection to a broker is given up in time although the look-up never answers', async () => {
  const open = egressOf({}, () => new Promise(() => {})).connectionsTo(null);
  const ending = new AbortController();
  const opened = open({ host: 'broker.example', port: 8883, isSecure: true, isHttp: false }, ending.signal);
  ending.abort(new DOMException('it took longer than 15000 ms', 'TimeoutError'));
  await expect(opened).rejects.toMatchObject({ name: 'SendError', code: 'timeout' });
});

test('the rule for hosts without the proxy equals a check entry by entry', () => {
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
])('with the exceptions 10.0.0.0/8 and fd00::/8, %s goes without the proxy: %s', (host, isDirect) => {
  expect(noProxyRule(['10.0.0.0/8', 'fd00::/8'])(new URL(`https://${host}/`))).toBe(isDirect);
});
