import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Beacon } from '../../shared/beacon';
import { MAX_HOSTS_AT_ONCE, type RecordsCommands } from '../../shared/records';
import { recordsCommandsOn } from './commands';
import { openDatabase, type RecordsDatabase } from './database';
import { exampleBeacon } from './testing/example-beacon';
import { resultsOf } from './testing/results-of';
import { storedPlay } from './testing/sequence-world';

let database: RecordsDatabase;
let commands: RecordsCommands;
let number = 0;

beforeEach(() => {
  number += 1;
  database = openDatabase(`endcap-outbox-test-${number}`);
  commands = recordsCommandsOn(database);
});
afterEach(() => database.delete());

const now = Date.UTC(2026, 10, 20, 9, 30);
const farAhead = now + 7_200_000;
const keepBytes = 1_000_000;

const beacon = (id: string, overrides: Partial<Beacon> = {}) =>
  exampleBeacon({
    id,
    policy: 'at-most-once',
    url: `http://ads.example/${id}`,
    host: 'http://ads.example',
    eventAt: now,
    expiresAt: now + 1_000,
    dueAt: now,
    ...overrides,
  });
const store = (...beacons: Beacon[]) => commands.storeBeacons({ beacons });
/** Takes due beacons one after the other. */
const due = async (limit: number, inHand: string[] = [], host = 'http://ads.example') => {
  const ids: string[] = [];
  for (;;) {
    const query = { host, now, farAhead, inHand: [...inHand, ...ids] };
    const { due: found, nextDueAt } = await commands.dueBeacon(query);
    if (found) ids.push(found.id);
    if (!found || ids.length === limit) return { ids, nextDueAt };
  }
};
const stateOf = async (id: string) => (await database.beacons.where('id').equals(id).first())?.state;
const progress = (id: string, state: Beacon['state']) => ({
  id,
  state,
  attempts: 1,
  dueAt: now,
  lastError: null,
  finishedAt: state === 'waiting' ? null : now,
});

describe('due beacons', () => {
  it('are the oldest first, and in stored order at the same time', async () => {
    await store(beacon('b', { dueAt: now - 1 }), beacon('z'), beacon('a'), beacon('c', { dueAt: now - 2 }));
    expect(await due(10)).toEqual({ ids: ['c', 'b', 'z', 'a'], nextDueAt: null });
    expect(await due(2)).toEqual({ ids: ['c', 'b'], nextDueAt: now });
  });

  it('begin with those that expire within an hour, however long the others wait', async () => {
    const weeks = { policy: 'at-least-once', expiresAt: now + 30 * 86_400_000 } as const;
    const proofs = Array.from({ length: 20 }, (_, at) =>
      beacon(`proof-${at}`, { ...weeks, dueAt: now - 100 + at }),
    );
    await store(
      ...proofs,
      beacon('later', { policy: 'once', dueAt: now + 1 }),
      beacon('once', { policy: 'once' }),
    );
    expect(await due(2)).toEqual({ ids: ['once', 'proof-0'], nextDueAt: now - 99 });
    expect(await due(1)).toEqual({ ids: ['once'], nextDueAt: now - 100 });
  });

  it('exclude those of another host, those being sent, and those before their time', async () => {
    await store(
      beacon('other', { host: 'http://ads.example:81' }),
      beacon('held'),
      beacon('later', { dueAt: now + 500 }),
      beacon('latest', { dueAt: now + 900 }),
      beacon('right'),
    );
    expect(await due(10, ['held'])).toEqual({ ids: ['right'], nextDueAt: now + 500 });
  });

  it('include those with a time stamp from before the clock went back', async () => {
    await store(beacon('later', { dueAt: now + 500 }), beacon('stray', { dueAt: farAhead + 1 }));
    expect(await due(10)).toEqual({ ids: ['stray'], nextDueAt: now + 500 });
    await commands.settleBeacons({ settled: [progress('later', 'sent')] });
    expect(await due(10)).toEqual({ ids: ['stray'], nextDueAt: null });
  });

  it('include those that never stepped aside, whenever their event was', async () => {
    const at = (time: number) => ({ eventAt: time, dueAt: time });
    await store(
      beacon('old', at(now - 1)),
      beacon('ahead', at(now + 100)),
      beacon('last', at(now + 900)),
      beacon('stepped aside', { dueAt: now + 1_000 }),
    );
    expect(await due(1)).toEqual({ ids: ['old'], nextDueAt: now });
    expect(await due(2)).toEqual({ ids: ['old', 'ahead'], nextDueAt: now });
    expect(await due(10)).toEqual({ ids: ['old', 'ahead', 'last'], nextDueAt: now + 1_000 });
    await store(beacon('first', { dueAt: now + 50 }));
    // Those behind it wait for it: looking for them would read all beacons of a host that fails.
    expect(await due(10)).toEqual({ ids: ['old'], nextDueAt: now + 50 });
    await store(beacon('other', { ...at(now + 100), host: 'http://other.example' }));
    await commands.settleBeacons({ settled: ['old', 'ahead', 'last'].map((id) => progress(id, 'sent')) });
    expect(await commands.waitingHosts({ after: '', now })).toEqual([
      { host: 'http://ads.example', dueAt: now + 50 },
      { host: 'http://other.example', dueAt: now },
    ]);
  });

  it('are found among ten thousand without reading all', async () => {
    for (let page = 0; page < 10; page += 1) {
      const ids = Array.from({ length: 1_000 }, (_, index) => page * 1_000 + index);
      await store(
        ...ids.map((id) => beacon(`b${id}`, { host: `http://host-${id % 3}.example`, dueAt: now - id })),
      );
    }
    const opened = await commands.openOutbox({ now, stillSending: [] });
    expect(opened.pending).toBe(10_000);
    expect(await commands.waitingHosts({ after: '', now })).toEqual([
      { host: 'http://host-0.example', dueAt: now - 9_999 },
      { host: 'http://host-1.example', dueAt: now - 9_997 },
      { host: 'http://host-2.example', dueAt: now - 9_998 },
    ]);
    expect((await due(1, [], 'http://host-1.example')).ids).toEqual(['b9997']);
  });
});

