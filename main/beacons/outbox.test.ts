import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordsCommandsOn } from '../../renderer/records/commands';
import { createDecidedClock } from '../shell/decided-clock';
import type { SendResult } from './delivery-policy';
import { accepted, answered, type Life, type OutboxWorld, outboxWorld } from './testing/outbox-world';

let world: OutboxWorld;
beforeEach(() => {
  world = outboxWorld();
});
afterEach(() => world.end());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const unreachable: SendResult = { kind: 'not-sent', code: 'connection' };
const noAnswer: SendResult = { kind: 'unknown', code: 'timeout' };

/** A kiosk that has started and found no waiting beacons. */
async function start(eventTimeParam: string | null = 'ets', environment = 'store'): Promise<Life> {
  const life = world.live(eventTimeParam, environment);
  await life.outbox.open();
  await world.advance(3_000);
  return life;
}
const url = (name: string, host = 'ads.example') => `http://${host}/${name}`;
/** The requested URLs, without the query that contains the event time. */
const asked = () => world.sent.map(({ url }) => url.replace(/^http:\/\/|\?.*$/g, ''));
const taken = () =>
  world.sent
    .filter(({ result }) => result === accepted)
    .map(({ url }) => url.replace(/^http:\/\/|\?.*$/g, ''));
const states = async () => (await world.rows()).map(({ state }) => state);

describe('a live beacon', () => {
  it('is stored before it is tried', async () => {
    const { outbox } = await start();
    let storedFirst: string[] = [];
    world.answer = async () => {
      storedFirst = await states();
      return accepted;
    };
    outbox.fire('play', 'impression', [url('i')]);
    await world.quiet();
    expect(storedFirst).toEqual(['waiting']);
    await world.advance(2_000);
    expect(await states()).toEqual(['sent']);
    expect(outbox.counts()).toMatchObject({ sent: 1, pending: 0, failed: 0 });
  });

  it('is stored as sending before it is sent, if a repeat would count', async () => {
    const { outbox } = await start(null);
    let recorded: string[] = [];
    world.answer = async () => {
      recorded = await states();
      return accepted;
    };
    outbox.fire('play', 'impression', [url('i')]);
    await world.quiet();
    expect(recorded).toEqual(['sending']);
  });

  it('goes out with the time of its event, however late', async () => {
    const { outbox } = await start('ets');
    const at = new Date(world.time.clock.now()).toISOString();
    world.answer = () => unreachable;
    outbox.fire('play', 'impression', [`${url('i')}?t=[TIMESTAMP]`]);
    await world.advance(hour);
    world.answer = () => accepted;
    await world.advance(2 * minute);
    expect(world.sent.at(-1)?.url).toBe(
      `${url('i')}?t=${encodeURIComponent(at)}&ets=${encodeURIComponent(at)}`,
    );
  });

  it('is sent after the earlier beacons of its play', async () => {
    const { outbox } = await start();
    world.answer = async (address) => {
      if (address.includes('/impression')) for (let turn = 0; turn < 20; turn += 1) await world.time.settle();
      return accepted;
    };
    outbox.fire('play', 'impression', [url('impression')]);
    outbox.fire('play', 'start', [url('start')]);
    await world.quiet();
    for (const event of ['midpoint', 'complete']) outbox.fire('play', event, [url(event)]);
    await expect.poll(() => asked()).toHaveLength(4);
    expect(asked()).toEqual(['impression', 'start', 'midpoint', 'complete'].map((e) => `ads.example/${e}`));
  });

  it('is sent as often as the list holds it', async () => {
    const { outbox } = await start(null);
    outbox.fire('play', 'impression', [url('same'), url('same')]);
    await world.quiet();
    expect(asked()).toEqual(['ads.example/same', 'ads.example/same']);
  });

  it('does not wait behind a backlog', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    for (let play = 0; play < 60; play += 1) outbox.fire(`old-${play}`, 'impression', [url(`${play}`)]);
    await world.advance(minute);
    world.answer = () => accepted;
    while (taken().length === 0) await world.advance(1_000);
    outbox.fire('live', 'impression', [url('live')]);
    await world.quiet();
    expect(taken()).toContain('ads.example/live');
    expect(outbox.counts().pending).toBeGreaterThan(40);
  });

  it('waits behind an earlier one of its own play', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    for (let play = 0; play < 60; play += 1) outbox.fire(`old-${play}`, 'impression', [url(`${play}`)]);
    await world.quiet();
    outbox.fire('live', 'impression', [url('impression')]);
    for (let play = 0; play < 99; play += 1) outbox.fire(`new-${play}`, 'impression', [url('new')]);
    outbox.fire('live', 'start', [url('start')]);
    outbox.fire('last', 'impression', [url('new')]);
    await world.advance(minute);
    world.answer = () => accepted;
    while (taken().length === 0) await world.advance(1_000);
    outbox.fire('live', 'complete', [url('complete')]);
    await world.advance(minute);
    const live = ['ads.example/impression', 'ads.example/start', 'ads.example/complete'];
    expect(taken().filter((each) => live.includes(each))).toEqual(live);
  });
});

