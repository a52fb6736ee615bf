import { expect, it } from 'vitest';
import { type Blocks, blocksOf, NO_BLOCKS } from '../decisions/blocks';
import type { CachedMedia } from '../media/media-cache';
import type { StoredMedia } from '../media/stored-media';
import { followBlocks } from './follow-blocks';

const [BLOCKED, OTHER] = ['ab'.repeat(32), 'cd'.repeat(32)] as const;

function world(onDisk: Record<string, string> = {}) {
  const files = new Map(Object.entries(onDisk));
  let blocks: Blocks = NO_BLOCKS;
  let judged = 0;
  let [blocksChanged, fileChanged, afterwards] = [(_atOnce: boolean) => {}, (_url: string) => {}, () => {}];
  const fileOf = (url: string) => ({ url, sha256: files.get(url) }) as CachedMedia;
  followBlocks({
    blocks: {
      current: () => blocks,
      onChange(listener) {
        blocksChanged = listener;
      },
    },
    media: {
      files: () => [...files.keys()].map((url) => fileOf(url) as StoredMedia),
      lookup: (url) => (files.has(url) ? fileOf(url) : null),
      onChange(listener, after = () => {}) {
        fileChanged = (url) => listener(url, files.has(url));
        afterwards = after;
      },
    },
    decider: {
      blocksChanged() {
        judged += 1;
      },
    },
  });
  return {
    /** Blocks files by their SHA-256. */
    block(...hashes: string[]) {
      blocks = blocksOf(hashes.map((id) => ({ kind: 'sha256', id })));
      blocksChanged(false);
    },
    /** Files come (with their SHA-256) or go (null) at once; returns how often the ads are judged again. */
    change(changes: Record<string, string | null>): number {
      const before = judged;
      for (const [url, sha256] of Object.entries(changes)) {
        if (sha256 === null) files.delete(url);
        else files.set(url, sha256);
        fileChanged(url);
      }
      afterwards();
      return judged - before;
    },
    judged: () => judged,
  };
}

it('judges the ads again when the blocks change', () => {
  const { block, judged } = world();
  block(BLOCKED);
  expect(judged()).toBe(1);
});

it('judges the ads again when a file comes or goes that is blocked by its SHA-256, and at no other file', () => {
  const { block, change } = world();
  block(BLOCKED);
  expect(change({ a: OTHER, b: OTHER })).toBe(0);
  expect(change({ c: BLOCKED })).toBe(1);
  expect(change({ c: OTHER })).toBe(1);
  expect(change({ a: null, c: OTHER })).toBe(0);
});

it('judges the ads again when a file goes that was there before it was blocked', () => {
  const { block, change } = world({ a: BLOCKED, b: OTHER });
  block(BLOCKED);
  expect(change({ b: null })).toBe(0);
  expect(change({ a: null })).toBe(1);
});

it('judges the ads once for all files that change at the same time', () => {
  const { block, change } = world();
  block(BLOCKED);
  expect(change({ a: BLOCKED, b: BLOCKED })).toBe(1);
  block();
  expect(change({ a: null, b: null })).toBe(0);
});
