import { describe, expect, it } from 'vitest';
import type { Ad, MediaFile } from '../../shared/ad';
import { anAd } from '../decisions/testing/ads-for-tests';
import type { MediaProblemCode } from '../media/media-problem';
import { createAdFiles } from './ad-files';

const file = (url: string, width: number, type = 'video/mp4'): MediaFile => ({
  url,
  type,
  delivery: 'progressive',
  width,
  height: (width * 9) / 16,
  bitrateKbps: null,
  codec: null,
});
const BEST = 'https://media.test/best.mp4';
const NEXT = 'https://media.test/next.mp4';
const LAST = 'https://media.test/last.html';
const ad: Ad = {
  ...anAd({}, BEST),
  mediaFiles: [file(LAST, 1920, 'text/html'), file(NEXT, 1280), file(BEST, 1920)],
};

/** Ad files over a disk with these files, and with these problems of others. */
function world(
  onDisk: readonly string[] = [],
  problems: Readonly<Record<string, MediaProblemCode>> = {},
  screen = { width: 1920, height: 1080 },
) {
  return createAdFiles(screen, {
    lookup: (url) =>
      onDisk.includes(url) ? { key: url, url, type: 'video/mp4', bytes: 1, sha256: '', storedAt: 0 } : null,
    problems: () => Object.entries(problems).map(([url, code]) => ({ url, code, detail: '' })),
  });
}
const wanted = (...args: Parameters<typeof world>) =>
  world(...args)
    .wanted([ad])
    .map(({ url, form }) => [url, form ?? 'media']);

describe('the files of an ad', () => {
  it('are tried in order: the best for the screen first, a page last', () => {
    expect(world().urls(ad)).toEqual([BEST, NEXT, LAST]);
  });

  it('are named without the signatures of their URLs, and fetched with them', () => {
    const signed = `${BEST}?id=7&Expires=1&KeyName=key&Signature=abc`;
    const one = { ...ad, mediaFiles: [file(signed, 1920), file(NEXT, 1280)] };
    const files = world([`${BEST}?id=7`]);
    expect(files.urls(one)).toEqual([`${BEST}?id=7`, NEXT]);
    expect(files.playable(one)).toBe(`${BEST}?id=7`);
    expect(files.wanted([one]).map(({ url }) => url)).toEqual([signed]);
    expect(world([], { [`${BEST}?id=7`]: 'status' }).wanted([one])).toHaveLength(2);
  });

  it('share one key, whichever of them plays', () => {
    expect(world([NEXT]).key(ad)).toBe(world().key(ad));
    expect(world().key({ ...ad, mediaFiles: [file(BEST, 1920)] })).toBe(BEST);
    expect(world().key({ ...ad, mediaFiles: [] })).toBeNull();
    const many = Array.from({ length: 500 }, (_, index) =>
      file(`${BEST}?${'x'.repeat(2_000)}${index}`, 1280),
    );
    expect(world().key({ ...ad, mediaFiles: many })?.length).toBeLessThan(100);
    expect(world().key({ ...ad, mediaFiles: many.slice(1) })).not.toBe(
      world().key({ ...ad, mediaFiles: many }),
    );
  });

  it('have a short key even if their only URL is long, because the books keep the key', () => {
    const keyOf = (url: string) => world().key({ ...ad, mediaFiles: [file(url, 1920)] });
    const long = `${BEST}?${'x'.repeat(32_000)}`;
    expect(keyOf(long)?.length).toBeLessThan(100);
    expect(keyOf(`${long}y`)).not.toBe(keyOf(long));
    const shorter = BEST.padEnd(512, 'x');
    expect(keyOf(shorter)).toBe(shorter);
  });

  it('are checked in portions, so that thousands block nothing', async () => {
    const files = world();
    const many = Array.from({ length: 1_000 }, () => ({ ...ad }));
    let looked = 0;
    let pauses = 0;
    const watched = many.map((each) => ({
      ...each,
      get mediaFiles() {
        looked += 1;
        return ad.mediaFiles;
      },
    }));
    const portions: number[] = [];
    await files.lookAt(watched, async () => {
      portions.push(looked);
      looked = 0;
      pauses += 1;
    });
    expect(Math.max(...portions)).toBeLessThanOrEqual(200);
    expect(pauses).toBeGreaterThanOrEqual(5);
    for (const each of watched) expect(files.key(each)).not.toBeNull();
    expect(looked).toBe(0);
  });

  it('are chosen anew when the screen changes its size, and keep their key', () => {
    const [lying, upright] = [file(BEST, 1280), { ...file(NEXT, 720), height: 1280 }];
    const both = { ...ad, mediaFiles: [lying, upright] };
    const screen = { width: 1024, height: 768 };
    const files = world([lying.url, upright.url], {}, screen);
    const chosen = () => [files.playable(both), files.wanted([both]).map(({ url }) => url)];
    const key = files.key(both);
    expect(chosen()).toEqual([lying.url, [lying.url]]);
    Object.assign(screen, { width: 1080, height: 1920 });
    expect(chosen()).toEqual([upright.url, [upright.url]]);
    expect(files.key(both)).toBe(key);
    // That of the same ad in a later answer, for which its recency counts.
    expect(files.key({ ...both, mediaFiles: [upright, lying] })).toBe(key);
  });

  it('play the best file on disk', () => {
    expect(world().playable(ad)).toBeNull();
    expect(world([LAST, NEXT]).playable(ad)).toBe(NEXT);
    expect(world([LAST, NEXT, BEST]).playable(ad)).toBe(BEST);
  });

  it('are fetched one after the other: the next only once the one before it has failed', () => {
    expect(wanted()).toEqual([[BEST, 'media']]);
    expect(wanted([BEST])).toEqual([[BEST, 'media']]);
    expect(wanted([], { [BEST]: 'status' })).toEqual([
      [BEST, 'media'],
      [NEXT, 'media'],
    ]);
    expect(wanted([NEXT], { [BEST]: 'undecodable' })).toHaveLength(2);
    expect(wanted([], { [BEST]: 'corrupt', [NEXT]: 'not-media' })).toEqual([
      [BEST, 'media'],
      [NEXT, 'media'],
      [LAST, 'page'],
    ]);
  });

  it('are not replaced because a file must be fetched again or its newer version failed', () => {
    expect(wanted([], { [BEST]: 'lost' })).toHaveLength(1);
    expect(wanted([BEST], { [BEST]: 'undecodable' })).toHaveLength(1);
  });
});
