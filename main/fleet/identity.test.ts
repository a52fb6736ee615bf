import 'fake-indexeddb/auto';
import {
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { SequenceWorld } from '../../renderer/records/testing/sequence-world';
import { silentLog } from '../../shared/log';
import type { RecordsCommand, RecordsInput } from '../../shared/records';
import { type Records, RecordsError } from '../records/records-client';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { Fact } from '../status/facts';
import { openIdentity, openIdentityInTime, reportIdentity } from './identity';
import { isOther, type Machine, thisMachine } from './machine';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-identity-'));
  onTestFinished(() => rm(folder, { recursive: true }));
});

const machine = (id: string | null, ...addresses: string[]): Machine => ({ id, addresses });

describe('another machine', () => {
  test.each<[string, Machine, Machine, boolean]>([
    ['the same one', machine('a', 'm', 'n'), machine('a', 'm', 'n'), false],
    ['the disk was copied', machine('a', 'm'), machine('a', 'n'), true],
    ['the disk was copied, and its machine id made anew', machine('a', 'm'), machine('b', 'n'), true],
    ['a device was plugged in', machine('a', 'm'), machine('a', 'm', 'n'), false],
    ['the only device is gone', machine('a', 'm'), machine('a'), false],
    ['a device that both had at different times', machine('a', 'm', 'x'), machine('b', 'n', 'x'), true],
    ['nothing is known', machine(null), machine('a', 'm'), false],
  ])('%s', (_name, one, other, expected) => {
    expect(isOther(one, other)).toBe(expected);
    expect(isOther(other, one)).toBe(expected);
  });

  test('is recognized by machine id and hardware addresses, without revealing them', async () => {
    const device = async (name: string, address: string, assigned: string, isReal: boolean) => {
      const path = join(folder, 'sys/class/net', name);
      await mkdir(path, { recursive: true });
      await writeFile(join(path, 'address'), `${address}\n`);
      await writeFile(join(path, 'addr_assign_type'), `${assigned}\n`);
      if (isReal) await symlink(folder, join(path, 'device'));
    };
    await mkdir(join(folder, 'etc'));
    await writeFile(join(folder, 'etc/machine-id'), '0123456789abcdef0123456789abcdef\n');
    await device('eth0', '02:00:00:00:00:01', '0', true);
    await device('wlan0', '02:00:00:00:00:02', '1', true);
    await device('lo', '00:00:00:00:00:00', '0', false);
    // Like that of many a modem.
    await device('usb0', '00:00:00:00:00:00', '0', true);
    await device('docker0', '02:00:00:00:00:03', '0', false);
    const found = await thisMachine(folder);
    expect(found).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), addresses: [expect.any(String)] });
    expect(JSON.stringify(found)).not.toMatch(/0123456789|02:00/);
    await rm(join(folder, 'sys/class/net/wlan0'), { recursive: true });
    expect(await thisMachine(folder)).toEqual(found);
    expect(await thisMachine(join(folder, 'nowhere'))).toEqual({ id: null, addresses: [] });
  });

  test('is recognized by its only Wi-Fi card, whose address in use changes with each scan', async () => {
    const card = join(folder, 'sys/class/net/wlan0');
    await mkdir(join(card, 'phy80211'), { recursive: true });
    await symlink(folder, join(card, 'device'));
    await writeFile(join(card, 'phy80211/macaddress'), '00:11:22:33:44:55\n');
    const seen = async (address: string, assigned: string) => {
      await writeFile(join(card, 'address'), `${address}\n`);
      await writeFile(join(card, 'addr_assign_type'), `${assigned}\n`);
      return thisMachine(folder);
    };
    const found = await seen('00:11:22:33:44:55', '0');
    expect(found.addresses).toHaveLength(1);
    expect(await seen('6e:01:02:03:04:05', '3')).toEqual(found);
    expect(await seen('00:11:22:33:44:55', '3')).toEqual(found);
    // Some drivers do not know the card's own address before its first use.
    await writeFile(join(card, 'phy80211/macaddress'), '00:00:00:00:00:00\n');
    expect(await seen('00:11:22:33:44:55', '0')).toEqual(found);
  });
});