describe('an outage', () => {
  it.each([
    ['nobody answers the door', unreachable],
    ['answers stay away', noAnswer],
    ['everybody is asked to come back later', answered(503)],
  ])('in which %s: afterwards every beacon is delivered, oldest first', async (_case, failure) => {
    const { outbox } = await start('ets');
    world.answer = () => failure;
    const expected: string[] = [];
    for (let play = 0; play < 8; play += 1) {
      for (const event of ['impression', 'start', 'complete']) {
        outbox.fire(`play-${play}`, event, [url(`${play}/${event}`)]);
        expected.push(`ads.example/${play}/${event}`);
        await world.advance(500);
      }
    }
    world.answer = () => accepted;
    await world.advance(2 * minute);
    expect(taken()).toEqual(expected);
    expect(outbox.counts()).toMatchObject({ sent: 24, pending: 0, failed: 0, unknown: 0 });
  });

  it('causes occasional tries, not one per beacon', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    for (let index = 0; index < 500; index += 1) {
      outbox.fire(`play-${index}`, 'impression', [url(`${index}`)]);
      await world.advance(1_000);
    }
    expect(world.sent.length).toBeLessThan(25);
    expect(outbox.counts().pending).toBe(500);
  });

  it('causes no more tries if a single beacon waits', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    outbox.fire('play', 'impression', [url('i')]);
    await world.advance(20 * minute);
    expect(world.sent.length).toBeGreaterThan(15);
    expect(world.sent.length).toBeLessThan(40);
  });

  it('is followed by about five beacons per second, at most two at once', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    for (let index = 0; index < 100; index += 1)
      outbox.fire(null, 'error', [url(`${index}`, index % 2 === 0 ? 'ads.example' : 'others.example')]);
    await world.advance(minute);
    let now = 0;
    let most = 0;
    world.answer = async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => world.time.schedule(900, resolve));
      now -= 1;
      return accepted;
    };
    world.sent.length = 0;
    await world.advance(3 * minute);
    expect(taken()).toHaveLength(100);
    expect(most).toBe(2);
    const gaps = world.sent.slice(1).map(({ at }, index) => at - (world.sent[index]?.at ?? at));
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeGreaterThan(150);
  });

  it('of one host does not delay another', async () => {
    const { outbox } = await start();
    world.answer = (address) => (address.includes('//gone.example') ? noAnswer : accepted);
    outbox.fire('a', 'impression', [url('1', 'gone.example'), url('1', 'up.example')]);
    await world.advance(1_000);
    outbox.fire('b', 'impression', [url('2', 'gone.example'), url('2', 'up.example')]);
    await world.quiet();
    expect(taken()).toEqual(['up.example/1', 'up.example/2']);
  });

  it('of one slow host does not keep confirmations at another from being sent in time', async () => {
    const { outbox } = await start();
    world.answer = async (address) => {
      if (address.includes('//slow.example'))
        await new Promise<void>((resolve) => world.time.schedule(9_000, resolve));
      return accepted;
    };
    const slow = Array.from({ length: 600 }, (_, index) => url(`${index}`, 'slow.example'));
    outbox.fire('slow', 'impression', slow);
    await world.advance(5_000);
    const good = ['1', '2', '3'].map((name, position) => ({ position, url: url(name, 'good.example') }));
    await outbox.confirmOnce({ instance: 'r:0', kind: 'impression', play: 'good', beacons: good });
    await world.advance(31 * minute);
    expect(outbox.counts().expired).toBe(0);
    expect(taken().filter((each) => each.startsWith('good.example'))).toEqual([
      'good.example/1',
      'good.example/2',
      'good.example/3',
    ]);
  });

  describe('of many slow hosts', () => {
    /** Eight of them, each with a waiting beacon. */
    async function startWithSlow(): Promise<Life> {
      const life = await start();
      world.answer = async (address) => {
        if (!address.includes('//slow')) return accepted;
        await new Promise<void>((resolve) => world.time.schedule(20_000, resolve));
        return unreachable;
      };
      const slow = Array.from({ length: 8 }, (_, index) => url('i', `slow-${index}.example`));
      life.outbox.fire('slow', 'impression', slow);
      await world.advance(minute);
      return life;
    }

    it('leaves the stored beacons of another their pace', async () => {
      const { outbox } = await startWithSlow();
      const answer = world.answer;
      world.answer = () => unreachable;
      const good = Array.from({ length: 600 }, (_, index) => url(`${index}`, 'good.example'));
      outbox.fire('good', 'impression', good);
      await world.quiet();
      world.answer = answer;
      world.sent.length = 0;
      await world.advance(10 * minute);
      expect(taken().length).toBeGreaterThan(500);
      expect(new Set(asked().filter((each) => each.startsWith('slow'))).size).toBe(8);
    });

    it('does not delay beacons that wait behind another one of their play', async () => {
      const { outbox } = await startWithSlow();
      for (let play = 0; play < 5; play += 1) {
        const both = [url(`${play}/impression`, 'slow-0.example'), url(`${play}/impression`)];
        outbox.fire(`${play}`, 'impression', both);
        await world.advance(13_000);
        outbox.fire(`${play}`, 'complete', [url(`${play}/complete`)]);
        await world.advance(2_000);
        expect(taken()).toContain(`ads.example/${play}/complete`);
      }
    });
  });

  it('of more hosts than the books list at once loses no beacon after a restart', async () => {
    const { outbox, die } = await start();
    world.answer = () => unreachable;
    const hosts = Array.from({ length: 210 }, (_, index) => `${index}.example`);
    outbox.fire(
      'play',
      'impression',
      hosts.map((host) => url('i', host)),
    );
    await world.advance(minute);
    die();
    world.answer = () => accepted;
    await start();
    await world.advance(3 * minute);
    expect(new Set(taken()).size).toBe(hosts.length);
  });

  it.each([
    ['while its host is down', unreachable, 'waiting'],
    ['and is sent when its host answers', accepted, 'sent'],
  ] as const)(
    'expires no beacon by a clock that the service has not confirmed, %s',
    async (_how, answer, state) => {
      const first = await start();
      world.answer = () => unreachable;
      first.outbox.fire('play', 'impression', [url('i')]);
      await world.advance(1_000);
      first.die();
      // The machine starts with a clock that is years ahead.
      world.time.drift(7_000 * day);
      world.isTimeTrusted = () => false;
      world.answer = () => answer;
      const { outbox } = await start();
      await world.advance(3 * minute);
      expect(await states()).toEqual([state]);
      expect(outbox.counts().expired).toBe(0);
    },
  );

  it('of more than thirty days lets its beacons expire, and counts them', async () => {
    const first = await start();
    world.answer = () => unreachable;
    first.outbox.fire('play', 'impression', [url('i')]);
    await world.advance(1_000);
    first.die();
    await world.advance(30 * day);
    world.answer = () => accepted;
    const { outbox } = await start();
    await world.advance(minute);
    expect(await states()).toEqual(['expired']);
    expect(outbox.counts()).toMatchObject({ failed: 1, expired: 1, pending: 0, sent: 0 });
    expect(await world.resultsOf(['play', 'another'])).toEqual([
      { playId: 'play', sent: 0, unknown: 0, failed: 1, pending: 0 },
    ]);
  });
});

