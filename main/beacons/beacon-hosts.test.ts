import { describe, expect, it } from 'vitest';
import { type Log, silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { type BeaconHosts, createBeaconHosts } from './beacon-hosts';
import type { SendResult } from './delivery-policy';

const unreachable: SendResult = { kind: 'not-sent', code: 'name' };
const accepted: SendResult = { kind: 'answered', status: 204, retryAfterMs: null, redirected: false };

function world(log: Log = silentLog) {
  const time = handTurnedTime();
  return { time, hosts: createBeaconHosts(time.clock, () => 0.5, log) };
}

/** How many of the first hosts that a test names by number are known to fail. */
const knownToFail = (hosts: BeaconHosts, named: number) =>
  Array.from({ length: named }, (_, index) => hosts.answers(`http://${index}.example`)).filter(
    (answers) => !answers,
  ).length;

describe('hosts that fail', () => {
  it('are forgotten a minute after their pause where nothing waits for them', async () => {
    const { time, hosts } = world();
    for (let index = 0; index < 500; index += 1) hosts.begin(`http://${index}.example`)(unreachable);
    hosts.begin('http://waits.example')(unreachable);
    hosts.awaits('http://waits.example', time.clock.now());
    const ended = hosts.begin('http://under-way.example');
    expect(knownToFail(hosts, 500)).toBe(500);
    await time.advance(63_000);
    hosts.wait();
    expect(knownToFail(hosts, 500)).toBe(0);
    ended(unreachable);
    expect(hosts.answers('http://under-way.example')).toBe(false);
    expect(hosts.next()).toBe('http://waits.example');
  });

  it('are limited in memory, even during their pause, and other hosts stay usable', () => {
    const { time, hosts } = world();
    for (let index = 0; index < 20_000; index += 1) hosts.begin(`http://${index}.example`)(unreachable);
    hosts.wait();
    expect(knownToFail(hosts, 20_000)).toBe(2_000);
    hosts.awaits('http://good.example', time.clock.now());
    expect(hosts.next()).toBe('http://good.example');
  });

  it('are limited even if beacons wait for them', () => {
    const { time, hosts } = world();
    hosts.awaits('http://good.example', time.clock.now());
    hosts.begin('http://good.example')(accepted);
    for (let index = 0; index < 2_500; index += 1) {
      hosts.begin(`http://${index}.example`)(unreachable);
      hosts.awaits(`http://${index}.example`, time.clock.now());
    }
    expect(knownToFail(hosts, 2_500)).toBe(1_999);
    expect(hosts.next()).toBe('http://good.example');
  });

  it('are known to fail, even if many others came while they were tried', () => {
    const { time, hosts } = world();
    const ended = hosts.begin('http://slow.example');
    for (let index = 0; index < 2_000; index += 1) hosts.awaits(`http://${index}.example`, time.clock.now());
    ended(unreachable);
    expect(hosts.answers('http://slow.example')).toBe(false);
  });

  it('leave enough tries to a host that answers, however many they are', async () => {
    const { time, hosts } = world();
    for (let index = 0; index < 400; index += 1) hosts.awaits(`http://${index}.example`, time.clock.now());
    await time.advance(1);
    hosts.awaits('http://good.example', time.clock.now());
    let good = 0;
    for (let tries = 0; tries < 1_000; tries += 1) {
      const host = hosts.next();
      if (host !== null) hosts.begin(host)(host.includes('good') ? accepted : unreachable);
      if (host?.includes('good')) good += 1;
      await time.advance(200);
    }
    expect(good).toBeGreaterThan(250);
  });

  it('are all tried in turn, so that a recovered host is found', async () => {
    const { time, hosts } = world();
    const tried = new Set<string>();
    for (let index = 0; index < 400; index += 1) hosts.awaits(`http://${index}.example`, time.clock.now());
    for (let tries = 0; tries < 800; tries += 1) {
      const host = hosts.next();
      if (host === null) throw new Error('a host is due');
      tried.add(host);
      hosts.begin(host)(unreachable);
      await time.advance(200);
    }
    expect(tried.size).toBe(400);
  });
});

describe('a host that answered before and fails once', () => {
  it('is tried again within a minute, however many never answered and take 20 s each; so are all in turn', async () => {
    const { time, hosts } = world();
    const timeout: SendResult = { kind: 'not-sent', code: 'connection' };
    const silent = Array.from({ length: 200 }, (_, index) => `http://${index}.example`);
    const tryNext = async () => {
      const name = hosts.next();
      if (name === null) return time.advance(1_000).then(() => null);
      const drained = hosts.beginDrain(name);
      const ended = hosts.begin(name);
      const isGood = /good|known/.test(name);
      if (!isGood) await time.advance(20_000);
      ended(isGood ? accepted : timeout);
      drained();
      hosts.awaits(name, time.clock.now());
      return name;
    };
    for (const name of silent) hosts.awaits(name, time.clock.now());
    for (let tries = 0; tries < silent.length; tries += 1) await tryNext();
    hosts.begin('http://good.example')(accepted);
    await time.advance(120_000);
    hosts.wait();
    hosts.begin('http://good.example')(unreachable);
    hosts.awaits('http://good.example', time.clock.now());
    const since = time.clock.monotonic();
    while ((await tryNext()) !== 'http://good.example')
      expect(time.clock.monotonic() - since).toBeLessThan(60_000);
    // So do others that fail all together, as after an outage, one after the other.
    const known = Array.from({ length: 30 }, (_, index) => `http://known-${index}.example`);
    for (const name of known) hosts.begin(name)(accepted);
    for (const name of known) {
      hosts.begin(name)(unreachable);
      hosts.awaits(name, time.clock.now());
    }
    const outage = time.clock.monotonic();
    while (known.some((name) => !hosts.answers(name))) {
      await tryNext();
      expect(time.clock.monotonic() - outage).toBeLessThan(60_000);
    }
    // Those that never answered have their turn all the same.
    const later = new Set<string | null>();
    for (let tries = 0; tries < 800; tries += 1) later.add(await tryNext());
    expect([...later].filter((name) => name !== null)).toHaveLength(silent.length + known.length + 1);
  });
});

describe('a host that answers with errors', () => {
  const error: SendResult = { kind: 'answered', status: 500, retryAfterMs: null, redirected: false };
  const [bad, good] = ['http://bad.example', 'http://good.example'];

  /** How many stored beacons each host gets in this time while it answers so, if one always waits for each. */
  function drained(
    { time, hosts }: ReturnType<typeof world>,
    ms: number,
    answers: Record<string, SendResult>,
  ) {
    const counts: Record<string, number> = {};
    for (const name of Object.keys(answers)) hosts.awaits(name, time.clock.now());
    for (let passed = 0; passed < ms; passed += 200) {
      const name = hosts.next();
      const result = answers[name ?? ''];
      if (name !== null && result) {
        counts[name] = (counts[name] ?? 0) + 1;
        const ended = hosts.beginDrain(name);
        hosts.begin(name)(result);
        hosts.awaits(name, time.clock.now());
        ended();
      }
      time.pass(200);
    }
    return counts;
  }

  it('gets a stored beacon every 10 s after ten minutes, live ones at once, and delays no other host', () => {
    const { time, hosts } = world();
    const answers = { [bad]: error, [good]: accepted };
    expect(drained({ time, hosts }, 10 * 60_000, answers)[bad]).toBeGreaterThan(1_000);
    let stored = 0;
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      // A live one of the other host changes nothing.
      for (const [name, result] of Object.entries(answers)) {
        expect(hosts.answers(name)).toBe(true);
        hosts.begin(name)(result);
      }
      const counts = drained({ time, hosts }, 60_000, answers);
      stored += counts[bad] ?? 0;
      expect(counts[good]).toBeGreaterThan(285);
    }
    expect(stored).toBeGreaterThan(23 * 360);
    expect(stored).toBeLessThan(25 * 360);
  });

  it.each<[string, SendResult]>([
    ['a timeout of its own', { ...error, status: 408 }],
    ['busy, behind a redirect', { ...error, status: 503, redirected: true }],
    ['no name, behind a redirect', { kind: 'unknown', code: 'name' }],
  ])('does so with any error with which a beacon may be tried again: %s', (_case, result) => {
    const { time, hosts } = world();
    drained({ time, hosts }, 11 * 60_000, { [bad]: result });
    expect(drained({ time, hosts }, 10 * 60_000, { [bad]: result })[bad]).toBe(60);
  });

  it.each<[string, SendResult]>([
    ['takes a beacon', accepted],
    ['refuses one for good', { ...error, status: 404 }],
  ])('gets stored ones at once when it %s, which may be of another ad', (_case, result) => {
    const { time, hosts } = world();
    drained({ time, hosts }, 24 * 3_600_000, { [bad]: error });
    hosts.begin(bad)(result);
    expect(drained({ time, hosts }, 10_000, { [bad]: error })[bad]).toBe(50);
  });
});

