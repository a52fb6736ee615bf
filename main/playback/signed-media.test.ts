import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { silentLog } from '../../shared/log';
import { createDecider } from '../decisions/decider';
import { anAd, emptyBooks } from '../decisions/testing/ads-for-tests';
import { createAdFetch } from '../egress/ad-fetch';
import { createEgressPolicy } from '../egress/egress-policy';
import { type Disk, realDisk } from '../media/disk';
import { createMediaCache } from '../media/media-cache';
import { cachePaths, type StoredMedia } from '../media/stored-media';
import { type MediaServer, startMediaServer } from '../media/testing/media-server';
import { noQuarantine } from '../media/testing/no-quarantine';
import { paddedPng } from '../media/testing/padded-png';
import { readInPlace } from '../reading/testing/read-in-place';
import { timers } from '../schedule';
import { type HandTurnedTime, handTurnedTime } from '../service/testing/hand-turned-time';
import { createAdFiles } from './ad-files';
import { createPlaylist } from './playlist';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const png = paddedPng(200_000);

let directory: string;
let server: MediaServer;
let time: HandTurnedTime;
/** Signatures that the server still takes. */
let valid: Set<string>;
let closing: Array<() => Promise<void>>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'endcap-signed-'));
  time = handTurnedTime(Date.UTC(2026, 10, 20));
  valid = new Set(['one', 'two', 'three']);
  closing = [];
  server = await startMediaServer();
  server.instead = (request, response, serve) => {
    const { pathname, searchParams } = new URL(request.url ?? '', server.origin);
    if (!valid.has(searchParams.get('Signature') ?? '')) {
      response.writeHead(403).end();
      return;
    }
    request.url = pathname;
    serve();
  };
  for (const name of ['a.png', 'b.png']) server.put(`/${name}`, Buffer.concat([png, Buffer.from(name)]));
});

afterEach(async () => {
  for (const close of closing) await close();
  await server.close();
  await rm(directory, { recursive: true, force: true });
});

/** A URL as CloudFront signs it. */
const signed = (name: string, signature: string) =>
  `${server.origin}/${name}?Expires=1800000000&Signature=${signature}&Key-Pair-Id=K2JCJMDEHXQW5F`;

const signedAd = (name: string, signature: string, id = name): Ad => {
  const ad = anAd({ sourceId: 'cms', flightId: 'flight' }, signed(name, signature), id);
  return { ...ad, mediaFiles: ad.mediaFiles.map((file) => ({ ...file, type: 'image/png' })) };
};

/** The playlist of a kiosk over its cache, and a real server. */
async function kiosk(disk: Disk = realDisk) {
  const cache = createMediaCache({
    directory,
    disk,
    quotaBytes: 1e9,
    minFreeBytes: 0,
    fetch: createAdFetch({
      egressPolicy: createEgressPolicy({
        serviceUrls: [],
        allowPrivateHosts: ['127.0.0.1'],
        lookup: async () => [],
      }),
      purpose: 'media',
      schedule: timers,
    }),
    clock: time.clock,
    schedule: time.schedule,
    random: () => 0,
    log: silentLog,
    reading: readInPlace,
    quarantine: noQuarantine,
    bytesPerSecond: Number.POSITIVE_INFINITY,
  });
  closing.push(cache.close);
  await cache.open();
  const files = createAdFiles({ width: 1920, height: 1080 }, cache);
  const decider = createDecider({
    ...emptyBooks,
    ads: [],
    mediaUrl: files.key,
  });
  const playlist = createPlaylist({
    decider,
    store: { storePlaylist: async () => {}, renewPlaylist: async () => {} },
    media: cache,
    files,
    pause: async () => {},
    clock: time.clock,
    log: silentLog,
    maxAgeMs: 30 * DAY_MS,
    takenOver: () => {},
    unusable: () => {},
    changed: () => {},
  });
  return {
    cache,
    playlist,
    offer: (...ads: Ad[]) =>
      playlist.offer({ ads, receivedAt: time.clock.now(), etag: null, lastModified: null }),
    isPlaying: (signature: string) =>
      eventually(() => playlist.current()?.ads[0]?.mediaFiles[0]?.url).toContain(`Signature=${signature}&`),
    /** Reserves the next play; returns its ad. */
    play() {
      const choice = decider.choose(time.clock.now());
      if (choice === null) return null;
      decider.enter(choice, time.clock.now());
      return choice.ad.id;
    },
    stored: (...names: string[]) =>
      eventually(() =>
        cache
          .files()
          .map(({ url }) => new URL(url).pathname.slice(1))
          .sort(),
      ).toEqual(names),
  };
}

const eventually = <T>(look: () => T) => expect.poll(look, { interval: 5 });
const asked = () => server.asked.map(({ path }) => path);
const signaturesAsked = () =>
  asked().map((path) => new URL(path, server.origin).searchParams.get('Signature'));