describe('a beacon that must not be repeated', () => {
  it.each<[string, SendResult, string]>([
    ['an answer that stayed away', noAnswer, 'unknown'],
    ['a server error', answered(500), 'unknown'],
    ['a bad gateway', answered(502), 'unknown'],
    ['busy, behind a redirect', { ...answered(503), redirected: true } as SendResult, 'unknown'],
    ['not found', answered(404), 'refused'],
    ['the fence', { kind: 'forbidden', code: 'fenced' }, 'refused'],
  ])('is not repeated after %s', async (_case, result, state) => {
    const { outbox } = await start(null);
    world.answer = () => result;
    outbox.fire('play', 'impression', [url('i')]);
    await world.advance(hour);
    expect(world.sent).toHaveLength(1);
    expect(await states()).toEqual([state]);
  });

  it.each([
    ['no connection', unreachable],
    ['busy', answered(503)],
    ['too many', answered(429, 20_000)],
  ])('is repeated after %s', async (_case, result) => {
    const { outbox } = await start(null);
    world.answer = () => (world.sent.length === 0 ? result : accepted);
    outbox.fire('play', 'impression', [url('i')]);
    await world.advance(minute);
    expect(world.sent).toHaveLength(2);
    expect(await states()).toEqual(['sent']);
  });

  it.each([
    ['before its answer was stored', 'after'],
    ['before it left', 'before'],
  ] as const)('is unknown after a crash %s', async (_case, moment) => {
    const first = await start(null);
    first.outbox.fire('play', 'impression', [url('i')]);
    // Step 1 stores the beacon as `sending`, step 2 sends it.
    first.dieAt(2, moment);
    await world.quiet();
    expect(first.isAlive()).toBe(false);
    const { outbox } = await start(null);
    await world.advance(hour);
    expect(world.sent).toHaveLength(moment === 'after' ? 1 : 0);
    expect(await states()).toEqual(['unknown']);
    expect(outbox.counts().unknown).toBe(1);
  });

  it('is unknown after a crash between `sending` and the send, when it waited for an earlier one', async () => {
    const first = await start(null);
    first.outbox.fire('play', 'impression', [url('i')]);
    first.outbox.fire('play', 'start', [url('s')]);
    // Steps 1 to 3 store both and send the first, step 4 stores that the second is sent, step 5 sends it.
    first.dieAt(5, 'before');
    await world.quiet();
    await start(null);
    await world.advance(hour);
    expect(world.sent).toHaveLength(1);
    // The result of the first one was not stored yet.
    expect(await states()).toEqual(['unknown', 'unknown']);
  });

  it('is lost, and not sent, if the books no longer hold it when its turn comes', async () => {
    const { outbox } = await start(null);
    let answerFirst = (_answer: SendResult): void => {};
    const firstAnswer = new Promise<SendResult>((resolve) => {
      answerFirst = resolve;
    });
    world.answer = (address) => (address.includes('impression') ? firstAnswer : accepted);
    outbox.fire('play', 'impression', [url('impression')]);
    outbox.fire('play', 'start', [url('start')]);
    await world.quiet();
    await world.wipe();
    answerFirst(accepted);
    await world.advance(minute);
    expect(taken()).toEqual(['ads.example/impression']);
    expect(outbox.counts()).toMatchObject({ sent: 1, lost: 1, pending: 0 });
  });

  it('takes two transactions if it can be sent at once', async () => {
    const { outbox } = await start(null);
    const before = world.moves();
    outbox.fire('play', 'impression', [url('i')]);
    await world.advance(2_000);
    expect(await states()).toEqual(['sent']);
    // Two moves for each: it is stored as `sending`, is sent, and its result is stored.
    expect(world.moves() - before).toBe(6);
  });

  it('has its result stored with those of the next two seconds, in one transaction', async () => {
    const { outbox } = await start(null);
    outbox.fire('play', 'impression', [url('i')]);
    await world.advance(1_900);
    outbox.fire('play', 'start', [url('s')]);
    await world.quiet();
    expect(await states()).toEqual(['sending', 'sending']);
    const before = world.moves();
    await world.advance(100);
    expect(await states()).toEqual(['sent', 'sent']);
    expect(world.moves() - before).toBe(2);
  });

  it('has its result stored at once if it was not accepted, with those that wait', async () => {
    const { outbox } = await start(null);
    outbox.fire('play', 'impression', [url('i')]);
    await world.quiet();
    world.answer = () => unreachable;
    outbox.fire('play', 'start', [url('s')]);
    await world.quiet();
    expect(await states()).toEqual(['sent', 'waiting']);
  });

  it('has its result stored at once when the kiosk ends', async () => {
    const { outbox } = await start(null);
    outbox.fire('play', 'impression', [url('i')]);
    await world.quiet();
    await outbox.settled();
    expect(await states()).toEqual(['sent']);
  });

  it('is sent after a restart if it waited for an earlier one of its play', async () => {
    const first = await start(null);
    world.answer = () => new Promise(() => {});
    first.outbox.fire('play', 'impression', [url('i')]);
    first.outbox.fire('play', 'start', [url('s')]);
    await world.quiet();
    expect(await states()).toEqual(['sending', 'waiting']);
    first.die();
    world.answer = () => accepted;
    await start(null);
    await world.advance(hour);
    expect(taken()).toContain('ads.example/s');
    expect(await states()).toEqual(['unknown', 'sent']);
  });
});