describe('a host to which a stored beacon is under way', () => {
  it('gets the next one after it, even if the books take long to say which', () => {
    const { time, hosts } = world();
    hosts.awaits('http://ads.example', time.clock.now());
    const ended = hosts.beginDrain('http://ads.example');
    hosts.wait();
    hosts.awaits('http://ads.example', time.clock.now());
    expect(hosts.next()).toBeNull();
    ended();
    expect(hosts.next()).toBe('http://ads.example');
  });
});

describe('a host that asks to wait', () => {
  it('gets nothing meanwhile, even if it then accepts beacons that were under way', async () => {
    const { time, hosts } = world();
    const host = 'http://busy.example';
    const [first, second] = [hosts.begin(host), hosts.begin(host)];
    hosts.awaits(host, time.clock.now());
    await time.advance(1);
    first({ kind: 'answered', status: 429, retryAfterMs: 60_000, redirected: false });
    second(accepted);
    expect(hosts.answers(host)).toBe(false);
    await time.advance(59_000);
    expect(hosts.next()).toBeNull();
    await time.advance(7_000);
    expect(hosts.next()).toBe(host);
    hosts.begin(host)(accepted);
    expect(hosts.answers(host)).toBe(true);
  });

  it('and takes the next one, again and again, leaves room for other lines in the log', () => {
    const lines: string[] = [];
    const write = (line: string) => void lines.push(line);
    const { time, hosts } = world({ ...silentLog, info: write, warn: write });
    for (let second = 0; second < 3_600; second += 1) {
      const status = second % 2 === 0 ? 429 : 204;
      hosts.begin('http://busy.example')({ kind: 'answered', status, retryAfterMs: null, redirected: false });
      time.pass(1_000);
    }
    expect(new Set(lines).size).toBe(2);
    expect(lines.length).toBeGreaterThanOrEqual(2 * 20);
    expect(lines.length).toBeLessThanOrEqual(2 * 40);
  });
});