describe("the kiosk's key", () => {
  const HERE = machine('a', 'm');
  const ELSEWHERE = machine('a', 'n');
  /** The epoch first: what plays while beacons are forgotten is this machine's own. */
  const FORGETS = ['beginEpoch and forget what waits', 'forgetBeacons'];

  function starting(on: Machine, fails: RecordsCommand | null = null) {
    const commands: string[] = [];
    const records = {
      run: async (command: RecordsCommand, { forgetWaiting, kiosk }: RecordsInput<'beginEpoch'>) => {
        const how = forgetWaiting ? ' and forget what waits' : kiosk ? ' under a new name' : '';
        commands.push(`${command}${how}`);
        if (command === fails) throw new Error('no answer');
        return command === 'forgetBeacons' ? 0 : { epoch: 2 };
      },
    } as unknown as Records;
    const identity = openIdentity({
      dataDirectory: folder,
      machine: on,
      records,
      now: () => 1,
      startedAt: 1,
      log: silentLog,
    });
    return { identity, commands };
  }
  const start = async (on: Machine) => {
    const { identity, commands } = starting(on);
    return { ...(await identity), commands };
  };

  test('stays the same over restarts and with an added device, and begins no epoch', async () => {
    const first = await start(HERE);
    for (const on of [HERE, machine('a', 'm', 'n'), HERE]) {
      const { key, changed, commands } = await start(on);
      expect([key.fingerprint, changed, commands]).toEqual([first.key.fingerprint, null, []]);
    }
  });

  test('stays the same with another network card that was beside the old one for one start', async () => {
    const first = await start(HERE);
    await start(machine('a', 'm', 'n'));
    expect((await start(machine('a', 'n'))).key.fingerprint).toBe(first.key.fingerprint);
  });

  test('stays the same if an added device cannot be stored, and the next start tries again', async () => {
    const first = await start(HERE);
    await mkdir(join(folder, 'machine.json.tmp'));
    const { key, changed } = await start(machine('a', 'm', 'n'));
    expect([key.fingerprint, changed]).toEqual([first.key.fingerprint, null]);
    await rm(join(folder, 'machine.json.tmp'), { recursive: true });
    await start(machine('a', 'm', 'n'));
    expect(await readFile(join(folder, 'machine.json'), 'utf8')).toContain('"addresses":["m","n"]');
  });

  test('is new on another machine even if devices were not found at a start in between', async () => {
    const first = await start(HERE);
    expect((await start(machine(null))).key.fingerprint).toBe(first.key.fingerprint);
    expect(await start(ELSEWHERE)).toMatchObject({ changed: 'other-machine' });
  });

  test('is new in another system even if the machine id was not found at a start in between', async () => {
    await start(HERE);
    await start(machine(null, 'm'));
    expect(await start(machine('b', 'm'))).toMatchObject({ changed: 'other-system' });
  });

  test('is kept if an older version did not store the machine', async () => {
    const { key } = await start(HERE);
    await rm(join(folder, 'machine.json'));
    expect(await start(ELSEWHERE)).toMatchObject({
      changed: null,
      commands: [],
      key: { fingerprint: key.fingerprint },
    });
  });

  test('is new on another machine, with a new epoch, and the old key is kept', async () => {
    const first = await start(HERE);
    const cloned = await start(ELSEWHERE);
    expect(cloned.changed).toBe('other-machine');
    expect(cloned.commands).toEqual(FORGETS);
    expect(cloned.key.fingerprint).not.toBe(first.key.fingerprint);
    expect(await readdir(folder)).toContain(`signing-key.${first.key.fingerprint}.pem`);
    expect(await start(ELSEWHERE)).toMatchObject({
      changed: null,
      key: { fingerprint: cloned.key.fingerprint },
    });
  });

  test.each<[string, Machine, Machine, string, RegExp]>([
    [
      'system on the same machine',
      HERE,
      machine('b', 'm'),
      'other-system',
      /not sent.*Keep \/etc\/machine-id.*until the player is restarted/,
    ],
    [
      'machine, or another network card',
      HERE,
      ELSEWHERE,
      'other-machine',
      /A machine that still runs delivers .*; if none does .*only network card.*export it.*until the player is restarted/,
    ],
    ['machine with one device more', HERE, machine('b', 'm', 'n'), 'other-machine', /if none does/],
    ['machine, without devices', machine('a'), machine('b'), 'other-machine', /if none does/],
  ])(
    'is new with another %s, which says who delivers what waited, and ends with the run',
    async (_what, on, next, expected, advice) => {
      await start(on);
      const { key, changed, commands } = await start(next);
      expect([changed, commands]).toEqual([expected, FORGETS]);
      const told: Fact[] = [];
      reportIdentity((fact) => void told.push(fact), { key, changed });
      expect(told.at(-1)).toMatchObject({
        code: `new-key-${expected}`,
        problem: { advice: expect.stringMatching(advice) },
      });
    },
  );

  test('is new on another machine each time the same disk is copied to it, with a crash in between too', async () => {
    const first = await start(HERE);
    const copied = ['signing-key.pem', 'machine.json'].map((name) => join(folder, name));
    for (const file of copied) await copyFile(file, `${file}.first`);
    const names = new Set([first.key.fingerprint]);
    for (const crashes of [null, null, 'beginEpoch', 'forgetBeacons'] as const) {
      for (const file of copied) await copyFile(`${file}.first`, file);
      if (crashes) await expect(starting(ELSEWHERE, crashes).identity).rejects.toThrow('no answer');
      const { key, changed, commands } = await start(ELSEWHERE);
      expect([changed, commands]).toEqual(['other-machine', FORGETS]);
      expect([...names]).not.toContain(key.fingerprint);
      names.add(key.fingerprint);
      const aside = join(folder, `signing-key.${first.key.fingerprint}.pem`);
      expect(await readFile(aside)).toEqual(await readFile(`${copied[0]}.first`));
    }
  });

  function books() {
    const world = new SequenceWorld();
    onTestFinished(() => world.database.delete());
    const played = async () => {
      const id = await world.reserve();
      await world.settle(id);
      return id;
    };
    return { world, played };
  }

  test('is new on another machine before its beacons are forgotten, so that what plays meanwhile is delivered', async () => {
    const { world, played } = books();
    await start(HERE);
    await world.fire(await played());
    const [startedAt, own]: [number, string[]] = [world.now + 1, []];
    const run = async (command: 'beginEpoch' | 'forgetBeacons', input: never) => {
      const answer = await world.commands[command](input);
      if (command === 'forgetBeacons') own.push(await played());
      return answer;
    };
    const records = { run } as unknown as Records;
    const now = () => world.now;
    await openIdentity({
      dataDirectory: folder,
      machine: ELSEWHERE,
      records,
      now,
      startedAt,
      log: silentLog,
    });
    await world.finish();
    expect(world.received.entries().map(({ play, rev }) => [play.id, rev])).toEqual(own.map((id) => [id, 0]));
    expect(await world.database.beacons.toArray()).toMatchObject([{ state: 'unknown' }]);
  });

  test('is new on another machine, which sends the beacons of its own run', async () => {
    const { world, played } = books();
    const run = (command: 'beginEpoch', input: never) => world.commands[command](input);
    await start(HERE);
    await world.fire(await played());
    const startedAt = world.now + 1;
    await world.fire(await played());
    await openIdentity({
      dataDirectory: folder,
      machine: ELSEWHERE,
      records: { run } as unknown as Records,
      now: () => world.now + 1,
      startedAt,
      log: silentLog,
    });
    const beacons = await world.database.beacons.toArray();
    expect(beacons.map(({ state }) => state)).toEqual(['unknown', 'waiting']);
  });

  test('is new on another machine, whose waiting beacons are all forgotten, however many', async () => {
    await start(HERE);
    const forgotten = [200, 200, 7, 0];
    const run = async (command: string) => (command === 'forgetBeacons' ? forgotten.shift() : { epoch: 2 });
    await openIdentity({
      dataDirectory: folder,
      machine: ELSEWHERE,
      records: { run } as unknown as Records,
      now: () => 1,
      startedAt: 1,
      log: silentLog,
    });
    expect(forgotten).toEqual([]);
  });

  test('is completed in a later run, which leaves the beacons of its own epoch waiting', async () => {
    const { world, played } = books();
    const records = { run: (command: 'beginEpoch', input: never) => world.commands[command](input) };
    const open = () => {
      const parts = { records: records as unknown as Records, now: () => world.now, startedAt: world.now };
      return openIdentity({ dataDirectory: folder, machine: ELSEWHERE, log: silentLog, ...parts });
    };
    await start(HERE);
    await world.fire(await played());
    world.now += 1;
    await mkdir(join(folder, 'machine.json.tmp'));
    await expect(open()).rejects.toThrow('EISDIR');
    await world.fire(await played());
    world.now += 1;
    await rm(join(folder, 'machine.json.tmp'), { recursive: true });
    expect((await open()).changed).toBe('other-machine');
    expect(await world.database.beacons.toArray()).toMatchObject([
      { state: 'unknown' },
      { state: 'waiting' },
    ]);
  });

  test('is new, in a new epoch, if the old one was lost', async () => {
    await start(HERE);
    await rm(join(folder, 'signing-key.pem'));
    expect(await start(HERE)).toMatchObject({
      changed: 'key-lost',
      commands: ['beginEpoch under a new name'],
    });
  });

  test.each<[string, string | null]>([
    ['signing-key.pem', null],
    ['signing-key.pem, unreadable', 'key-lost'],
  ])(
    'begins an epoch if %s and machine.json were lost: the books may hold plays under the old name',
    async (lost, expected) => {
      const first = await start(HERE);
      expect(first).toMatchObject({ changed: null, commands: ['beginEpoch under a new name'] });
      await rm(join(folder, 'machine.json'));
      const keyFile = join(folder, 'signing-key.pem');
      await (lost.includes(',') ? writeFile(keyFile, 'broken') : rm(keyFile));
      await expect(starting(HERE, 'beginEpoch').identity).rejects.toThrow('no answer');
      const { key, changed, commands } = await start(HERE);
      expect([changed, commands]).toEqual([expected, ['beginEpoch under a new name']]);
      expect(key.fingerprint).not.toBe(first.key.fingerprint);
      expect(await start(HERE)).toMatchObject({ commands: [], key: { fingerprint: key.fingerprint } });
    },
  );

  test('is reported as lost even if the disk was full when that was first found', async () => {
    await start(HERE);
    await rm(join(folder, 'machine.json'));
    await writeFile(join(folder, 'signing-key.pem'), 'broken');
    await mkdir(join(folder, 'machine.json.tmp'));
    await expect(starting(HERE).identity).rejects.toThrow('EISDIR');
    await rm(join(folder, 'machine.json.tmp'), { recursive: true });
    expect(await start(HERE)).toMatchObject({
      changed: 'key-lost',
      commands: ['beginEpoch under a new name'],
    });
    expect(await readFile(join(folder, 'signing-key.pem.unreadable'), 'utf8')).toBe('broken');
  });

  test('changes only with the epoch: if the books do not answer, the next start tries again', async () => {
    const first = await start(HERE);
    const aside = `signing-key.${first.key.fingerprint}.pem`;
    await expect(starting(ELSEWHERE, 'beginEpoch').identity).rejects.toThrow('no answer');
    const kept = await readFile(join(folder, aside), 'utf8');
    const { changed, commands, key } = await start(ELSEWHERE);
    expect([changed, commands]).toEqual(['other-machine', FORGETS]);
    expect(key.fingerprint).not.toBe(first.key.fingerprint);
    expect(await readFile(join(folder, aside), 'utf8')).toBe(kept);
  });

  test('is tried again each minute while the disk does not take it, and the status says so', async () => {
    const time = handTurnedTime();
    const told: string[] = [];
    const blocker = join(folder, 'signing-key.pem.tmp');
    await mkdir(blocker);
    const parts = {
      dataDirectory: folder,
      machine: HERE,
      records: { run: async () => ({ epoch: 1 }) } as unknown as Records,
      now: () => 1,
      startedAt: 1,
      log: silentLog,
    };
    const { tried, opened } = openIdentityInTime(parts, {
      schedule: time.schedule,
      onOwnBeacons() {},
      tell: (fact) => void told.push(fact.kind === 'attention' && fact.problem === null ? 'over' : fact.kind),
    });
    expect(await tried).toBe(false);
    expect(told).toEqual(['attention']);
    await expect.poll(() => time.waits()).toEqual([60_000]);
    await rm(blocker, { recursive: true });
    await time.advance(60_000);
    const { key, changed } = await opened;
    expect([changed, told]).toEqual([null, ['attention', 'over']]);
    expect((await start(HERE)).key.fingerprint).toBe(key.fingerprint);
  });

  /** Opens the key in time; `steps`: the commands to the books, and `send` once waiting beacons may be sent. */
  function openingInTime(on: Machine, fails: () => RecordsCommand | null = () => null) {
    const time = handTurnedTime();
    const steps: string[] = [];
    const run = async (command: RecordsCommand) => {
      steps.push(command);
      if (command === fails()) throw new RecordsError('timeout', command, 'no answer');
      return command === 'forgetBeacons' ? 0 : { epoch: 2 };
    };
    const parts = {
      dataDirectory: folder,
      machine: on,
      records: { run } as unknown as Records,
      now: () => 1,
      startedAt: 1,
      log: silentLog,
    };
    const onOwnBeacons = () => void steps.push('send');
    return {
      time,
      steps,
      ...openIdentityInTime(parts, { schedule: time.schedule, tell() {}, onOwnBeacons }),
    };
  }

  test.each<[string, string | null, RecordsCommand | null]>([
    ['its key is not stored', 'signing-key.pem.tmp', null],
    ['the old key is not renamed', 'signing-key.OLD.pem', null],
    ['its epoch does not begin', null, 'beginEpoch'],
    ['the beacons are not forgotten', null, 'forgetBeacons'],
  ])(
    'is tried again on another machine, and no waiting beacon is sent before, if %s',
    async (_why, blocked, failing) => {
      const { key } = await start(HERE);
      const blocker = blocked && join(folder, blocked.replace('OLD', key.fingerprint));
      if (blocker) await mkdir(blocker);
      let isMended = false;
      const { tried, opened, time, steps } = openingInTime(ELSEWHERE, () => (isMended ? null : failing));
      expect(await tried).toBe(false);
      await expect.poll(() => time.waits()).toEqual([60_000]);
      await time.advance(60_000);
      await expect.poll(() => time.waits()).toEqual([60_000]);
      expect(steps).not.toContain('send');
      isMended = true;
      if (blocker) await rm(blocker, { recursive: true });
      steps.length = 0;
      await time.advance(60_000);
      expect(await opened).toMatchObject({ changed: 'other-machine' });
      expect(steps).toEqual(['beginEpoch', 'forgetBeacons', 'send']);
    },
  );

  test('is tried again if machine.json is not stored, but does not hold back the beacons of its own epoch', async () => {
    await start(HERE);
    await mkdir(join(folder, 'machine.json.tmp'));
    const { tried, steps } = openingInTime(ELSEWHERE);
    expect([await tried, steps]).toEqual([false, ['beginEpoch', 'forgetBeacons', 'send']]);
  });

  test.each([true, false])(
    'lets the waiting beacons of its own machine be sent after the first try (full disk: %s)',
    async (isFull) => {
      if (isFull) await mkdir(join(folder, 'signing-key.pem.tmp'));
      else await start(HERE);
      const { tried, steps } = openingInTime(HERE);
      expect(await tried).toBe(!isFull);
      expect(steps).toEqual(['send']);
    },
  );

  test.each(['signing-key.pem', 'machine.json'])(
    'is not opened while %s cannot be read: it may be the key of another machine',
    async (name) => {
      const first = await start(HERE);
      const file = join(folder, name);
      await rename(file, `${file}.kept`);
      // A link to itself cannot be read, but replaced.
      await symlink(file, file);
      await expect(starting(ELSEWHERE).identity).rejects.toThrow('ELOOP');
      await rename(`${file}.kept`, file);
      expect((await start(HERE)).key.fingerprint).toBe(first.key.fingerprint);
      expect(await start(ELSEWHERE)).toMatchObject({ changed: 'other-machine' });
    },
  );

  test('is not tried again after a bug', async () => {
    const { schedule } = handTurnedTime();
    await start(HERE);
    const records = { run: () => Promise.reject(new TypeError('a bug')) } as unknown as Records;
    const parts = {
      dataDirectory: folder,
      machine: ELSEWHERE,
      records,
      now: () => 1,
      startedAt: 1,
      log: silentLog,
    };
    const { tried, opened } = openIdentityInTime(parts, { schedule, tell() {}, onOwnBeacons() {} });
    await expect(tried).rejects.toThrow('a bug');
    await expect(opened).rejects.toThrow('a bug');
  });
});