describe('a host that answers with errors for hours', () => {
  it('is asked by each play and six times a minute, and gets what waits as soon as it takes one', async () => {
    const { outbox } = await start();
    world.answer = () => answered(500);
    for (let play = 0; play < 40; play += 1) {
      if (play === 20) world.sent.length = 0;
      for (const event of ['impression', 'complete'])
        outbox.fire(`${play}`, event, [url(`${play}/${event}`)]);
      await world.advance(minute);
    }
    expect(world.sent.length).toBeGreaterThanOrEqual(20 * 6);
    expect(world.sent.length).toBeLessThanOrEqual(20 * 8);
    world.answer = () => accepted;
    outbox.fire('live', 'impression', [url('live')]);
    await world.advance(20_000);
    expect(taken()).toContain('ads.example/39/complete');
    expect(taken().length).toBeGreaterThan(50);
    await world.advance(hour);
    expect(outbox.counts()).toMatchObject({ sent: 81, pending: 0 });
  });
});

describe('a host that sends Retry-After', () => {
  it('gets no beacon during that time', async () => {
    const { outbox } = await start();
    world.answer = () => (world.sent.length === 0 ? answered(503, 10 * minute) : accepted);
    outbox.fire('play', 'impression', [url('i')]);
    await world.advance(9.9 * minute);
    outbox.fire('other', 'impression', [url('i2')]);
    expect(world.sent).toHaveLength(1);
    await world.advance(minute);
    expect(taken()).toEqual(['ads.example/i', 'ads.example/i2']);
  });
});

describe('a beacon that its host never answers', () => {
  it('lets the beacons behind it go first', async () => {
    const { outbox } = await start();
    world.answer = (address) => (address.includes('/bad') ? noAnswer : accepted);
    outbox.fire('a', 'impression', [url('bad')]);
    await world.quiet();
    outbox.fire('b', 'impression', [url('good')]);
    await world.advance(3 * minute);
    expect(taken()).toEqual(['ads.example/good']);
    expect(outbox.counts().pending).toBe(1);
  });
});