describe('hosts with waiting beacons', () => {
  it('are returned in pages, each once, for any number', async () => {
    const hosts = Array.from(
      { length: 450 },
      (_, index) => `http://${String(index).padStart(3, '0')}.example`,
    );
    // Text that is no URL has no host, and waits as well.
    const names = ['', ...hosts];
    await store(...names.flatMap((host) => [beacon(`${host}/1`, { host }), beacon(`${host}/2`, { host })]));
    const told: string[] = [];
    for (
      let page = await commands.waitingHosts({ after: '', now });
      page.length > 0;
      page = await commands.waitingHosts({ after: told.at(-1) ?? '', now })
    ) {
      expect(page.length).toBeLessThanOrEqual(MAX_HOSTS_AT_ONCE);
      told.push(...page.map(({ host }) => host));
    }
    expect(told).toEqual(names);
  });
});

describe('a database that went back', () => {
  const lastMs = 1_800_000;
  /** Stores a confirmation's beacons, which may be sent until half an hour after `at`. */
  const confirm = (at: number, ...ids: string[]) => {
    const beacons = ids.map((id) => beacon(id, { policy: 'once', expiresAt: at + lastMs }));
    return commands.confirmOnce({ instance: `of ${ids}`, kind: 'impression', by: 'test', at, beacons });
  };

  it('ends the confirmations that wait, because they may have been sent since, and no proof', async () => {
    const weeks = now + 30 * 86_400_000;
    await confirm(now, 'confirmation');
    await confirm(now - lastMs - 1, 'late');
    await confirm(now + 4 * 3_600_000, 'stored by a clock that was ahead');
    await store(beacon('proof', { expiresAt: weeks }), beacon('old proof'));
    const some = { now, lastMs, limit: 100 };
    expect(await commands.endConfirmations(some)).toBe(3);
    expect(await commands.endConfirmations(some)).toBe(0);
    expect((await due(10)).ids).toEqual(['old proof', 'proof']);
    const ended = await commands.listBeacons({ states: ['unknown'], limit: 10 });
    expect(ended.map(({ id, lastError }) => [id, lastError]).sort()).toEqual([
      ['confirmation', 'went-back'],
      ['late', 'went-back'],
      ['stored by a clock that was ahead', 'went-back'],
    ]);
  });

  it('ends some of them at once, and reads none of the proof of weeks that waits beside them', async () => {
    await confirm(now, 'a', 'b', 'c');
    await store(...Array.from({ length: 100 }, (_, index) => beacon(`proof ${index}`)));
    const read: unknown[] = [];
    database.beacons.hook('reading', (row) => {
      read.push(row.id);
      return row;
    });
    const some = { now, lastMs, limit: 2 };
    expect(await commands.endConfirmations(some)).toBe(2);
    expect(await commands.endConfirmations(some)).toBe(1);
    expect(new Set(read)).toEqual(new Set(['a', 'b', 'c']));
  });
});

