import type { NetworkInterfaceInfo } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import { timers } from '../schedule';
import { createAdFetch } from './ad-fetch';
import { createEgressPolicy } from './egress-policy';
import { startEgressProxy } from './egress-proxy';
import { ownAddresses, ownNetworks } from './own-networks';
import { sendRawRequest } from './testing/raw-request';
import { lookupOf, watchedServer } from './testing/watched-servers';

/** An entry of `os.networkInterfaces()`; `bits` null: without a valid mask. */
function onInterface(address: string, bits: number | null): NetworkInterfaceInfo {
  const rest = {
    address,
    netmask: 'unused',
    mac: '02:00:00:00:00:01',
    internal: false,
    cidr: bits === null ? null : `${address}/${bits}`,
  };
  return address.includes(':') ? { ...rest, family: 'IPv6', scopeid: 0 } : { ...rest, family: 'IPv4' };
}
const machine = (...addresses: [address: string, bits: number | null][]) => ({
  eth0: addresses.map(([address, bits]) => onInterface(address, bits)),
});

describe('the addresses of this machine', () => {
  test('are those of its networks, without loopback', () => {
    const lo = [{ ...onInterface('127.0.0.1', 8), internal: true }];
    const eth0 = [onInterface('8.8.8.8', 24), onInterface('2001:db8::8', 64)];
    expect(ownAddresses(() => ({ lo, eth0, eth1: undefined }))).toEqual(['8.8.8.8', '2001:db8::8']);
  });

  test('are unknown, without an error, while the system does not tell them', () => {
    const fails = () => {
      throw new Error(
        'A system error occurred: uv_interface_addresses returned EMFILE (too many open files)',
      );
    };
    expect(ownAddresses(fails)).toEqual([]);
  });
});