describe('a confirmation', () => {
  const confirm = (life: Life, instance = 'response-1:0', kind = 'impression', names = ['a', 'a', 'b']) =>
    life.outbox.confirmOnce({
      instance,
      kind,
      play: 'play',
      beacons: names.map((name, position) => ({ position, url: url(name) })),
    });

  it('sends every beacon of the list, duplicates too, and only the first time', async () => {
    const life = await start();
    expect(await confirm(life)).toBe(true);
    expect(await confirm(life)).toBe(false);
    await world.quiet();
    expect(asked().sort()).toEqual(['ads.example/a', 'ads.example/a', 'ads.example/b']);
  });

  it('is too late where the books could not store it for half an hour', async () => {
    const life = await start();
    world.isDiskFull = true;
    const confirmed = confirm(life, 'r:0', 'impression', ['i']);
    await world.advance(31 * minute);
    world.isDiskFull = false;
    await world.advance(minute);
    expect([await confirmed, asked()]).toEqual([false, []]);
  });

  it('happens once, even if requested several times at once', async () => {
    const life = await start();
    const answers = await Promise.all([confirm(life), confirm(life), confirm(life)]);
    expect(answers.filter(Boolean)).toHaveLength(1);
    await world.quiet();
    expect(asked()).toHaveLength(3);
  });

  it('is not repeated after a restart', async () => {
    const first = await start();
    await confirm(first);
    await world.quiet();
    first.die();
    const second = await start();
    expect(await confirm(second)).toBe(false);
    await world.advance(minute);
    expect(asked()).toHaveLength(3);
  });

  it('happens once for each kind of each instance', async () => {
    const life = await start();
    expect(await confirm(life, 'r:0', 'impression', ['i'])).toBe(true);
    expect(await confirm(life, 'r:0', 'click', ['c'])).toBe(true);
    expect(await confirm(life, 'r:1', 'impression', ['i'])).toBe(true);
    await world.quiet();
    expect(asked()).toEqual(['ads.example/i', 'ads.example/c', 'ads.example/i']);
  });

  it('is valid if the books stored it but their answer was lost', async () => {
    const life = await start();
    life.failAt(1, 'after');
    const answer = confirm(life);
    await world.advance(minute);
    expect(await answer).toBe(true);
    expect(asked()).toHaveLength(3);
  });

  it('goes out once the host is back, within thirty minutes', async () => {
    const life = await start();
    world.answer = () => unreachable;
    await confirm(life, 'r:0', 'impression', ['i']);
    await world.advance(20 * minute);
    world.answer = () => accepted;
    await world.advance(2 * minute);
    expect(taken()).toEqual(['ads.example/i']);
  });

  it('expires after thirty minutes', async () => {
    const life = await start();
    world.answer = () => unreachable;
    await confirm(life, 'r:0', 'impression', ['i']);
    await world.advance(30 * minute);
    world.answer = () => accepted;
    await world.advance(2 * minute);
    expect(taken()).toEqual([]);
    expect(await states()).toEqual(['expired']);
    expect(life.outbox.counts()).toMatchObject({ pending: 0, expired: 1, failed: 1 });
  });

  it('is not sent after thirty minutes by a clock that the service has not confirmed either', async () => {
    world.isTimeTrusted = () => false;
    const life = await start();
    world.answer = () => unreachable;
    life.outbox.fire('play', 'impression', [url('i')]);
    await confirm(life, 'r:0', 'impression', ['c']);
    await world.advance(30 * minute);
    world.answer = () => accepted;
    await world.advance(2 * minute);
    expect(taken()).toEqual(['ads.example/i']);
    expect((await states()).sort()).toEqual(['expired', 'sent']);
  });

  describe('of an earlier run', () => {
    /** Confirms one that cannot leave, and starts again with a clock that is as far behind as the kiosk was off. */
    async function startAgainAfter(offMs: number): Promise<Life> {
      const first = await start();
      world.answer = () => unreachable;
      await confirm(first, 'r:0', 'impression', ['old']);
      await world.quiet();
      first.die();
      await world.advance(offMs);
      world.time.drift(-offMs);
      world.isTimeTrusted = () => false;
      world.answer = () => accepted;
      const life = await start();
      await world.advance(minute);
      return life;
    }

    it('is not sent before the time is known, and expires by it', async () => {
      const { outbox } = await startAgainAfter(11 * hour);
      expect(asked()).toEqual(['ads.example/old']);
      expect(await states()).toEqual(['waiting']);
      world.time.drift(11 * hour);
      world.isTimeTrusted = () => true;
      await world.advance(2 * minute);
      expect(await states()).toEqual(['expired']);
      expect(outbox.counts()).toMatchObject({ expired: 1, pending: 0, sent: 0 });
    });

    it('is sent once the time is known, if that is within thirty minutes', async () => {
      await startAgainAfter(5 * minute);
      world.time.drift(5 * minute);
      world.isTimeTrusted = () => true;
      await world.advance(2 * minute);
      expect(taken()).toEqual(['ads.example/old']);
    });

    it('expires by a clock that the service never confirms', async () => {
      const { outbox } = await startAgainAfter(11 * hour);
      await world.advance(31 * minute);
      expect(taken()).toEqual([]);
      expect(outbox.counts()).toMatchObject({ expired: 1, pending: 0 });
    });

    it('delays no confirmation of this run, nor other beacons', async () => {
      const life = await startAgainAfter(11 * hour);
      world.answer = () => unreachable;
      await confirm(life, 'r:1', 'impression', ['new']);
      life.outbox.fire('play', 'impression', [url('proof')]);
      await world.advance(minute);
      world.answer = () => accepted;
      await world.advance(2 * minute);
      expect(taken().sort()).toEqual(['ads.example/new', 'ads.example/proof']);
    });
  });

  it('is final after any answer that does not ask to try later', async () => {
    const life = await start();
    world.answer = () => answered(404);
    await confirm(life, 'r:0', 'impression', ['i']);
    await world.advance(10 * minute);
    expect(world.sent).toHaveLength(1);
    expect(await states()).toEqual(['unknown']);
  });

  it('stores each script before it runs, runs it once, and stores the result with the play', async () => {
    const life = await start();
    let begin = () => {};
    world.outcome = (script) =>
      script === 'a'
        ? new Promise((resolve) => {
            begin = () => resolve('ran');
          })
        : 'threw';
    const scripts = [
      { position: 0, url: url('i') },
      { position: 1, script: 'a' },
      { position: 2, script: 'b' },
    ];
    const confirmation = { instance: 'r:0', kind: 'impression', play: 'play', beacons: scripts };
    expect(await life.outbox.confirmOnce(confirmation)).toBe(true);
    await world.quiet();
    const threw = { position: 2, result: 'threw', detail: 'on purpose' };
    const running = { position: 1, result: 'running', detail: null };
    expect(await world.resultsOf(['play'])).toEqual([
      { playId: 'play', sent: 1, unknown: 1, failed: 0, pending: 1, scripts: [running, threw] },
    ]);
    begin();
    await world.quiet();
    expect(await life.outbox.confirmOnce(confirmation)).toBe(false);
    await world.advance(minute);
    expect(await world.resultsOf(['play'])).toEqual([
      {
        playId: 'play',
        sent: 2,
        unknown: 1,
        failed: 0,
        pending: 0,
        scripts: [{ ...running, result: 'ran' }, threw],
      },
    ]);
    expect(world.ran.map(({ script }) => script)).toEqual(['a', 'b']);
    expect(life.outbox.counts()).toMatchObject({ sent: 2, unknown: 1, pending: 0 });
  });

  it('records scripts that a crash interrupted, and does not run them again', async () => {
    const first = await start();
    world.outcome = () => new Promise(() => {});
    const beacons = [{ position: 0, script: 'a' }];
    await first.outbox.confirmOnce({ instance: 'r:0', kind: 'impression', play: 'play', beacons });
    await world.quiet();
    first.die();
    await start();
    await world.advance(minute);
    const interrupted = { position: 0, result: 'interrupted', detail: null };
    expect(await world.resultsOf(['play'])).toEqual([
      { playId: 'play', sent: 0, unknown: 1, failed: 0, pending: 0, scripts: [interrupted] },
    ]);
    expect(world.ran).toHaveLength(1);
  });

  it.each<[string, SendResult | Promise<SendResult>]>([
    ['cannot be sent', unreachable],
    ['gets no answer', new Promise(() => {})],
  ])('waits for no other beacon of its play, such as one that %s', async (_case, answer) => {
    const life = await start();
    world.answer = (address) => (address.includes('//down') ? answer : accepted);
    const confirmed = (kind: string, host: string) =>
      life.outbox.confirmOnce({
        instance: 'r:0',
        kind,
        play: 'play',
        beacons: [{ position: 0, url: url(kind, host) }],
      });
    await confirmed('impression', 'down.example');
    await world.quiet();
    await confirmed('click', 'ads.example');
    await world.quiet();
    expect(taken()).toEqual(['ads.example/click']);
  });

  it('that was confirmed before delays no later one', async () => {
    const life = await start();
    await confirm(life);
    for (let repeat = 0; repeat < 20; repeat += 1) expect(await confirm(life)).toBe(false);
    await confirm(life, 'r:1', 'click', ['c', 'd', 'e']);
    await world.quiet();
    expect(asked().slice(3)).toEqual(['c', 'd', 'e'].map((name) => `ads.example/${name}`));
  });

  it('of a video is sent after a restart if it came with an earlier one of its instance that got no answer', async () => {
    const first = await start();
    world.answer = () => new Promise(() => {});
    const both = ['start', 'creativeView'].map((event) => confirm(first, 'r:0', `vast-${event}`, [event]));
    expect(await Promise.all(both)).toEqual([true, true]);
    await world.quiet();
    expect(await states()).toEqual(['sending', 'waiting']);
    first.die();
    world.answer = () => accepted;
    await start();
    await world.advance(minute);
    expect(taken()).toEqual(['ads.example/creativeView']);
    expect(await states()).toEqual(['unknown', 'sent']);
  });

  it('of a video waits for the host if it came with an earlier one that the host left without an answer', async () => {
    const life = await start();
    world.answer = () => noAnswer;
    const events = ['start', 'creativeView'];
    await Promise.all(events.map((event) => confirm(life, 'r:0', `vast-${event}`, [event])));
    await world.quiet();
    expect(asked()).toEqual(['ads.example/start']);
    world.answer = () => accepted;
    await world.advance(2 * minute);
    expect(taken()).toEqual(['ads.example/creativeView']);
  });

  it('is forgotten a day after, and no earlier', async () => {
    const first = await start();
    await confirm(first);
    await world.advance(2_000);
    first.die();
    await world.advance(24 * hour);
    const second = await start();
    await world.advance(2 * minute);
    expect(await world.database.confirmations.count()).toBe(1);
    second.die();
    await world.advance(2 * hour);
    await start();
    await world.advance(2 * minute);
    expect(await world.database.confirmations.count()).toBe(0);
    expect(await world.rows()).toEqual([]);
  });
});

