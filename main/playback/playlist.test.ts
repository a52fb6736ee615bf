import { beforeEach, describe, expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { silentLog } from '../../shared/log';
import type { StoredPlaylist } from '../../shared/records';
import { createDecider } from '../decisions/decider';
import { anAd, emptyBooks } from '../decisions/testing/ads-for-tests';
import type { MediaProblem } from '../media/media-problem';
import type { MediaUser } from '../media/want-list';
import type { PlaylistStore } from '../records/stored-playlist';
import { createAdFiles } from './ad-files';
import { createPlaylist, type PlaylistParts } from './playlist';

const at = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;

/** A disk that the test fills, and books that record their commands. */
function world() {
  const onDisk = new Set<string>();
  const failed = new Map<string, MediaProblem>();
  const unusable: string[] = [];
  const setAside = new Set<string>();
  let listener: (url: string, ready: boolean) => void = () => {};
  const wanted: Partial<Record<MediaUser, string[]>> = {};
  const commands: Array<[string, unknown]> = [];
  const store: PlaylistStore = {
    storePlaylist: async (stored) => {
      if (isFull) throw new Error('the disk is full');
      commands.push(['storePlaylist', stored]);
    },
    renewPlaylist: (receivedAt) => {
      commands.push(['renewPlaylist', receivedAt]);
      return renewal;
    },
  };
  let renewal = Promise.resolve();
  let isFull = false;
  let changes = 0;
  const takenOver: string[][] = [];
  /** All wanted files after each change. */
  const wishes: string[][] = [];
  let onWish = () => {};
  let pausing = Promise.resolve();
  const media: PlaylistParts['media'] = {
    want: (who, media) => {
      wanted[who] = media.map(({ url }) => url);
      wishes.push(Object.values(wanted).flat());
      onWish();
    },
    lookup: (url) =>
      onDisk.has(url) ? { key: url, url, type: 'video/mp4', bytes: 1, sha256: '', storedAt: 0 } : null,
    onChange: (told, afterwards = () => {}) => {
      listener = (url, ready) => {
        told(url, ready);
        afterwards();
      };
    },
    problems: () => [...failed.values()],
    problemOf: (url) => failed.get(url) ?? null,
    waitMs: (url) => (setAside.has(url) ? DAY_MS : 0),
  };
  const time = { now: at };
  const screen = { width: 1920, height: 1080 };
  const files = createAdFiles(screen, media);
  const decider = createDecider({
    ...emptyBooks,
    ads: [],
    mediaUrl: files.key,
  });
  const playlist = createPlaylist({
    decider,
    store,
    media,
    files,
    pause() {
      const paused = pausing;
      pausing = Promise.resolve();
      return paused;
    },
    clock: { now: () => time.now },
    log: silentLog,
    maxAgeMs: 30 * DAY_MS,
    takenOver: (ads) => void takenOver.push(ads.map(({ id }) => id ?? '')),
    unusable: (ads, errorCode) => void unusable.push(...ads.map(({ id }) => `${id} ${errorCode}`)),
    changed: () => {
      changes += 1;
    },
  });
  return {
    playlist,
    time,
    /** What the kiosk shows of an ad at the moment. */
    shows: files.playable,
    async resize(width: number, height: number) {
      Object.assign(screen, { width, height });
      await playlist.wantMedia();
    },
    setAside,
    wanted,
    wishes,
    commands,
    takenOver,
    changes: () => changes,
    fillDisk(full: boolean) {
      isFull = full;
    },
    /** Makes renewals wait; returns a function that makes them fail. */
    holdRenewals(): (error: Error) => void {
      let fail = (_error: Error) => {};
      renewal = new Promise((_resolve, reject) => {
        fail = reject;
      });
      return (error) => fail(error);
    },
    /** Makes the work that pauses next wait for its turn; returns a function that lets it go on. */
    holdNextTurn(): () => void {
      let goOn = () => {};
      pausing = new Promise((resolve) => {
        goOn = resolve;
      });
      return () => goOn();
    },
    /** Runs this at the next change of the wanted files. */
    atNextWish(run: () => void) {
      onWish = () => {
        onWish = () => {};
        run();
      };
    },
    plays: () => decider.choose(at)?.ad.id ?? null,
    playsAt: (when: number) => decider.choose(when)?.ad.id ?? null,
    arrive(url: string) {
      onDisk.add(url);
      listener(url, true);
    },
    lose(url: string) {
      onDisk.delete(url);
      listener(url, false);
    },
    fail(url: string, code: MediaProblem['code'] = 'status') {
      failed.set(url, { url, code, detail: '' });
      listener(url, false);
    },
    unusable,
  };
}

/** Runs all work that only waits for its turn. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve));

const offered = (ads: readonly Ad[], etag = '"1"'): StoredPlaylist => ({
  ads: [...ads],
  receivedAt: at,
  etag,
  lastModified: null,
});
const ad = (id: string, url: string | null) => {
  const made = anAd({}, url ?? undefined, id);
  return url === null ? { ...made, mediaFiles: [] } : made;
};

/** The first playlist: one ad, whose file is on disk. */
async function playA(kiosk: ReturnType<typeof world>): Promise<void> {
  await kiosk.playlist.offer(offered([ad('a', 'https://u.test/a')]));
  kiosk.arrive('https://u.test/a');
  await expect.poll(kiosk.plays).toBe('a');
}

describe('a playlist (rule 3)', () => {
  let kiosk: ReturnType<typeof world>;
  beforeEach(() => {
    kiosk = world();
  });

  it('plays once the first of its media is on disk, and is stored then', async () => {
    expect(
      await kiosk.playlist.offer(offered([ad('a', 'https://u.test/a'), ad('b', 'https://u.test/b')])),
    ).toBe('accepted');
    expect(kiosk.plays()).toBeNull();
    expect(kiosk.commands).toEqual([]);
    kiosk.arrive('https://u.test/b');
    await expect.poll(kiosk.plays).toBe('b');
    expect(kiosk.commands.map(([command]) => command)).toEqual(['storePlaylist']);
  });

  it('has an ad play whose only URL is long, while its file is there', async () => {
    const kiosk = world();
    const long = `https://u.test/${'a'.repeat(1_000)}`;
    await kiosk.playlist.offer(offered([ad('a', long)]));
    kiosk.arrive(long);
    await settled();
    expect(kiosk.plays()).toBe('a');
    kiosk.lose(long);
    expect(kiosk.plays()).toBeNull();
    kiosk.arrive(long);
    expect(kiosk.plays()).toBe('a');
  });

  it('is what staff see of an answer whose media cannot be fetched, as long as nothing else plays', async () => {
    const ids = () => kiosk.playlist.latest()?.ads.map(({ id }) => id);
    expect(ids()).toBeUndefined();
    await kiosk.playlist.offer(offered([ad('a', 'https://u.test/a')]));
    kiosk.fail('https://u.test/a');
    expect(kiosk.playlist.current()).toBeNull();
    expect(ids()).toEqual(['a']);
    kiosk.arrive('https://u.test/a');
    await expect.poll(kiosk.plays).toBe('a');
    await kiosk.playlist.offer(offered([ad('b', 'https://u.test/b')], '"2"'));
    expect(ids()).toEqual(['a']);
  });

  it('keeps playing the old one until the first new medium of the next is on disk', async () => {
    await kiosk.playlist.offer(offered([ad('old', 'https://u.test/old')]));
    kiosk.arrive('https://u.test/old');
    await expect.poll(kiosk.plays).toBe('old');
    await kiosk.playlist.offer(
      offered([ad('new', 'https://u.test/new'), ad('old', 'https://u.test/old')], '"2"'),
    );
    expect(kiosk.plays()).toBe('old');
    expect(kiosk.playlist.current()?.etag).toBe('"1"');
    kiosk.arrive('https://u.test/new');
    await expect.poll(() => kiosk.playlist.current()?.etag).toBe('"2"');
  });

  it('is replaced at once by one whose media are all on disk', async () => {
    await playA(kiosk);
    await kiosk.playlist.offer(offered([ad('renamed', 'https://u.test/a')], '"2"'));
    await expect.poll(kiosk.plays).toBe('renamed');
  });

  it('needs no new file of an answer where it can play nothing anyway: none is there, or its ads have ended', async () => {
    const expired = anAd({ expiresAt: at - 1 }, 'https://u.test/a', 'expired');
    const stale = {
      ...offered([ad('stale', 'https://u.test/a'), expired]),
      receivedAt: at - 30 * DAY_MS - 1,
    };
    for (const before of [null, offered([expired]), stale]) {
      const kiosk = world();
      kiosk.arrive('https://u.test/a');
      if (before) kiosk.playlist.restore(before);
      expect(kiosk.plays()).toBeNull();
      await kiosk.playlist.offer(
        offered([ad('kept', 'https://u.test/a'), ad('film', 'https://u.test/film')], '"2"'),
      );
      await expect.poll(kiosk.plays).toBe('kept');
    }
  });

  it('waits for a new file of the next one while one of its own ads has not ended', async () => {
    const expired = anAd({ expiresAt: at - 1 }, 'https://u.test/a', 'expired');
    const valid = anAd({ expiresAt: at }, 'https://u.test/a', 'valid');
    kiosk.arrive('https://u.test/a');
    kiosk.playlist.restore(offered([expired, valid]));
    await kiosk.playlist.offer(
      offered([ad('kept', 'https://u.test/a'), ad('film', 'https://u.test/film')], '"2"'),
    );
    await settled();
    expect(kiosk.plays()).toBe('valid');
    kiosk.time.now += 1;
    kiosk.fail('https://u.test/other');
    await expect.poll(kiosk.plays).toBe('kept');
  });

  it('is not replaced by one whose new media all fail and nothing of which can be shown', async () => {
    await playA(kiosk);
    await kiosk.playlist.offer(offered([ad('b', 'https://u.test/b')], '"2"'));
    kiosk.fail('https://u.test/b');
    expect(kiosk.plays()).toBe('a');
    kiosk.arrive('https://u.test/b');
    await expect.poll(kiosk.plays).toBe('b');
  });

  it('is replaced by one whose new media all failed while others of it can be shown', async () => {
    await kiosk.playlist.offer(offered([ad('a', 'https://u.test/a'), ad('gone', 'https://u.test/gone')]));
    kiosk.arrive('https://u.test/a');
    await expect.poll(kiosk.plays).toBe('a');
    await kiosk.playlist.offer(offered([ad('kept', 'https://u.test/a'), ad('b', 'https://u.test/b')], '"2"'));
    kiosk.fail('https://u.test/b');
    await expect.poll(kiosk.plays).toBe('kept');
  });

  it('is not replaced before all new media failed, each with all its files', async () => {
    await playA(kiosk);
    const [one, other] = [ad('', 'https://u.test/1'), ad('', 'https://u.test/2')];
    const both = { ...ad('both', null), mediaFiles: [...one.mediaFiles, ...other.mediaFiles] };
    await kiosk.playlist.offer(
      offered([ad('kept', 'https://u.test/a'), ad('b', 'https://u.test/b'), both], '"2"'),
    );
    for (const name of ['b', '1']) {
      kiosk.fail(`https://u.test/${name}`);
      await settled();
      expect(kiosk.plays()).toBe('a');
    }
    kiosk.fail('https://u.test/2');
    await expect.poll(kiosk.plays).toBe('kept');
  });

  it('is replaced by one whose only new media is of an expired ad, which is never fetched', async () => {
    await playA(kiosk);
    const expired = anAd({ expiresAt: at - 1 }, 'https://u.test/b', 'b');
    await kiosk.playlist.offer(offered([ad('kept', 'https://u.test/a'), expired], '"2"'));
    await expect.poll(kiosk.plays).toBe('kept');
  });

  it('is replaced by one whose new media were set aside for an earlier answer', async () => {
    await playA(kiosk);
    // Its problem is forgotten: no answer had it since.
    kiosk.setAside.add('https://u.test/b');
    await kiosk.playlist.offer(offered([ad('kept', 'https://u.test/a'), ad('b', 'https://u.test/b')], '"2"'));
    await expect.poll(kiosk.plays).toBe('kept');
  });

  it('is not replaced by an answer without an ad that could ever play here', async () => {
    await playA(kiosk);
    expect(await kiosk.playlist.offer(offered([ad('b', null)], '"2"'))).toBe('nothing-playable');
    expect(kiosk.plays()).toBe('a');
    expect(kiosk.playlist.validators()).toEqual({ etag: '"1"', lastModified: null });
  });

  it('is not replaced by an answer whose ads have all expired, as a stale cache sends it', async () => {
    await playA(kiosk);
    const expired = anAd({ expiresAt: at - 1 }, 'https://u.test/a', 'expired');
    expect(await kiosk.playlist.offer(offered([expired], '"2"'))).toBe('nothing-playable');
    await settled();
    expect(kiosk.plays()).toBe('a');
    expect(kiosk.commands).toHaveLength(1);
    expect(kiosk.playlist.validators()).toEqual({ etag: '"1"', lastModified: null });
    // At its expiry an ad is still valid (rule 5).
    const last = anAd({ expiresAt: at }, 'https://u.test/a', 'last');
    expect(await kiosk.playlist.offer(offered([last], '"3"'))).toBe('accepted');
    await expect.poll(kiosk.plays).toBe('last');
  });

  it('is not replaced while only expired ads of the next could be shown', async () => {
    await playA(kiosk);
    const expired = anAd({ expiresAt: at - 1 }, 'https://u.test/a', 'expired');
    await kiosk.playlist.offer(offered([expired, ad('b', 'https://u.test/b')], '"2"'));
    kiosk.fail('https://u.test/b');
    await settled();
    expect(kiosk.plays()).toBe('a');
  });

  it('is replaced although a new file is missing, once the service confirms the answer after the end of its ad', async () => {
    await playA(kiosk);
    const short = anAd({ expiresAt: at + 60_000 }, 'https://u.test/b', 'short');
    await kiosk.playlist.offer(offered([ad('kept', 'https://u.test/a'), short], '"2"'));
    await kiosk.playlist.unchanged(at + 60_000);
    await settled();
    expect(kiosk.plays()).toBe('a');
    await kiosk.playlist.unchanged(at + 60_001);
    await expect.poll(kiosk.plays).toBe('kept');
  });

  it('is not replaced by a confirmed answer of which only an ad that has expired since could be shown', async () => {
    await playA(kiosk);
    const short = anAd({ expiresAt: at + 60_000 }, 'https://u.test/a', 'short');
    await kiosk.playlist.offer(offered([short, ad('b', 'https://u.test/b')], '"2"'));
    await kiosk.playlist.unchanged(at + 60_001);
    kiosk.fail('https://u.test/b');
    await settled();
    expect(kiosk.plays()).toBe('a');
  });

  it('is not replaced before a new file is on disk that an expired ad and a valid one share', async () => {
    await playA(kiosk);
    const expired = anAd({ expiresAt: at - 1 }, 'https://u.test/b', 'expired');
    const next = [expired, ad('b', 'https://u.test/b'), ad('kept', 'https://u.test/a')];
    await kiosk.playlist.offer(offered(next, '"2"'));
    await settled();
    expect(kiosk.plays()).toBe('a');
    kiosk.arrive('https://u.test/b');
    await expect.poll(() => kiosk.playlist.current()?.etag).toBe('"2"');
  });

  it('is requested whole once in each run, because the settings may ask for another one since', async () => {
    kiosk.playlist.restore(offered([ad('a', 'https://u.test/a')]));
    expect(kiosk.playlist.validators()).toBeNull();
    await kiosk.playlist.offer(offered([ad('a', 'https://u.test/a')], '"2"'));
    expect(kiosk.playlist.validators()).toEqual({ etag: '"2"', lastModified: null });
    const lastModified = 'Fri, 20 Nov 2026 00:00:00 GMT';
    const dated = { ...offered([ad('a', 'https://u.test/a')]), etag: null, lastModified };
    await kiosk.playlist.offer(dated);
    expect(kiosk.playlist.validators()).toEqual({ etag: null, lastModified });
    kiosk = world();
    kiosk.playlist.restore(dated);
    expect(kiosk.playlist.validators()).toBeNull();
  });

  it('is replaced only by the newest answer, however many came in between', async () => {
    for (const [id, etag] of [
      ['a', '"1"'],
      ['b', '"2"'],
      ['c', '"3"'],
    ] as const) {
      await kiosk.playlist.offer(offered([ad(id, `https://u.test/${id}`)], etag));
    }
    kiosk.arrive('https://u.test/a');
    kiosk.arrive('https://u.test/c');
    await expect.poll(kiosk.plays).toBe('c');
    const stored = kiosk.commands.filter(([command]) => command === 'storePlaylist');
    expect(stored).toHaveLength(1);
  });

  it('is replaced by the newest answer, even one that comes while the one before it takes over', async () => {
    await kiosk.playlist.offer(offered([ad('a', 'https://u.test/a')]));
    const goOn = kiosk.holdNextTurn();
    kiosk.arrive('https://u.test/a');
    kiosk.arrive('https://u.test/b');
    await kiosk.playlist.offer(offered([ad('b', 'https://u.test/b')], '"2"'));
    expect(kiosk.plays()).toBeNull();
    goOn();
    await expect.poll(kiosk.plays).toBe('b');
    expect(kiosk.commands.at(-1)).toMatchObject(['storePlaylist', { etag: '"2"' }]);
  });

  it('wants a file throughout while the answer with it takes over, so that no download is broken off', async () => {
    await playA(kiosk);
    await kiosk.playlist.offer(offered([ad('b', 'https://u.test/b'), ad('c', 'https://u.test/c')], '"2"'));
    const before = kiosk.wishes.length;
    kiosk.arrive('https://u.test/c');
    await expect.poll(() => kiosk.wanted.upcoming).toEqual([]);
    for (const wished of kiosk.wishes.slice(before)) expect(wished).toContain('https://u.test/b');
  });

  it('requests the files of the newest answer, even if those of the one before it are not requested yet', async () => {
    await playA(kiosk);
    await expect.poll(() => kiosk.wanted.upcoming).toEqual([]);
    let goOn = () => {};
    kiosk.atNextWish(() => {
      goOn = kiosk.holdNextTurn();
    });
    const earlier = kiosk.playlist.offer(offered([ad('b', 'https://u.test/b')], '"2"'));
    const before = kiosk.wishes.length;
    await expect.poll(() => kiosk.wishes.length).toBeGreaterThan(before);
    await kiosk.playlist.offer(offered([ad('c', 'https://u.test/c')], '"3"'));
    goOn();
    await earlier;
    expect(kiosk.wanted.upcoming).toEqual(['https://u.test/c']);
  });

  it('requests the files of a waiting answer besides the current ones, until that takes over', async () => {
    await playA(kiosk);
    await kiosk.playlist.offer(offered([ad('b', 'https://u.test/b'), ad('c', 'https://u.test/c')], '"2"'));
    expect(kiosk.wanted).toEqual({
      upcoming: ['https://u.test/b', 'https://u.test/c'],
      playlist: ['https://u.test/a'],
    });
    kiosk.arrive('https://u.test/c');
    await expect.poll(kiosk.plays).toBe('c');
    expect(kiosk.wanted).toEqual({ upcoming: [], playlist: ['https://u.test/b', 'https://u.test/c'] });
  });

  it('is renewed by an unchanged answer: ads without an expiry play on from then', async () => {
    await playA(kiosk);
    const renewing = kiosk.playlist.unchanged(at + DAY_MS);
    expect(kiosk.playlist.current()?.receivedAt).toBe(at + DAY_MS);
    expect(kiosk.commands.at(-1)).toEqual(['renewPlaylist', at + DAY_MS]);
    await renewing;
  });

  it('lets ads without an expiry play for 30 days after the last good answer, restarts included', async () => {
    const plays = (last: number) => [kiosk.playsAt(last), kiosk.playsAt(last + 1)];
    await playA(kiosk);
    expect(plays(at + 30 * DAY_MS)).toEqual(['a', null]);
    await kiosk.playlist.unchanged(at + DAY_MS);
    expect(plays(at + 31 * DAY_MS)).toEqual(['a', null]);
    // Confirmed before it takes over.
    await kiosk.playlist.offer(offered([ad('b', 'https://u.test/b')], '"2"'));
    await kiosk.playlist.unchanged(at + 2 * DAY_MS);
    kiosk.arrive('https://u.test/b');
    await expect.poll(() => kiosk.playlist.current()?.etag).toBe('"2"');
    expect(plays(at + 32 * DAY_MS)).toEqual(['b', null]);
    const stored = kiosk.playlist.current();
    if (!stored) throw new Error('nothing plays');
    kiosk = world();
    kiosk.arrive('https://u.test/b');
    kiosk.playlist.restore(stored);
    expect(plays(at + 32 * DAY_MS)).toEqual(['b', null]);
  });

  it('causes a new choice with a file, when it is replaced, and when the service confirms it', async () => {
    await kiosk.playlist.offer(offered([ad('a', 'https://u.test/a')]));
    expect(kiosk.changes()).toBe(0);
    kiosk.arrive('https://u.test/a');
    expect(kiosk.changes()).toBe(1);
    await expect.poll(kiosk.changes).toBe(2);
    await kiosk.playlist.unchanged(at + DAY_MS);
    expect(kiosk.changes()).toBe(3);
  });

  it('is renewed once that is stored, or when storing has failed', async () => {
    kiosk.playlist.restore(offered([ad('a', 'https://u.test/a')]));
    const failRenewal = kiosk.holdRenewals();
    let isRenewed = false;
    const renewing = kiosk.playlist.unchanged(at + DAY_MS).then(() => {
      isRenewed = true;
    });
    await settled();
    expect(isRenewed).toBe(false);
    failRenewal(new Error('the disk is full'));
    await renewing;
    expect(kiosk.playlist.current()?.receivedAt).toBe(at + DAY_MS);
  });

  it('is stored after an unchanged answer, if it could not be stored before', async () => {
    kiosk.fillDisk(true);
    kiosk.arrive('https://u.test/a');
    await kiosk.playlist.offer(offered([ad('a', 'https://u.test/a')]));
    await expect.poll(kiosk.plays).toBe('a');
    await kiosk.playlist.unchanged(at + DAY_MS);
    expect(kiosk.commands).toEqual([]);
    kiosk.fillDisk(false);
    await kiosk.playlist.unchanged(at + 2 * DAY_MS);
    expect(kiosk.commands).toEqual([['storePlaylist', kiosk.playlist.current()]]);
    await kiosk.playlist.unchanged(at + 3 * DAY_MS);
    expect(kiosk.commands.at(-1)).toEqual(['renewPlaylist', at + 3 * DAY_MS]);
  });

  it('plays again at once after a restart', () => {
    const url = 'https://u.test/a';
    kiosk.arrive(url);
    kiosk.playlist.restore(offered([ad('a', url), ad('b', 'https://u.test/b')]));
    expect(kiosk.plays()).toBe('a');
    expect(kiosk.wanted.playlist).toEqual([url, 'https://u.test/b']);
  });

  it('reports the ads in force: stored ones, then those that took over, never waiting or unplayable ones', async () => {
    kiosk.playlist.restore(offered([ad('stored', 'https://u.test/a')]));
    expect(kiosk.takenOver).toEqual([['stored']]);
    void kiosk.playlist.unchanged(at + 1);
    await kiosk.playlist.offer(offered([ad('unplayable', null)], '"2"'));
    await kiosk.playlist.offer(offered([ad('new', 'https://u.test/new')], '"3"'));
    await settled();
    expect(kiosk.takenOver).toEqual([['stored']]);
    kiosk.arrive('https://u.test/new');
    await expect.poll(() => kiosk.takenOver).toEqual([['stored'], ['new']]);
  });

  it('falls back to the next file of an ad when the preferred one fails, and returns to it', async () => {
    const [best, next] = ['https://media.test/best.mp4', 'https://media.test/next.mp4'];
    const [file] = anAd({}, best).mediaFiles;
    if (!file) throw new Error('no file');
    const choosy: Ad = { ...anAd({}, best, 'a'), mediaFiles: [file, { ...file, url: next }] };
    await kiosk.playlist.offer(offered([choosy]));
    expect(kiosk.wanted.upcoming).toEqual([best]);
    kiosk.fail(best);
    await settled();
    expect(kiosk.wanted.upcoming).toEqual([best, next]);
    kiosk.arrive(next);
    await settled();
    expect(kiosk.plays()).toBe('a');
    expect(kiosk.wanted.playlist).toEqual([best, next]);
    kiosk.arrive(best);
    kiosk.lose(next);
    await settled();
    expect(kiosk.plays()).toBe('a');
    expect(kiosk.wanted.playlist).toEqual([best]);
    kiosk.lose(best);
    expect(kiosk.plays()).toBeNull();
  });

  it('fetches the files for the new size of the screen, and shows the others until they are there', async () => {
    const sized = (name: string, width: number, height: number) =>
      ad('', `https://media.test/${name}.mp4`).mediaFiles.map((file) => ({ ...file, width, height }));
    const both = (name: string) => ({
      ...ad(name, null),
      mediaFiles: [...sized(`${name}-lying`, 1280, 720), ...sized(`${name}-upright`, 720, 1280)],
    });
    const [playing, waiting] = [both('playing'), both('waiting')];
    const url = (name: string) => `https://media.test/${name}.mp4`;
    kiosk.playlist.restore(offered([playing]));
    kiosk.arrive(url('playing-lying'));
    await kiosk.playlist.offer(offered([waiting], '"2"'));
    expect([kiosk.plays(), kiosk.shows(playing)]).toEqual(['playing', url('playing-lying')]);
    await kiosk.resize(1080, 1920);
    expect(kiosk.wanted).toEqual({ playlist: [url('playing-upright')], upcoming: [url('waiting-upright')] });
    expect([kiosk.plays(), kiosk.shows(playing)]).toEqual(['playing', url('playing-lying')]);
    kiosk.arrive(url('playing-upright'));
    expect([kiosk.plays(), kiosk.shows(playing)]).toEqual(['playing', url('playing-upright')]);
    kiosk.lose(url('playing-lying'));
    expect(kiosk.plays()).toBe('playing');
  });

  it('plays every ad that shares a file with others, each of which has another one too', async () => {
    const file = (url: string) => ad('', url).mediaFiles;
    const shared = file('https://media.test/shared.mp4');
    const sharing = ['one', 'other'].map((id) => ({
      ...ad(id, null),
      mediaFiles: [...shared, ...file(`https://media.test/${id}.mp4`)],
    }));
    await kiosk.playlist.offer(offered(sharing));
    kiosk.arrive('https://media.test/shared.mp4');
    await expect.poll(kiosk.plays).toBe('one');
  });

  it('goes on with the files of its ads while the next answer waits', async () => {
    const [best, next] = ['https://media.test/best.mp4', 'https://media.test/next.mp4'];
    const both = { ...ad('a', best), mediaFiles: [...ad('', best).mediaFiles, ...ad('', next).mediaFiles] };
    kiosk.arrive(best);
    await kiosk.playlist.offer(offered([both]));
    await expect.poll(kiosk.plays).toBe('a');
    await kiosk.playlist.offer(offered([ad('b', 'https://u.test/b')], '"2"'));
    expect(kiosk.plays()).toBe('a');
    kiosk.lose(best);
    expect(kiosk.plays()).toBeNull();
    kiosk.arrive(next);
    expect(kiosk.plays()).toBe('a');
  });

  it('reports an ad once its last file has failed three times in a row, whether it plays or waits (rule 15)', async () => {
    const [a, b] = ['https://u.test/a', 'https://u.test/b'];
    const both = { ...ad('both', a), mediaFiles: [...ad('', a).mediaFiles, ...ad('', b).mediaFiles] };
    await kiosk.playlist.offer(offered([ad('one', a), both]));
    for (let tries = 0; tries < 4; tries += 1) kiosk.fail(a);
    await settled();
    expect(kiosk.unusable).toEqual(['one 401']);
    for (let tries = 0; tries < 4; tries += 1) kiosk.fail(b, 'not-media');
    await settled();
    expect(kiosk.unusable).toEqual(['one 401', 'both 405']);
  });

  it('does not report an ad whose file fails because of this kiosk or its network', async () => {
    await kiosk.playlist.offer(offered([ad('one', 'https://u.test/a')]));
    for (const code of ['unreachable', 'short', 'corrupt', 'not-shown', 'no-room', 'disk-full'] as const)
      for (let tries = 0; tries < 3; tries += 1) kiosk.fail('https://u.test/a', code);
    await settled();
    expect(kiosk.unusable).toEqual([]);
  });

  it('counts only failures that every kiosk has, whatever came before or between them', async () => {
    const [a, b] = ['https://u.test/a', 'https://u.test/b'];
    const both = { ...ad('both', a), mediaFiles: [...ad('', a).mediaFiles, ...ad('', b).mediaFiles] };
    await kiosk.playlist.offer(offered([ad('one', a), both]));
    for (const code of ['unreachable', 'unreachable', 'status', 'unreachable', 'status'] as const)
      kiosk.fail(a, code);
    kiosk.fail(b, 'unreachable');
    await settled();
    expect(kiosk.unusable).toEqual([]);
    kiosk.fail(a);
    await settled();
    expect(kiosk.unusable).toEqual(['one 401']);
  });

  it('does not play an ad of several files that were lost while no answer had it', async () => {
    const [file] = anAd({}, 'https://media.test/best.mp4').mediaFiles;
    if (!file) throw new Error('no file');
    const choosy: Ad = {
      ...anAd({}, file.url, 'a'),
      mediaFiles: [file, { ...file, url: 'https://media.test/next.mp4' }],
    };
    const other = ad('b', 'https://u.test/b');
    kiosk.arrive(file.url);
    await kiosk.playlist.offer(offered([choosy]));
    await expect.poll(kiosk.plays).toBe('a');
    kiosk.arrive('https://u.test/b');
    // Two answers without it: with the first one, the playlist before it may still play.
    await kiosk.playlist.offer(offered([other], '"2"'));
    await expect.poll(kiosk.plays).toBe('b');
    await kiosk.playlist.offer(offered([other], '"3"'));
    await expect.poll(() => kiosk.playlist.current()?.etag).toBe('"3"');
    kiosk.lose(file.url);
    await kiosk.playlist.offer(offered([choosy, other, ad('c', 'https://u.test/c')], '"4"'));
    kiosk.arrive('https://u.test/c');
    await expect.poll(() => kiosk.playlist.current()?.etag).toBe('"4"');
    expect(kiosk.plays()).toBe('b');
    kiosk.arrive(file.url);
    expect(kiosk.plays()).toBe('a');
  });
});