describe('media whose URL is signed anew in each answer', () => {
  it('is downloaded once', async () => {
    const { offer, stored, isPlaying, cache } = await kiosk();
    await offer(signedAd('a.png', 'one'), signedAd('b.png', 'one'));
    await stored('a.png', 'b.png');
    await offer(signedAd('a.png', 'two'), signedAd('b.png', 'two'));
    await isPlaying('two');
    await cache.close();
    expect(signaturesAsked()).toEqual(['one', 'one']);
  });

  it('plays on without network after a refresh, and keeps its turn', async () => {
    const { offer, stored, isPlaying, play } = await kiosk();
    await offer(signedAd('a.png', 'one'), signedAd('b.png', 'one'));
    await stored('a.png', 'b.png');
    await isPlaying('one');
    expect(play()).toBe('a.png');
    server.instead = (request) => void request.socket.destroy();
    await offer(signedAd('a.png', 'two'), signedAd('b.png', 'two'));
    await isPlaying('two');
    expect([play(), play()]).toEqual(['b.png', 'a.png']);
  });

  it('is one file where one answer signs it twice', async () => {
    const { offer, isPlaying, play, cache } = await kiosk();
    await offer(signedAd('a.png', 'one', 'first'), signedAd('a.png', 'two', 'second'));
    await isPlaying('one');
    expect(new Set([play(), play()])).toEqual(new Set(['first', 'second']));
    await cache.close();
    expect(asked()).toHaveLength(1);
  });

  it('is there after a restart, under its newest signature', async () => {
    const before = await kiosk();
    await before.offer(signedAd('a.png', 'one'));
    await before.stored('a.png');
    await before.cache.close();
    const { offer, isPlaying, play } = await kiosk();
    await offer(signedAd('a.png', 'two'));
    await isPlaying('two');
    expect(play()).toBe('a.png');
    expect(asked()).toHaveLength(1);
  });

  it('is fetched at once with a new signature after the server refused the old one', async () => {
    const { offer, isPlaying, cache } = await kiosk();
    await offer(signedAd('a.png', 'expired'));
    await eventually(() => cache.problems().map(({ code }) => code)).toEqual(['status']);
    for (const _again of [2, 3]) {
      const tries = asked().length;
      time.pass(cache.waitMs(signed('a.png', 'expired')));
      await eventually(() => asked().length).toBe(tries + 1);
      await eventually(() => cache.waitMs(signed('a.png', 'expired'))).toBeGreaterThan(0);
    }
    await offer(signedAd('a.png', 'one'));
    await isPlaying('one');
    expect(cache.problems()).toEqual([]);
  });

  it('is fetched with its new signature where the old one is refused only after that', async () => {
    const { offer, isPlaying } = await kiosk();
    const answer = server.instead;
    let refuse = () => {};
    server.instead = (_request, response) => {
      server.instead = answer;
      refuse = () => void response.writeHead(403).end();
    };
    await offer(signedAd('a.png', 'expired'));
    await eventually(asked).toHaveLength(1);
    await offer(signedAd('a.png', 'one'));
    refuse();
    await isPlaying('one');
    expect(signaturesAsked()).toEqual(['expired', 'one']);
  });

  it('is fetched by the URL of another ad where the server refuses the newest one', async () => {
    const { offer, stored, cache } = await kiosk();
    await offer(signedAd('a.png', 'forged', 'first'), signedAd('a.png', 'one', 'second'));
    await eventually(() => cache.waitMs(signed('a.png', 'one'))).toBeGreaterThan(0);
    time.pass(cache.waitMs(signed('a.png', 'one')));
    await stored('a.png');
    expect(signaturesAsked()).toEqual(['forged', 'one']);
  });

  it.each<[number, Record<string, string>]>([
    [429, { 'retry-after': '600' }],
    [503, { 'retry-after': '600' }],
    [503, {}],
    [500, {}],
  ])('is still waited for where its server is overloaded (%i %j)', async (status, headers) => {
    const { offer, cache } = await kiosk();
    server.instead = (_request, response) => void response.writeHead(status, headers).end();
    await offer(signedAd('a.png', 'one'));
    await eventually(() => cache.waitMs(signed('a.png', 'one'))).toBeGreaterThan(0);
    const waitMs = cache.waitMs(signed('a.png', 'one'));
    await offer(signedAd('a.png', 'two'));
    expect(cache.waitMs(signed('a.png', 'two'))).toBe(waitMs);
  });

  it('is still waited for where its server cannot be reached', async () => {
    const { offer, cache } = await kiosk();
    server.instead = (request) => void request.socket.destroy();
    await offer(signedAd('a.png', 'one'));
    await eventually(() => cache.waitMs(signed('a.png', 'one'))).toBeGreaterThan(0);
    await offer(signedAd('a.png', 'two'));
    expect(cache.waitMs(signed('a.png', 'two'))).toBeGreaterThan(0);
  });

  it('is continued, and asked for again after an hour, with its newest signature', async () => {
    const { offer, isPlaying, cache, stored } = await kiosk();
    const answer = server.instead;
    server.instead = (request, response, serve) => {
      server.instead = answer;
      response.end = ((body: Buffer) => {
        response.write(body.subarray(0, 100_000), () => request.socket.end());
        return response;
      }) as typeof response.end;
      request.url = '/a.png';
      serve();
    };
    await offer(signedAd('a.png', 'one'));
    await eventually(() => cache.waitMs(signed('a.png', 'one'))).toBeGreaterThan(0);
    await offer(signedAd('a.png', 'two'));
    time.pass(cache.waitMs(signed('a.png', 'two')));
    await stored('a.png');
    await isPlaying('two');
    expect(server.asked.map(({ range }) => range)).toEqual([
      undefined,
      expect.stringMatching(/^bytes=[1-9]/),
    ]);
    valid.delete('one');
    valid.delete('two');
    await offer(signedAd('a.png', 'three'));
    time.pass(HOUR_MS);
    cache.revalidate();
    await eventually(asked).toHaveLength(3);
    expect(signaturesAsked()).toEqual(['one', 'two', 'three']);
    expect(server.asked.at(-1)?.ifNoneMatch).toBeDefined();
  });

  describe('and that an earlier version stored by its whole URL', () => {
    /** Gives a stored file the note and the name of an earlier version. */
    async function asBefore(signature: string, changes: Partial<StoredMedia> = {}) {
      const paths = cachePaths(directory);
      const url = signed('a.png', signature);
      const now = JSON.parse(await readFile(paths.note(`${server.origin}/a.png`), 'utf8')) as StoredMedia;
      const before = { ...now, ...changes, url, key: paths.keyOf(url, now.sha256) };
      await copyFile(paths.file(now.key), paths.file(before.key));
      await writeFile(paths.note(url), JSON.stringify(before));
      return async () => {
        for (const path of [paths.file(now.key), paths.note(now.url)]) await rm(path);
      };
    }
    async function storedOnce() {
      const { offer, stored, cache } = await kiosk();
      await offer(signedAd('a.png', 'one'));
      await stored('a.png');
      await cache.close();
    }
    const namesOnDisk = async (end: string) =>
      (await readdir(directory)).filter((name) => name.endsWith(end)).length;

    it('plays on without network, also after the next start', async () => {
      await storedOnce();
      await (await asBefore('one'))();
      server.instead = (request) => void request.socket.destroy();
      for (const signature of ['two', 'three']) {
        const { offer, isPlaying, play, cache } = await kiosk();
        await offer(signedAd('a.png', signature));
        await isPlaying(signature);
        expect(play()).toBe('a.png');
        await cache.close();
        expect([await namesOnDisk('.json'), await namesOnDisk('.bin')]).toEqual([1, 1]);
      }
    });

    it('is taken over once: of its other copies, which nobody needs, the latest', async () => {
      await storedOnce();
      await asBefore('one', { storedAt: 1 });
      await (await asBefore('two', { storedAt: 2 }))();
      const { cache } = await kiosk();
      expect(cache.lookup(signed('a.png', 'three'))?.storedAt).toBe(2);
      expect(cache.usage().files).toBe(2);
    });

    it('is kept while the disk cannot read its new note', async () => {
      await storedOnce();
      await (await asBefore('one'))();
      await (await kiosk()).cache.close();
      const unread = async () => Promise.reject(Object.assign(new Error('EIO'), { code: 'EIO' }));
      await (await kiosk({ ...realDisk, readText: unread })).cache.close();
      const { cache } = await kiosk();
      expect(cache.lookup(signed('a.png', 'two'))).not.toBeNull();
    });

    it('leaves no file without a note because another note cannot be read', async () => {
      await storedOnce();
      const paths = cachePaths(directory);
      const { key } = JSON.parse(await readFile(paths.note(`${server.origin}/a.png`), 'utf8')) as StoredMedia;
      // An older version, and a part: neither can be what an unread note names.
      await writeFile(paths.file(paths.keyOf(`${server.origin}/a.png`, '0'.repeat(64))), png);
      const unread = paths.note('https://media.test/unread.png');
      const unreadPart = paths.partNote('https://media.test/part.png');
      for (const path of [unread, unreadPart]) await mkdir(path);
      await (await kiosk()).cache.close();
      expect((await readdir(directory)).filter((name) => name.endsWith('.bin'))).toEqual([`${key}.bin`]);
      await rmdir(unread);
      await writeFile(paths.file(paths.keyOf('https://media.test/b.png', '0'.repeat(64))), png);
      await (await kiosk()).cache.close();
      expect((await readdir(directory)).filter((name) => name.endsWith('.bin'))).toEqual([`${key}.bin`]);
    });

    it('is not lost where the kiosk ended while it was taken over', async () => {
      await storedOnce();
      const url = signed('a.png', 'one');
      const paths = cachePaths(directory);
      const note = JSON.parse(await readFile(paths.note(`${server.origin}/a.png`), 'utf8')) as StoredMedia;
      await writeFile(paths.note(url), JSON.stringify({ ...note, url }));
      const { cache } = await kiosk();
      expect(cache.files().map((file) => file.url)).toEqual([`${server.origin}/a.png`]);
      expect([await namesOnDisk('.json'), await namesOnDisk('.bin')]).toEqual([1, 1]);
    });
  });
});