describe('a restart', () => {
  it('sends the waiting beacons, even those of another environment', async () => {
    const first = await start('ets', 'old store');
    world.answer = () => unreachable;
    first.outbox.fire('play', 'impression', [url('i')]);
    await world.advance(1_000);
    first.die();
    world.answer = () => accepted;
    const { outbox } = await start('ets', 'new store');
    expect(outbox.counts().pending).toBe(0);
    await world.advance(minute);
    expect(taken()).toEqual(['ads.example/i']);
  });

  it('accepts beacons before the outbox is open', async () => {
    const life = world.live('ets');
    life.outbox.fire('play', 'impression', [url('i')]);
    await world.quiet();
    await life.outbox.open();
    await world.quiet();
    expect(taken()).toEqual(['ads.example/i']);
    expect(life.outbox.counts()).toMatchObject({ sent: 1, pending: 0 });
  });

  it('sends the beacons of a play in their order, even if the first answer takes long', async () => {
    const first = await start();
    world.answer = () => unreachable;
    for (const event of ['impression', 'start', 'complete']) first.outbox.fire('play', event, [url(event)]);
    await world.quiet();
    first.die();
    world.answer = async (address) => {
      if (address.includes('/impression'))
        await new Promise<void>((resolve) => world.time.schedule(9_000, resolve));
      return accepted;
    };
    await start();
    await world.advance(minute);
    expect(taken()).toEqual(['ads.example/impression', 'ads.example/start', 'ads.example/complete']);
  });

  it('that ends before the machine is known sends nothing of earlier runs', async () => {
    const first = await start();
    world.answer = () => unreachable;
    first.outbox.fire('play', 'impression', [url('i')]);
    await world.advance(1_000);
    first.die();
    world.answer = () => accepted;
    const { outbox } = world.live('ets');
    const opened = outbox.open();
    await outbox.settled();
    await opened;
    await world.advance(minute);
    expect(taken()).toEqual([]);
  });

  it('waits at most three seconds for beacons that are being sent', async () => {
    const first = await start();
    world.answer = (address) => (address.includes('slow') ? new Promise(() => {}) : accepted);
    first.outbox.fire('play', 'complete', [url('last')]);
    let ended = false;
    void first.outbox.settled().then(() => (ended = true));
    await world.quiet();
    expect(ended).toBe(true);
    expect(taken()).toEqual(['ads.example/last']);

    let endedAtOnce = false;
    void (await start()).outbox.settled().then(() => (endedAtOnce = true));
    await world.quiet();
    expect(endedAtOnce).toBe(true);

    const second = await start();
    second.outbox.fire('play', 'impression', [url('slow')]);
    let endedToo = false;
    void second.outbox.settled().then(() => (endedToo = true));
    await world.advance(2_900);
    expect(endedToo).toBe(false);
    await world.advance(200);
    expect(endedToo).toBe(true);
  });
});