describe('an address of this machine or its networks', () => {
  test.each<[string, [string, number | null], address: string, boolean]>([
    ['its own v4', ['8.8.8.8', 32], '8.8.8.8', true],
    ['the neighbour of an address alone', ['8.8.8.8', 32], '8.8.8.9', false],
    ['on its v4 network', ['8.8.8.8', 24], '8.8.8.1', true],
    ['the broadcast of its v4 network', ['8.8.8.8', 24], '8.8.8.255', true],
    ['beside its v4 network', ['8.8.8.8', 24], '8.8.9.1', false],
    ['on the largest v4 network', ['8.8.8.8', 16], '8.8.200.1', true],
    ['on too large a v4 network', ['8.8.8.8', 15], '8.8.8.9', false],
    ['its own v4 on too large a network', ['8.8.8.8', 15], '8.8.8.8', true],
    ['its own v4, mapped', ['8.8.8.8', 24], '::ffff:8.8.8.8', true],
    ['its own v4, mapped in hex', ['8.8.8.8', 24], '::ffff:808:801', true],
    ['its own v4 behind NAT64', ['8.8.8.8', 24], '64:ff9b::8.8.8.1', true],
    ['beside its v4 network, behind NAT64', ['8.8.8.8', 24], '64:ff9b::8.8.9.1', false],
    ['its own v4 without a network', ['8.8.8.8', null], '8.8.8.8', true],
    ['beside its v4 without a network', ['8.8.8.8', null], '8.8.8.9', false],
    ['its own v6', ['2a00:1:2:3::7', 64], '2a00:1:2:3::7', true],
    ['its own v6, written out', ['2a00:1:2:3::7', 64], '2a00:0001:0002:0003:0:0:0:7', true],
    ['on its v6 network', ['2a00:1:2:3::7', 64], '2a00:1:2:3:ffff::1', true],
    ['beside its v6 network', ['2a00:1:2:3::7', 64], '2a00:1:2:4::7', false],
    ['on the largest v6 network', ['2a00:1:2:3::7', 48], '2a00:1:2:ffff::1', true],
    ['on too large a v6 network', ['2a00:1:2:3::7', 47], '2a00:1:2:3::8', false],
    ['its own v6 on too large a network', ['2a00:1:2:3::7', 47], '2a00:1:2:3::7', true],
    ['beside an address of DHCPv6', ['2a00:1:2:3::7', 128], '2a00:1:2:3::1', true],
    ['its own v6 without a network', ['2a00:1:2:3::7', null], '2a00:1:2:3::7', true],
    ['mapped, on a machine with ::1', ['::1', 128], '::ffff:8.8.8.8', false],
    ['anything public, on a machine with a private address', ['10.0.0.1', 8], '11.0.0.1', false],
  ])('%s', (_what, own, address, expected) => {
    expect(ownNetworks(machine(own))(address)).toBe(expected);
  });

  test('every address is judged by its first bits, as in the oracle', () => {
    const written = (address: bigint, length: number) => address.toString(2).padStart(length, '0');
    const v4 = (address: bigint) => [24n, 16n, 8n, 0n].map((by) => (address >> by) & 255n).join('.');
    const v6 = (address: bigint) =>
      Array.from({ length: 8 }, (_none, part) =>
        ((address >> BigInt(112 - 16 * part)) & 0xffffn).toString(16),
      ).join(':');
    const kind = fc.constantFrom(
      { length: 32, text: v4, shortest: 16, longest: 32, from: 0x08000000n, free: 24n },
      { length: 128, text: v6, shortest: 48, longest: 64, from: 0x2a00n << 112n, free: 112n },
    );
    fc.assert(
      fc.property(
        kind,
        fc.bigInt({ min: 0n, max: (1n << 112n) - 1n }),
        fc.nat(),
        fc.nat(),
        ({ length, text, shortest, longest, from, free }, rest, stated, flip) => {
          const own = from + (rest & ((1n << free) - 1n));
          const bits = stated % (length + 1);
          const other = own ^ (1n << BigInt(flip % Number(free)));
          const counted = bits < shortest ? length : Math.min(bits, longest);
          const expected =
            written(own, length).slice(0, counted) === written(other, length).slice(0, counted);
          const isOwn = ownNetworks(machine([text(own), bits]));
          expect([isOwn(text(own)), isOwn(text(other))]).toEqual([true, expected]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("an ad cannot reach the store's own public network", () => {
  const interfaces = () => machine(['8.8.8.8', 24], ['2a00:1:2:3::7', 64]);
  const lookup = lookupOf({
    'own.example': ['8.8.8.8'],
    'beside.example': ['8.8.8.1'],
    'own6.example': ['2a00:1:2:3::1'],
    'mixed.example': ['1.1.1.1', '8.8.8.200'],
    'allowed.example': ['127.0.0.1'],
  });
  const HOSTS = [
    ...['8.8.8.8', '8.8.8.1', '134744072', '0x8.0x8.0x8.1', '[::ffff:8.8.8.1]', '[64:ff9b::808:801]'],
    ...['[2a00:1:2:3::7]', '[2a00:1:2:3::1]', 'own.example', 'beside.example', 'own6.example'],
    'mixed.example',
  ];

  async function world() {
    const redirecting = await watchedServer((request, response) => {
      const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
      response.writeHead(302, { location: to ?? '' }).end();
    });
    const opened: unknown[] = [];
    const allowed = `allowed.example:${redirecting.port}`;
    const egressPolicy = createEgressPolicy({
      serviceUrls: [],
      allowPrivateHosts: [allowed],
      lookup,
      interfaces,
    });
    const { openConnection } = await import('./open-connection');
    const parts = {
      egressPolicy,
      schedule: timers,
      log: silentLog,
      openConnection: ((target, secure, signal) => {
        if (target.hostname === 'allowed.example') return openConnection(target, secure, signal);
        opened.push(target);
        return Promise.reject(new Error('opened'));
      }) satisfies typeof openConnection,
    };
    return { parts, opened, allowed, [Symbol.asyncDispose]: () => redirecting[Symbol.asyncDispose]() };
  }

  test.each(HOSTS)('%s, in a beacon, a file, a wrapper or a redirect', async (host) => {
    await using made = await world();
    for (const purpose of ['beacon', 'media', 'wrapper'] as const) {
      const fetch = createAdFetch({ ...made.parts, purpose });
      await expect(fetch(`http://${host}/`)).rejects.toMatchObject({ code: 'fenced', left: 'no' });
      await expect(fetch(`https://${host}:8443/`)).rejects.toMatchObject({ code: 'fenced' });
      const redirect = `http://${made.allowed}/?to=${encodeURIComponent(`http://${host}/`)}`;
      await expect(fetch(redirect)).rejects.toMatchObject({ code: 'fenced', left: 'maybe' });
    }
    expect(made.opened).toEqual([]);
  });

  test.each(HOSTS)('%s, from a page', async (host) => {
    await using made = await world();
    for (const purpose of ['guest', 'link'] as const) {
      const proxy = await startEgressProxy({ ...made.parts, purpose });
      const connect = `CONNECT ${host}:443 HTTP/1.1\r\nHost: ${host}:443\r\n\r\n`;
      expect(await sendRawRequest(proxy.port, connect)).toMatch(/^HTTP\/1\.1 403 /);
      const get = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await sendRawRequest(proxy.port, get)).toMatch(/^HTTP\/1\.1 403 /);
      await proxy.close();
    }
    expect(made.opened).toEqual([]);
  });

  test('a network that the machine joins while it runs counts at once', async () => {
    let networks = machine(['10.0.0.5', 24]);
    const egressPolicy = createEgressPolicy({
      serviceUrls: [],
      allowPrivateHosts: [],
      lookup,
      interfaces: () => networks,
    });
    const url = new URL('http://8.8.8.1/');
    expect(await egressPolicy.resolve(url, 'guest')).toMatchObject({ ok: true });
    networks = machine(['8.8.8.8', 24]);
    expect(await egressPolicy.resolve(url, 'guest')).toMatchObject({ ok: false, code: 'fenced' });
  });

  test('the host of the service and hosts named by the operator are allowed', async () => {
    const egressPolicy = createEgressPolicy({
      serviceUrls: ['https://8.8.8.1/v1'],
      allowPrivateHosts: ['own6.example'],
      lookup,
      interfaces,
    });
    const may = async (purpose: 'beacon' | 'guest', url: string) =>
      (await egressPolicy.resolve(new URL(url), purpose)).ok;
    expect(await may('beacon', 'https://8.8.8.1/i')).toBe(true);
    expect(await may('guest', 'https://8.8.8.1/i')).toBe(false);
    expect(await may('guest', 'https://own6.example/')).toBe(true);
  });

  test('no address is allowed while the system cannot list its networks', async () => {
    const egressPolicy = createEgressPolicy({
      serviceUrls: [],
      allowPrivateHosts: [],
      lookup,
      interfaces: () => {
        throw new Error('uv_interface_addresses');
      },
    });
    expect(await egressPolicy.resolve(new URL('http://1.1.1.1/'), 'beacon')).toMatchObject({
      ok: false,
      code: 'name',
    });
  });

  test('the networks of the real machine are read', async () => {
    const egressPolicy = createEgressPolicy({ serviceUrls: [], allowPrivateHosts: [], lookup });
    expect(await egressPolicy.resolve(new URL('http://1.1.1.1/'), 'beacon')).toMatchObject({ ok: true });
  });
});
