import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { readInPlace } from '../reading/testing/read-in-place';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { realDisk } from './disk';
import { fetchHouseFile } from './house-file';
import { createHouseFolder } from './house-folder';
import { createMediaCache } from './media-cache';
import { type DrawnFile, QUARANTINE_MS } from './quarantine';
import { openQuarantine, type Quarantine } from './quarantine-store';
import { type MediaServer, startMediaServer } from './testing/media-server';
import { paddedPng } from './testing/padded-png';

const DAY_MS = 86_400_000;
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const bytes = paddedPng(5_000);
const changed = paddedPng(6_000);
const drawn: DrawnFile = { sha256: hash(bytes), name: 'https://cdn.example/a.png?key=secret', guest: null };

const other: DrawnFile = { ...drawn, sha256: hash(changed) };

let folder: string;
let path: string;
let now: number;
let isTrusted: boolean;
const clock = { now: () => now, monotonic: () => now, isTrusted: () => isTrusted };
/** Opens the quarantine as after a restart. */
const opened = (): Quarantine => openQuarantine(path, clock, silentLog);
const written = () => readFile(path, 'utf8').catch(() => '');
const OFTEN = { interval: 5 };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-quarantine-'));
  path = join(folder, 'quarantine.json');
  now = Date.UTC(2026, 10, 20);
  isTrusted = true;
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

describe('the quarantine on disk', () => {
  it('counts strikes across restarts, and lasts 7 days', async () => {
    expect(opened().strike([drawn], 'hang')).toBe(true);
    await expect.poll(written, OFTEN).toContain('"count":1');
    const second = opened();
    expect(second.msFor(drawn.sha256)).toBe(0);
    expect(second.strike([drawn], 'graphics')).toBe(false);
    await expect.poll(written, OFTEN).toContain('"count":2');
    expect(opened().all()).toEqual([
      {
        sha256: drawn.sha256,
        name: drawn.name,
        cause: 'graphics',
        since: now,
        until: now + QUARANTINE_MS,
      },
    ]);
    now += QUARANTINE_MS;
    expect([opened().all(), second.all(), second.msFor(drawn.sha256)]).toEqual([[], [], 0]);
  });

  it('lasts where the clock is years behind at a start', () => {
    opened().strike([drawn], 'main');
    opened().strike([drawn], 'main');
    const struckAt = now;
    now = 0;
    const quarantine = opened();
    now = struckAt + 60_000;
    expect(quarantine.msFor(drawn.sha256)).toBe(QUARANTINE_MS - 60_000);
  });

  it('lasts 7 days over restarts where the clock was years ahead', async () => {
    const right = now;
    now += 3 * 365 * DAY_MS;
    opened().strike([drawn], 'main');
    opened().strike([drawn], 'main');
    now = right;
    expect(opened().all()).toMatchObject([{ since: right }]);
    await expect.poll(written, OFTEN).toContain(`"lastAt":${right}`);
    now += QUARANTINE_MS - 1;
    expect(opened().all()).toMatchObject([{ since: right }]);
    now += 1;
    expect(opened().all()).toEqual([]);
  });

  it('outlives starts whose clock is wrong until the service has told the time', async () => {
    const right = now;
    for (const _ of [1, 2]) opened().strike([drawn], 'main');
    isTrusted = false;
    for (const wrongBy of [8 * DAY_MS, -8 * DAY_MS]) {
      now = right + wrongBy;
      const quarantine = opened();
      expect(quarantine.all()).toHaveLength(wrongBy > 0 ? 0 : 1);
      quarantine.strike([other], 'main');
      quarantine.all();
      quarantine.shownWhole([other]);
      await expect.poll(written, OFTEN).not.toContain(other.sha256);
      now = right + 60_000;
      isTrusted = true;
      expect(quarantine.msFor(drawn.sha256)).toBe(QUARANTINE_MS - 60_000);
      expect(opened().all()).toMatchObject([{ since: right }]);
      isTrusted = false;
    }
  });

  it('is not stored after each play of a creative without strikes', async () => {
    opened().shownWhole([drawn]);
    expect(await written()).toBe('');
  });

  it('stores a strike even if the process ends at once', () => {
    opened().strike([drawn], 'main');
    opened().strike([drawn], 'main');
    expect(opened().msFor(drawn.sha256)).toBe(QUARANTINE_MS);
  });

  it('counts no strike for a power cut while a creative was shown', () => {
    opened();
    expect(opened().strike([drawn], 'hang')).toBe(true);
  });

  it('survives that it cannot be read for a moment, until a strike', async () => {
    for (const _ of [1, 2]) opened().strike([other], 'main');
    opened().strike([drawn], 'main');
    const stored = await written();
    await rename(path, `${path}.good`);
    // A link to itself: reading fails, as from a bad disk.
    await symlink(path, path);
    const quarantine = opened();
    expect(quarantine.msFor(other.sha256)).toBe(0);
    quarantine.shownWhole([drawn]);
    await rename(`${path}.good`, path);
    expect(await written()).toBe(stored);
    quarantine.strike([drawn], 'main');
    expect([quarantine.msFor(drawn.sha256), quarantine.msFor(other.sha256)]).toEqual([
      QUARANTINE_MS,
      QUARANTINE_MS,
    ]);
    await expect.poll(() => opened().all().length, OFTEN).toBe(2);
  });

  it('stores a strike in place of what cannot be read again', async () => {
    await symlink(path, path);
    opened().strike([drawn], 'main');
    expect(opened().strike([drawn], 'main')).toBe(false);
  });

  it('keeps what cannot be read if a strike cannot be stored either', async () => {
    const disk = join(folder, 'disk');
    await mkdir(join(folder, 'good'));
    path = join(folder, 'good', 'quarantine.json');
    for (const _ of [1, 2]) opened().strike([other], 'main');
    path = join(disk, 'quarantine.json');
    // A link to itself: neither reading nor writing works, as on a disk that has gone.
    await symlink(disk, disk);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void warnings.push(message) };
    const quarantine = openQuarantine(path, clock, log);
    quarantine.strike([drawn], 'hang');
    await expect.poll(() => warnings, OFTEN).toContain('the quarantine could not be stored');
    await rm(disk);
    await rename(join(folder, 'good'), disk);
    quarantine.strike([drawn], 'hang');
    expect([quarantine.msFor(drawn.sha256), quarantine.msFor(other.sha256)]).toEqual([
      QUARANTINE_MS,
      QUARANTINE_MS,
    ]);
    await expect.poll(() => opened().all().length, OFTEN).toBe(2);
  });

  it('removes the strike of a creative that was shown to its end', async () => {
    const first = opened();
    first.strike([drawn], 'hang');
    first.shownWhole([drawn]);
    await expect.poll(written, OFTEN).toBe('[]');
  });

  it.each(['', '{', '{"a":1}', `[${'['.repeat(5_000)}`, 'x'.repeat(2_000_000)])(
    'is empty if its file is broken',
    async (text) => {
      await writeFile(path, text);
      expect(opened().all()).toEqual([]);
    },
  );
});