describe('on a copied disk', () => {
  /** Leaves it open which machine this is, until the returned function is called. */
  function machineUnknown(): () => void {
    let tell = () => {};
    world.ownBeaconsKnown = new Promise<void>((resolve) => {
      tell = resolve;
    });
    return tell;
  }

  it('nothing of earlier runs is sent before the machine is known, but what happens now is', async () => {
    const first = await start();
    world.answer = () => unreachable;
    first.outbox.fire('before', 'impression', [url('before')]);
    await world.advance(1_000);
    first.die();
    world.answer = () => accepted;
    world.sent.length = 0;
    const tell = machineUnknown();
    const { outbox } = world.live('ets');
    void outbox.open();
    const before = world.time.clock.now();
    outbox.fire('now', 'impression', [url('now')]);
    await world.advance(minute);
    expect(asked()).toEqual(['ads.example/now']);
    await recordsCommandsOn(world.database).forgetBeacons({ now: before, before, limit: 10 });
    tell();
    await world.advance(minute);
    expect(asked()).toEqual(['ads.example/now']);
    expect(await states()).toEqual(['unknown', 'sent']);
    expect(outbox.counts()).toMatchObject({ sent: 1, pending: 0, failed: 0 });
  });

  it('beacons of this run that the books lose before the machine is known are reported in numbers', async () => {
    const tell = machineUnknown();
    const { outbox } = world.live('ets');
    void outbox.open();
    world.answer = () => unreachable;
    for (const name of ['1', '2', '3']) outbox.fire(name, 'impression', [url(name)]);
    await world.advance(1_000);
    await world.wipe();
    await outbox.reopen();
    tell();
    await world.advance(minute);
    expect(outbox.counts()).toMatchObject({ pending: 0, lost: 3, failed: 3 });
  });

  it('beacons of earlier runs that expire before the machine is known are never counted as fewer than none', async () => {
    const first = await start();
    world.answer = () => unreachable;
    first.outbox.fire('before', 'impression', [url('before')]);
    await world.advance(1_000);
    first.die();
    await world.advance(30 * day);
    const tell = machineUnknown();
    const { outbox } = world.live('ets');
    void outbox.open();
    await world.advance(minute);
    expect(outbox.counts()).toMatchObject({ pending: 0, expired: 1 });
    tell();
    await world.quiet();
    outbox.fire('now', 'impression', [url('now')]);
    await world.quiet();
    expect(outbox.counts()).toMatchObject({ pending: 1, expired: 1, failed: 1 });
  });

  it('beacons of this run that wait are sent once the machine is known', async () => {
    const tell = machineUnknown();
    const { outbox } = world.live('ets');
    void outbox.open();
    world.answer = () => unreachable;
    outbox.fire('now', 'impression', [url('now')]);
    await world.advance(1_000);
    world.answer = () => accepted;
    tell();
    await world.advance(minute);
    expect(await states()).toEqual(['sent']);
    expect(outbox.counts()).toMatchObject({ sent: 1, pending: 0, failed: 0 });
  });
});