describe('a stored beacon', () => {
  it('is unchanged if it is stored again', async () => {
    expect(await store(beacon('a'))).toBe(1);
    await commands.settleBeacons({ settled: [progress('a', 'sent')] });
    expect(await store(beacon('a'), beacon('b'))).toBe(1);
    expect(await stateOf('a')).toBe('sent');
    expect(await resultsOf(database, ['play'])).toEqual([
      { playId: 'play', sent: 1, unknown: 0, failed: 0, pending: 1 },
    ]);
  });

  it('can be sent only while it waits', async () => {
    await store(beacon('a'), beacon('b'));
    await commands.settleBeacons({ settled: [progress('b', 'sent')] });
    expect(await commands.startSending({ ids: ['a', 'b', 'c'] })).toEqual(['a']);
    expect(await commands.startSending({ ids: ['a'] })).toEqual([]);
  });

  it('does not change after its end', async () => {
    await store(beacon('a'));
    await commands.settleBeacons({ settled: [progress('a', 'unknown')] });
    await commands.settleBeacons({ settled: [progress('a', 'waiting'), progress('gone', 'sent')] });
    expect(await stateOf('a')).toBe('unknown');
  });

  it('that was being sent is unknown at the next start, unless it is still being sent', async () => {
    await store(beacon('a'), beacon('b'), beacon('c'));
    await commands.startSending({ ids: ['a', 'b'] });
    expect(await commands.openOutbox({ now, stillSending: ['b'] })).toMatchObject({
      interrupted: 1,
      pending: 1,
    });
    expect([await stateOf('a'), await stateOf('b'), await stateOf('c')]).toEqual([
      'unknown',
      'sending',
      'waiting',
    ]);
  });
});

describe('rows from before scripts were kept', () => {
  const { script: _, ...waiting } = beacon('waiting');
  const old = { playId: 'play', sent: 2, unknown: 1, failed: 0, pending: 1 };

  it('are read unchanged, and match the schema', async () => {
    await database.beacons.bulkAdd([{ ...waiting, sequence: 1 }]);
    await database.playBeacons.add({ ...old, at: now });
    expect(await resultsOf(database, ['play'])).toEqual([old]);
    expect((await due(10)).ids).toEqual(['waiting']);
  });

  it('can end, and get the scripts of their play', async () => {
    await database.beacons.bulkAdd([{ ...waiting, sequence: 1 }]);
    await database.outboxSize.put({ key: 'outbox', pending: 1, ended: 0 });
    await database.playBeacons.add({ ...old, at: now });
    await commands.settleBeacons({ settled: [progress('waiting', 'sent')] });
    const script = { result: 'running' as const, detail: null };
    await store(beacon('script', { url: '', host: '', state: 'sending', position: 4, script }));
    expect(await resultsOf(database, ['play'])).toEqual([
      { ...old, sent: 3, pending: 1, scripts: [{ position: 4, ...script }] },
    ]);
  });
});

describe('waiting beacons', () => {
  it('expire at their time, except those being sent', async () => {
    await store(
      beacon('late', { expiresAt: now - 1 }),
      beacon('held', { expiresAt: now - 1 }),
      beacon('young'),
    );
    expect(await commands.expireBeacons({ now, keep: 10, keepBytes, inHand: ['held'], limit: 10 })).toBe(1);
    expect([await stateOf('late'), await stateOf('held'), await stateOf('young')]).toEqual([
      'expired',
      'waiting',
      'waiting',
    ]);
  });

  it('are dropped if there are too many, of a play those made last', async () => {
    await store(...[1, 2, 3, 4, 5].map((index) => beacon(`b${index}`, { expiresAt: now + index })));
    expect(await commands.expireBeacons({ now, keep: 2, keepBytes, inHand: [], limit: 2 })).toBe(2);
    expect(await commands.expireBeacons({ now, keep: 2, keepBytes, inHand: [], limit: 2 })).toBe(1);
    expect(await commands.expireBeacons({ now, keep: 2, keepBytes, inHand: [], limit: 2 })).toBe(0);
    expect(await due(10)).toMatchObject({ ids: ['b1', 'b2'] });
    expect(await resultsOf(database, ['play'])).toEqual([
      { playId: 'play', sent: 0, unknown: 0, failed: 3, pending: 2 },
    ]);
  });

  it('are ended, those made last first, until they fit the budget in bytes', async () => {
    const long = (id: string, expiresAt: number) =>
      beacon(id, { url: 'http://ads.example/'.padEnd(10_000, id), expiresAt: now + expiresAt });
    await store(long('b', 3), long('a', 4), long('c', 2), beacon('short', { expiresAt: now + 1 }));
    expect(await commands.expireBeacons({ now, keep: 10, keepBytes: 23_000, inHand: [], limit: 10 })).toBe(1);
    expect(await stateOf('a')).toBe('expired');
    expect(await stateOf('b')).toBe('waiting');
    await commands.settleBeacons({ settled: [progress('b', 'sent')] });
    expect(await commands.expireBeacons({ now, keep: 10, keepBytes: 11_100, inHand: [], limit: 10 })).toBe(0);
    expect(await commands.expireBeacons({ now, keep: 10, keepBytes: 11_000, inHand: [], limit: 10 })).toBe(1);
    expect(await stateOf('c')).toBe('expired');
    expect(await commands.expireBeacons({ now, keep: 10, keepBytes: 0, inHand: [], limit: 10 })).toBe(1);
  });
});

