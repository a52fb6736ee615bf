import { beforeEach, describe, expect, it } from 'vitest';
import type { Ad } from '../../shared/ad';
import { silentLog } from '../../shared/log';
import type { StoredPlaylist } from '../../shared/records';
import { anAd, onlyMedia } from '../decisioning/ads-for-tests';
import { createDecider } from '../decisioning/decider';
import type { MediaProblem, Wisher } from '../media/media-cache';
import type { Records } from '../records/records-client';
import { createPlaylist } from './playlist';

const at = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;

/** A disk one can put files on, and books that remember what they were told. */
function world() {
  const onDisk = new Set<string>();
  const failed = new Map<string, MediaProblem>();
  let listener: (url: string, ready: boolean) => void = () => {};
  const wanted: Partial<Record<Wisher, string[]>> = {};
  const commands: Array<[string, unknown]> = [];
  const decider = createDecider({
    ads: [],
    mediaUrl: onlyMedia,
    weights: {},
    counters: [],
    recency: [],
    sourceMix: { credits: [] },
  });
  const records: Records = {
    run: async (command, input) => {
      commands.push([command, input]);
      return null as never;
    },
  };
  let changes = 0;
  const playlist = createPlaylist({
    decider,
    records,
    media: {
      want: (who, media) => {
        wanted[who] = media.map(({ url }) => url);
      },
      lookup: (url) =>
        onDisk.has(url) ? { key: url, url, type: 'video/mp4', bytes: 1, sha256: '', storedAt: 0 } : null,
      onChange: (told) => {
        listener = told;
      },
      problems: () => [...failed.values()],
    },
    mediaUrl: onlyMedia,
    pause: async () => {},
    log: silentLog,
    environment: 'store',
    maxAgeMs: 30 * DAY_MS,
    changed: () => {
      changes += 1;
    },
  });
  return {
    playlist,
    wanted,
    commands,
    changes: () => changes,
    plays: () => decider.choose(at)?.ad.id ?? null,
    arrive(url: string) {
      onDisk.add(url);
      listener(url, true);
    },
    fail(url: string) {
      failed.set(url, { url, code: 'status', detail: '404', at });
      listener(url, false);
    },
  };
}

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

describe('a playlist (rule 3)', () => {
  let kiosk: ReturnType<typeof world>;
  beforeEach(() => {
    kiosk = world();
  });

  it('plays once the first of its media is on disk, and is stored then', async () => {
    expect(kiosk.playlist.offer(offered([ad('a', 'u:a'), ad('b', 'u:b')]))).toBe('accepted');
    expect(kiosk.plays()).toBeNull();
    expect(kiosk.commands).toEqual([]);
    kiosk.arrive('u:b');
    await expect.poll(kiosk.plays).toBe('b');
    expect(kiosk.commands.map(([command]) => command)).toEqual(['storePlaylist']);
  });

  it('keeps playing the old one until the first new medium of the next is on disk', async () => {
    kiosk.playlist.offer(offered([ad('old', 'u:old')]));
    kiosk.arrive('u:old');
    await expect.poll(kiosk.plays).toBe('old');
    kiosk.playlist.offer(offered([ad('new', 'u:new'), ad('old', 'u:old')], '"2"'));
    expect(kiosk.plays()).toBe('old');
    expect(kiosk.playlist.current()?.etag).toBe('"1"');
    kiosk.arrive('u:new');
    await expect.poll(() => kiosk.playlist.current()?.etag).toBe('"2"');
  });

  it('is replaced at once by one whose media are all on disk', async () => {
    kiosk.playlist.offer(offered([ad('a', 'u:a')]));
    kiosk.arrive('u:a');
    await expect.poll(kiosk.plays).toBe('a');
    kiosk.playlist.offer(offered([ad('renamed', 'u:a')], '"2"'));
    await expect.poll(kiosk.plays).toBe('renamed');
  });

  it('is not replaced by one whose new media all fail and nothing of which can be shown', async () => {
    kiosk.playlist.offer(offered([ad('a', 'u:a')]));
    kiosk.arrive('u:a');
    await expect.poll(kiosk.plays).toBe('a');
    kiosk.playlist.offer(offered([ad('b', 'u:b')], '"2"'));
    kiosk.fail('u:b');
    expect(kiosk.plays()).toBe('a');
    kiosk.arrive('u:b');
    await expect.poll(kiosk.plays).toBe('b');
  });

  it('is replaced by one whose new media all failed while others of it can be shown', async () => {
    kiosk.playlist.offer(offered([ad('a', 'u:a'), ad('gone', 'u:gone')]));
    kiosk.arrive('u:a');
    await expect.poll(kiosk.plays).toBe('a');
    kiosk.playlist.offer(offered([ad('kept', 'u:a'), ad('b', 'u:b')], '"2"'));
    kiosk.fail('u:b');
    await expect.poll(kiosk.plays).toBe('kept');
  });

  it('is left alone by an answer without an ad that could ever play here', async () => {
    kiosk.playlist.offer(offered([ad('a', 'u:a')]));
    kiosk.arrive('u:a');
    await expect.poll(kiosk.plays).toBe('a');
    expect(kiosk.playlist.offer(offered([ad('b', null)], '"2"'))).toBe('nothing-playable');
    expect(kiosk.plays()).toBe('a');
    expect(kiosk.playlist.validators()).toEqual({ etag: '"1"', lastModified: null });
  });

  it('gives way to the newest answer only, however many came in between', async () => {
    for (const [id, etag] of [
      ['a', '"1"'],
      ['b', '"2"'],
      ['c', '"3"'],
    ] as const) {
      kiosk.playlist.offer(offered([ad(id, `u:${id}`)], etag));
    }
    kiosk.arrive('u:a');
    kiosk.arrive('u:c');
    await expect.poll(kiosk.plays).toBe('c');
    const stored = kiosk.commands.filter(([command]) => command === 'storePlaylist');
    expect(stored).toHaveLength(1);
  });

  it('wants what a waiting answer needs beside what plays, until it has taken over', async () => {
    kiosk.playlist.offer(offered([ad('a', 'u:a')]));
    kiosk.arrive('u:a');
    await expect.poll(kiosk.plays).toBe('a');
    kiosk.playlist.offer(offered([ad('b', 'u:b'), ad('c', 'u:c')], '"2"'));
    expect(kiosk.wanted).toEqual({ upcoming: ['u:b', 'u:c'], playlist: ['u:a'] });
    kiosk.arrive('u:c');
    await expect.poll(kiosk.plays).toBe('c');
    expect(kiosk.wanted).toEqual({ upcoming: [], playlist: ['u:b', 'u:c'] });
  });

  it('is renewed by an unchanged answer: ads without an expiry play on from then', async () => {
    kiosk.playlist.offer(offered([ad('a', 'u:a')]));
    kiosk.arrive('u:a');
    await expect.poll(kiosk.plays).toBe('a');
    kiosk.playlist.unchanged(at + DAY_MS);
    expect(kiosk.playlist.current()?.receivedAt).toBe(at + DAY_MS);
    expect(kiosk.commands.at(-1)).toEqual([
      'renewPlaylist',
      { environment: 'store', receivedAt: at + DAY_MS },
    ]);
  });

  it('plays again at once after a restart', () => {
    const url = 'u:a';
    kiosk.arrive(url);
    kiosk.playlist.restore(offered([ad('a', url)]));
    expect(kiosk.plays()).toBe('a');
  });
});
