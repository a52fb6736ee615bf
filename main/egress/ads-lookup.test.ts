import { describe, expect, test } from 'vitest';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { realHttp } from '../service/testing/local-server';
import { shared } from '../turns';
import { createAdsLookup, createWebLookup, WEB_LOOKUP_MS } from './ads-lookup';
import { boundedLookup } from './bounded-lookup';
import type { Lookup } from './checked-target';
import { operatorHosts } from './hosts';
import { nameServer } from './testing/name-server';
import { lookupOf } from './testing/watched-servers';

const { schedule } = realHttp;
const PUBLIC = [{ address: '1.1.1.1', family: 4 }];
const isSlow = (name: string) => name.endsWith('slow.example');

describe('names on the web', () => {
  test('are resolved while a hundred others get no answer, and those fail at the deadline', async () => {
    await using server = await nameServer((name) => (isSlow(name) ? undefined : '1.1.1.1'));
    const time = handTurnedTime();
    const lookup = createWebLookup({ schedule: time.schedule, servers: [server.address] });
    const silent = Array.from({ length: 100 }, (_, index) => lookup(`${index}.slow.example`));
    const ended = Promise.allSettled(silent);
    await expect.poll(() => new Set(server.asked).size).toBe(100);
    // No deadline has come yet.
    expect(await lookup('cdn.example')).toEqual(PUBLIC);
    await time.advance(WEB_LOOKUP_MS);
    const codes = (await ended).map((each) => (each.status === 'rejected' ? each.reason.code : 'answered'));
    expect(new Set(codes)).toEqual(new Set(['ETIMEOUT']));
  });

  test('wait a quarter of a second for IPv6 addresses once those of IPv4 are there', async () => {
    await using server = await nameServer((_name, family) => (family === 4 ? '1.1.1.1' : undefined));
    const time = handTurnedTime();
    const found = createWebLookup({ schedule: time.schedule, servers: [server.address] })('cdn.example');
    await expect.poll(() => time.waits()).toContain(250);
    await time.advance(250);
    expect(await found).toEqual(PUBLIC);
    expect(time.waits()).toEqual([]);
  });

  test('give all addresses that come in time, because those are checked and connected to (rule 22)', async () => {
    const v6 = '2606:4700:4700:0:0:0:0:1111';
    await using server = await nameServer((_name, family) => (family === 4 ? '1.1.1.1' : v6));
    const lookup = createWebLookup({ schedule: handTurnedTime().schedule, servers: [server.address] });
    expect(await lookup('cdn.example')).toEqual([...PUBLIC, { address: '2606:4700:4700::1111', family: 6 }]);
  });

  test('wait for IPv6 addresses to the deadline where there are none of IPv4', async () => {
    await using server = await nameServer((_name, family) => (family === 4 ? '::' : undefined));
    const time = handTurnedTime();
    const lookup = createWebLookup({ schedule: time.schedule, servers: [server.address] });
    const code = lookup('cdn.example').catch(({ code }) => code);
    await expect.poll(() => server.asked.length).toBeGreaterThan(1);
    await time.advance(WEB_LOOKUP_MS - 1);
    expect(time.waits()).toEqual([1]);
    await time.advance(1);
    expect(await code).toBe('ETIMEOUT');
  });

  test('use no thread that look-ups of the service and file reads need', async () => {
    await using server = await nameServer(() => undefined);
    const time = handTurnedTime();
    const lookup = createWebLookup({ schedule: time.schedule, servers: [server.address] });
    const silent = Promise.allSettled(
      Array.from({ length: 50 }, (_, index) => lookup(`${index}.slow.example`)),
    );
    await expect.poll(() => new Set(server.asked).size).toBe(50);
    expect(process.getActiveResourcesInfo()).not.toContain('GetAddrInfoReqWrap');
    await time.advance(WEB_LOOKUP_MS);
    await silent;
  });

  test('fail at once if they do not exist or no name server listens, each with its own code', async () => {
    let address = '';
    {
      await using server = await nameServer(() => null);
      address = server.address;
      const lookup = createWebLookup({ schedule, servers: [address] });
      await expect(lookup('gone.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    }
    const lookup = createWebLookup({ schedule, servers: [address] });
    await expect(lookup('gone.example')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('wait while too many look-ups run, and fail with EBUSY if none ends in time', async () => {
    await using server = await nameServer((name) => (isSlow(name) ? undefined : '1.1.1.1'));
    const time = handTurnedTime();
    const lookup = createWebLookup({ schedule: time.schedule, servers: [server.address], mostAtOnce: 1 });
    const slow = lookup('slow.example').catch(({ code }) => code);
    const behind = lookup('cdn.example').catch(({ code }) => code);
    await expect.poll(() => server.asked.length).toBeGreaterThan(0);
    await time.advance(WEB_LOOKUP_MS);
    expect(await slow).toBe('ETIMEOUT');
    expect(await behind).toEqual('EBUSY');
    expect(server.asked).not.toContain('cdn.example');
    expect(await lookup('cdn.example')).toEqual(PUBLIC);
  });
});

describe('the look-up of a name in an ad', () => {
  const hosts = operatorHosts(
    ['https://Ads.Example/v1', 'http://[FD00::1]:80/'],
    ['nas.store.example', 'Box.Store.example:8080'],
  );

  test('the system resolves the hosts of the operator, the web look-up all others', async () => {
    const names = {
      'ads.example': ['1.1.1.1'],
      'nas.store.example': ['10.0.0.1'],
      'box.store.example': ['10.0.0.2'],
    };
    const system = lookupOf(names);
    const web = lookupOf({ 'cdn.example': ['1.1.1.1'] });
    const lookup = createAdsLookup({ operatorHosts: hosts, system, web, schedule });
    for (const name of ['ads.example', 'nas.store.example.', 'box.store.example', 'cdn.example'])
      await lookup(name);
    await lookup('x.ads.example').catch(() => {});
    expect(system.asked).toEqual(['ads.example', 'nas.store.example.', 'box.store.example']);
    expect(web.asked).toEqual(['cdn.example', 'x.ads.example']);
  });

  test('a host of the operator without an answer uses one thread, however often ads name it', async () => {
    const time = handTurnedTime();
    const asked: string[] = [];
    const system: Lookup = (name) => {
      asked.push(name);
      return new Promise(() => {});
    };
    const lookup = createAdsLookup({ operatorHosts: hosts, system, web: system, schedule: time.schedule });
    for (let index = 0; index < 50; index += 1) void lookup('nas.store.example');
    const other = expect(lookup('box.store.example')).rejects.toMatchObject({ code: 'EBUSY' });
    await time.advance(3_000);
    await other;
    expect(asked).toEqual(['nas.store.example']);
  });
});

test('look-ups above the limit wait and start in order, even after errors', async () => {
  const held: Array<{ name: string; end: () => void }> = [];
  const slow: Lookup = (name) =>
    new Promise((answer, fail) =>
      held.push({ name, end: () => (name < 'c' ? fail(new Error(name)) : answer([])) }),
    );
  const lookup = boundedLookup(slow, { mostAtOnce: 2, waitMs: 60_000, schedule });
  const all = Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((name) => lookup(name)));
  for (let ended = 0; ended < 5; ended += 1) {
    await expect.poll(() => held.length).toBe(Math.min(5, ended + 2));
    held[ended]?.end();
  }
  await all;
  expect(held.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('a name is looked up once at a time, and again afterwards', async () => {
  const names = lookupOf({ 'a.example': ['1.1.1.1'] });
  const lookup = shared(names);
  await Promise.all([lookup('a.example'), lookup('a.example')]);
  await lookup('a.example');
  expect(names.asked).toHaveLength(2);
});