describe('a quarantined file', () => {
  let server: MediaServer;
  beforeEach(async () => {
    server = await startMediaServer();
  });
  afterEach(() => server.close());

  it('is rejected by the cache until it changes or its quarantine ends', async () => {
    const quarantine = opened();
    const timers: Array<() => void> = [];
    const told: Array<[string, boolean]> = [];
    const cache = createMediaCache({
      directory: join(folder, 'media'),
      quotaBytes: 1e9,
      minFreeBytes: 0,
      fetch,
      clock,
      log: silentLog,
      random: () => 0,
      quarantine,
      reading: readInPlace,
      schedule: (_ms, run) => {
        timers.push(run);
        return () => timers.splice(timers.indexOf(run), 1);
      },
    });
    const [one, other] = [`${server.origin}/one.png`, `${server.origin}/other.png`];
    for (const name of ['/one.png', '/other.png']) server.put(name, bytes);
    await cache.open();
    cache.onChange((url, ready) => told.push([url, ready]));
    cache.want('playlist', [{ url: one }, { url: other }]);
    await expect.poll(() => cache.lookup(one) !== null && cache.lookup(other) !== null, OFTEN).toBe(true);
    told.length = 0;

    for (const _twice of [1, 2]) quarantine.strike([{ ...drawn, name: one }], 'hang');
    expect([cache.lookup(one), cache.lookup(other), await cache.verified(one)]).toEqual([null, null, null]);
    expect(told.sort()).toEqual([
      [one, false],
      [other, false],
    ]);
    expect(
      cache
        .problems()
        .map(({ url, code }) => [url, code])
        .sort(),
    ).toEqual([
      [one, 'harmful'],
      [other, 'harmful'],
    ]);

    for (const problem of cache.problems()) expect(cache.problemOf(problem.url)).toEqual(problem);

    server.put('/one.png', changed);
    now += 2 * 3_600_000;
    cache.revalidate();
    await expect.poll(() => cache.lookup(one)?.sha256, OFTEN).toBe(hash(changed));
    expect(cache.lookup(other)).toBeNull();

    now += QUARANTINE_MS;
    told.length = 0;
    await expect
      .poll(() => {
        for (const run of timers.splice(0)) run();
        return told.filter(([url]) => url === other);
      }, OFTEN)
      .toEqual([[other, true]]);
    expect([cache.lookup(other)?.sha256, cache.problems(), cache.problemOf(other)]).toEqual([
      hash(bytes),
      [],
      null,
    ]);
    await cache.close();
  });

  it('is skipped among house creatives', async () => {
    // A hand-turned clock, so that no deadline passes while a slow machine reads.
    const time = handTurnedTime(now);
    const { clock: turned, schedule } = time;
    const quarantine = openQuarantine(path, turned, silentLog);
    const fetchFile = fetchHouseFile(join(folder, 'house'), realDisk);
    const cache = createMediaCache({
      directory: join(folder, 'media'),
      quotaBytes: 1e9,
      minFreeBytes: 0,
      quarantine,
      random: () => 0,
      fetch: async (url, init) => fetchFile(url, init) ?? Promise.reject(new Error('not of the house')),
      clock: turned,
      log: silentLog,
      reading: readInPlace,
      schedule,
    });
    await cache.open();
    const house = createHouseFolder({
      folder: join(folder, 'house'),
      cache,
      onRead() {},
      log: silentLog,
      schedule,
    });
    await mkdir(join(folder, 'house'));
    await writeFile(join(folder, 'house', 'a.png'), bytes);
    await writeFile(join(folder, 'house', 'b.png'), changed);
    house.open();
    const stored = async () => {
      await time.advance(100);
      return cache.files().length;
    };
    await expect.poll(stored, OFTEN).toBe(2);
    await expect.poll(() => house.next()?.name, OFTEN).toBe('a.png');
    for (const _twice of [1, 2]) quarantine.strike([{ ...drawn, name: 'a.png' }], 'kiosk-window');
    expect([house.next()?.name, house.next()?.name]).toEqual(['b.png', 'b.png']);
    expect(cache.problems()).toMatchObject([
      { url: expect.stringContaining('house:a.png'), code: 'harmful' },
    ]);
    await cache.close();
  });
});
