import { describe, expect, test } from 'vitest';
import { EMPTY_CONTEXT } from './audience';
import { blockOfAd, blocksOf, NO_BLOCKS } from './blocks';
import { explainAd } from './explain';
import { anAd } from './testing/ads-for-tests';

const SHA = 'ab'.repeat(32);
const ad = anAd({ flightId: 'f', campaignId: 'c', sourceId: 's' }, 'https://m.test/a.mp4?key=1#x', 'ad-7');
const on = (url: string) => (url === 'https://m.test/a.mp4?key=1#x' ? SHA : null);

describe('a block', () => {
  test.each([
    { kind: 'flight', id: 'f' },
    { kind: 'campaign', id: 'c' },
    { kind: 'source', id: 's' },
    { kind: 'ad', id: 'ad-7' },
    { kind: 'url', id: 'https://m.test/a.mp4' },
    { kind: 'url', id: 'https://m.test/a.mp4?key=2' },
    { kind: 'sha256', id: SHA },
  ] as const)('of $kind $id matches, and explains why the ad does not play', (block) => {
    const found = blockOfAd(blocksOf([block]), ad, on);
    expect(found).toEqual(block);
    const media = { state: 'ready' } as const;
    expect(
      explainAd(ad, { at: 0, context: EMPTY_CONTEXT, counters: null, media, block: found }),
    ).toMatchObject({ eligible: false, reasons: ['blocked'], detail: expect.stringContaining(block.kind) });
  });

  test.each([
    { kind: 'flight', id: 'c' },
    { kind: 'campaign', id: 'f' },
    { kind: 'ad', id: 'ad-70' },
    { kind: 'url', id: 'https://m.test/a.mp' },
    { kind: 'sha256', id: 'cd'.repeat(32) },
  ] as const)('of $kind $id does not match', (block) => {
    expect(blockOfAd(blocksOf([block]), ad, on)).toBeNull();
  });

  test('of a file matches even if another file of the ad would be shown', () => {
    const [file] = ad.mediaFiles;
    if (!file) throw new Error('no file');
    const two = { ...ad, mediaFiles: [{ ...file, url: 'https://m.test/b.mp4' }, file] };
    expect(blockOfAd(blocksOf([{ kind: 'url', id: 'https://m.test/a.mp4' }]), two, on)).not.toBeNull();
    expect(blockOfAd(blocksOf([{ kind: 'sha256', id: SHA }]), two, on)).not.toBeNull();
  });

  test('is not searched for in an ad if the list is empty', () => {
    const untouchable = new Proxy(ad, {
      get() {
        throw new Error('looked at');
      },
    });
    expect(blockOfAd(NO_BLOCKS, untouchable, on)).toBeNull();
  });
});