describe('beacons that another machine sends', () => {
  it('end as unknown, those of this run and those being sent excepted', async () => {
    const ids = ['a', 'b', 'c'];
    await store(
      ...ids.map((id) => beacon(id, { eventAt: now - 1 })),
      beacon('held', { eventAt: now - 1, state: 'sending' }),
      beacon('own'),
    );
    const forget = () => commands.forgetBeacons({ now: now + 5, before: now, limit: 2 });
    expect([await forget(), await forget(), await forget()]).toEqual([2, 1, 0]);
    expect(await Promise.all(ids.map(stateOf))).toEqual(['unknown', 'unknown', 'unknown']);
    expect([await stateOf('held'), await stateOf('own')]).toEqual(['sending', 'waiting']);
    expect(await due(10)).toMatchObject({ ids: ['own'] });
    expect(await resultsOf(database, ['play'])).toMatchObject([{ unknown: 3, failed: 0, pending: 2 }]);
  });
});

describe('pruning', () => {
  const prune = (overrides: Partial<Parameters<RecordsCommands['pruneBeacons']>[0]> = {}) =>
    commands.pruneBeacons({
      endedBefore: 0,
      keepEnded: 100,
      confirmedBefore: 0,
      limit: 10,
      ...overrides,
    });

  it('deletes beacons that ended long ago, not waiting ones', async () => {
    await store(beacon('old'), beacon('waiting', { eventAt: 0, dueAt: 0 }));
    await commands.settleBeacons({ settled: [progress('old', 'sent')] });
    expect(await prune({ endedBefore: now })).toBe(0);
    expect(await prune({ endedBefore: now + 1 })).toBe(1);
    expect(await database.beacons.toCollection().primaryKeys()).toHaveLength(1);
  });

  it('keeps at most the given number of ended beacons', async () => {
    await store(...[1, 2, 3].map((index) => beacon(`b${index}`)));
    await commands.settleBeacons({
      settled: [1, 2, 3].map((index) => ({ ...progress(`b${index}`, 'sent'), finishedAt: now + index })),
    });
    expect(await prune({ keepEnded: 1 })).toBe(2);
    expect(await stateOf('b3')).toBe('sent');
  });

  it('deletes confirmations by their own age', async () => {
    const confirm = () =>
      commands.confirmOnce({ instance: 'r:0', kind: 'impression', by: 'x', at: now, beacons: [] });
    expect(await confirm()).toBe(true);
    expect(await prune({ confirmedBefore: now })).toBe(0);
    expect(await prune({ confirmedBefore: now + 1 })).toBe(1);
  });

  it('keeps results as long as their play, because its proof may still be delivered', async () => {
    const play = storedPlay('play', now);
    await commands.reservePlay({ play, flight: null, recency: null, sourceMix: null });
    await store(beacon('a'));
    await commands.settleBeacons({ settled: [progress('a', 'sent')] });
    expect(await prune({ endedBefore: now + 1 })).toBe(1);
    expect(await resultsOf(database, ['play'])).toMatchObject([{ playId: 'play', sent: 1 }]);
    expect(await commands.prunePlays({ before: now + 1, keep: 0, limit: 10 })).toEqual({ store: 1 });
    expect(await resultsOf(database, ['play'])).toEqual([]);
  });
});

describe('a confirmation', () => {
  const confirm = (by: string, id: string) =>
    commands.confirmOnce({ instance: 'r:0', kind: 'impression', by, at: now, beacons: [beacon(id)] });

  it('is made once; the same call again gets the same answer', async () => {
    expect(await confirm('first', 'a')).toBe(true);
    expect(await confirm('second', 'b')).toBe(false);
    expect(await confirm('first', 'a')).toBe(true);
    expect((await due(10)).ids).toEqual(['a']);
  });
});
