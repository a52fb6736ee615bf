import { beforeEach, describe, expect, it } from 'vitest';
import { blocksOf, NO_BLOCKS } from '../decisions/blocks';
import type { HouseFile } from '../media/house-folder';
import { createHouseAds } from './house-ads';

let blocks = NO_BLOCKS;
beforeEach(() => {
  blocks = NO_BLOCKS;
});

function folder(names: string[], imageMs = 8000) {
  const files: HouseFile[] = names.map((name) => ({
    url: `house:${name}`,
    key: `key-${name}`,
    name,
    type: name.endsWith('.html') ? 'text/html' : 'image/png',
    sha256: name.slice(0, 1).repeat(64),
  }));
  const struck: string[] = [];
  const gone = new Set<string>();
  let at = 0;
  const lookup = (url: string) =>
    gone.has(url)
      ? null
      : { url, key: `cached-${url.slice(6)}`, type: '', bytes: 1, sha256: '', storedAt: 0 };
  return {
    struck,
    gone,
    ads: createHouseAds({
      house: { next: () => files[at++ % Math.max(1, files.length)] ?? null },
      media: {
        lookup,
        verified: async (url) => lookup(url),
        strike: (url, sha256) => void (sha256 !== undefined && struck.push(url)),
        passOverPages() {
          for (const { url, type } of files) if (type === 'text/html') gone.add(url);
        },
        pathOf: ({ key }) => `/media/${key}`,
      },
      openPage: async (path) =>
        path.includes('no-guest')
          ? Promise.reject(new Error('no proxy'))
          : { url: `guest:${path}`, partition: 'guests' },
      imageMs,
      volume: () => 0,
      blocks: () => blocks,
    }),
  };
}

describe('house creatives (rule 12)', () => {
  it('are chosen without side effects, and take turns once they are entered', () => {
    const { ads } = folder(['a', 'b']);
    expect([ads.choose(0)?.facts.adId, ads.choose(0)?.facts.adId]).toEqual(['a', 'a']);
    ads.choose(0)?.enter(0);
    expect(ads.choose(0)?.facts.adId).toBe('b');
    ads.choose(0)?.enter(0);
    expect(ads.choose(0)?.facts.adId).toBe('a');
  });

  it('are empty if the folder is empty', () => {
    expect(folder([]).ads.choose(0)).toBeNull();
  });

  it('that are blocked are skipped, and do not play even if already prepared (rule 30)', () => {
    const { ads } = folder(['a', 'b', 'c']);
    const prepared = ads.choose(0);
    const key = prepared?.facts.mediaUrl ?? '';
    blocks = blocksOf([{ kind: 'url', id: key }]);
    expect([prepared?.mayPlay(0), prepared?.isBlocked()]).toEqual([false, true]);
    expect(ads.choose(0)?.facts.adId).toBe('b');
    blocks = blocksOf(['a', 'b'].map((name) => ({ kind: 'sha256', id: name.repeat(64) })));
    expect(ads.choose(0)?.facts.adId).toBe('c');
    blocks = blocksOf(['a', 'b', 'c'].map((id) => ({ kind: 'ad', id })));
    expect(ads.choose(0)).toBeNull();
  });

  it('whose file may not play any more are skipped, and do not play even if already prepared (rule 11)', () => {
    const house = folder(['a', 'b']);
    const prepared = house.ads.choose(0);
    house.gone.add('house:a');
    expect(prepared?.mayPlay(0)).toBe(false);
    expect(house.ads.choose(0)?.facts.adId).toBe('b');
  });

  it('show an image for the time in the settings, from the cache', async () => {
    const creative = await folder(['a']).ads.choose(0)?.creative();
    expect(creative).toEqual({
      kind: 'image',
      url: 'media://cache/cached-a',
      durationMs: 8000,
      volume: 0,
      marks: [],
    });
  });

  it('are not shown for less than a fifth of a second, whatever the settings say', async () => {
    const creative = await folder(['a'], 100).ads.choose(0)?.creative();
    expect(creative).toMatchObject({ kind: 'image', durationMs: 200 });
  });

  it('keep their names in plays', () => {
    expect(folder(['a']).ads.choose(0)?.facts.mediaUrl).toBe('media://house/key-a');
  });

  it('show a page in a guest, for the time of an image', async () => {
    const creative = await folder(['a.html']).ads.choose(0)?.creative();
    expect(creative).toEqual({
      kind: 'page',
      url: 'guest:/media/cached-a.html',
      partition: 'guests',
      durationMs: 8000,
      marks: [],
    });
  });

  it('are skipped if their file is missing or cannot be shown', async () => {
    const house = folder(['a', 'b', 'c']);
    house.gone.add('house:a');
    expect(await house.ads.choose(0)?.creative()).toBeNull();
    expect(house.ads.choose(0)?.facts.adId).toBe('b');
    house.ads.choose(0)?.failed('decode-failed', 'broken', null, [{ sha256: 'b', name: 'b', guest: null }]);
    expect([house.struck, house.ads.choose(0)?.facts.adId]).toEqual([['house:b'], 'c']);
  });

  it('give way to the next one, which keeps its turn, while there is no guest for a page', async () => {
    const house = folder(['no-guest.html', 'b', 'c']);
    const page = house.ads.choose(0);
    await expect(page?.creative()).rejects.toThrow('no proxy');
    page?.missed?.('load-failed');
    expect(house.ads.choose(0)?.facts.adId).toBe('b');
    page?.failed('load-failed', 'no proxy', null, page.drawn);
    expect([house.struck, house.ads.choose(0)?.facts.adId]).toEqual([[], 'b']);
  });
});