describe('books that fail', () => {
  it('for good on the beacons of one play do not delay those of others', async () => {
    const { outbox } = await start(null);
    outbox.fire('refused', 'impression', [url('refused')], { at: Number.NaN });
    outbox.fire('play', 'impression', [url('i')]);
    await world.advance(minute);
    expect(taken()).toEqual(['ads.example/i']);
    expect(outbox.counts()).toMatchObject({ sent: 1, pending: 0, lost: 1 });
  });

  it.each(['before', 'after'] as const)(
    'for a moment (%s) lose no beacon and send none twice',
    async (moment) => {
      for (const eventTimeParam of [null, 'ets']) {
        for (const step of [1, 2, 3]) {
          const life = await start(eventTimeParam);
          world.sent.length = 0;
          life.failAt(step, moment);
          life.outbox.fire('play', 'impression', [url('i')]);
          await world.advance(minute);
          expect([eventTimeParam, step, taken()]).toEqual([eventTimeParam, step, ['ads.example/i']]);
          expect(life.outbox.counts()).toMatchObject({ sent: 1, pending: 0, lost: 0 });
          life.die();
        }
      }
    },
  );

  it('and come back empty lose no fewer beacons where results are not stored yet', async () => {
    const { outbox } = await start();
    world.answer = (address) => (address.includes('away') ? unreachable : accepted);
    for (const name of ['1', '2', '3']) outbox.fire(null, 'error', [url(name, 'away.example')]);
    await world.advance(1_000);
    await world.wipe();
    // These are stored in the new books, and their results are not.
    for (const name of ['4', '5']) outbox.fire(null, 'error', [url(name)]);
    await world.quiet();
    await outbox.reopen();
    expect(outbox.counts()).toMatchObject({ sent: 2, pending: 0, lost: 3, failed: 3 });
  });

  it('and come back empty are reported with the number of lost beacons', async () => {
    const { outbox } = await start();
    world.answer = () => unreachable;
    for (let play = 0; play < 5; play += 1) outbox.fire(`play-${play}`, 'impression', [url(`${play}`)]);
    await world.advance(1_000);
    await world.wipe();
    // Even if another window took over at once, because the first one died, too.
    await Promise.all([outbox.reopen(), outbox.reopen()]);
    expect(outbox.counts()).toMatchObject({ pending: 0, lost: 5, failed: 5 });
    world.answer = () => accepted;
    outbox.fire('play', 'impression', [url('new')]);
    await world.advance(2 * minute);
    expect(taken()).toEqual(['ads.example/new']);
  });
});

describe('a clock', () => {
  it.each([
    ['3 minutes', 3 * minute],
    ['40 minutes', 40 * minute],
    ['119 minutes', 119 * minute],
    ['400 days', 400 * day],
  ])('that goes back by %s does not delay stored beacons', async (_case, backMs) => {
    const first = await start();
    world.answer = () => unreachable;
    first.outbox.fire('1', 'impression', [url('1'), url('1', 'other.example')]);
    await world.advance(1_000);
    first.outbox.fire('2', 'impression', [url('2')]);
    await world.advance(1_000);
    await world.database.beacons.toCollection().modify((row) => {
      row.dueAt += backMs;
      row.eventAt += backMs;
      row.expiresAt += backMs;
    });
    first.die();
    world.answer = () => accepted;
    await start();
    await world.advance(2_000);
    expect(taken().sort()).toEqual(['ads.example/1', 'ads.example/2', 'other.example/1']);
  });

  it('that goes back by an hour in the middle of a run delays stored beacons by a minute or two', async () => {
    let backMs = 0;
    world.clock = { ...world.time.clock, now: () => world.time.clock.now() - backMs };
    const { outbox } = await start();
    world.answer = () => unreachable;
    for (const name of ['1', '2', '3']) outbox.fire(name, 'impression', [url(name)]);
    await world.advance(1_000);
    backMs = hour;
    world.answer = () => accepted;
    await world.advance(2 * minute);
    expect(taken()).toEqual(['1', '2', '3'].map((name) => `ads.example/${name}`));
  });

  it('that the service sets ahead by 31 days for an hour expires no beacon', async () => {
    const clock = createDecidedClock(world.time.clock.now, world.time.clock.monotonic);
    clock.onChange((_change, carryOut) => carryOut(() => {}));
    world.clock = clock;
    world.isTimeTrusted = clock.isTrusted;
    world.mayExpire = clock.isTrustedToExpire;
    const { outbox } = await start();
    /** The service tells the time twice, a minute apart. */
    const tell = async (aheadMs: number) => {
      for (const waitMs of [0, minute]) {
        await world.advance(waitMs);
        clock.trust({ at: world.time.clock.now() + aheadMs, monotonic: clock.monotonic() });
      }
    };
    await tell(0);
    world.answer = () => unreachable;
    outbox.fire('play', 'impression', [url('1'), url('2')]);
    await tell(31 * day);
    await world.advance(hour);
    expect(clock.now() - world.time.clock.now()).toBe(31 * day);
    await tell(0);
    world.answer = () => accepted;
    await world.advance(2 * minute);
    expect(taken()).toEqual(['ads.example/1', 'ads.example/2']);
    expect(outbox.counts()).toMatchObject({ expired: 0, sent: 2, pending: 0 });
  });
});
