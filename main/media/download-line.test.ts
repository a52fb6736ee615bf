import { describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { createAttempts } from './attempts';
import { createBackgroundWork } from './background-work';
import { createDownloadLine } from './download-line';
import type { StoredMedia } from './stored-media';
import { needsOf } from './want-list';

const clock = { now: () => 0, monotonic: () => 0 };

describe('the line of downloads', () => {
  it('looks at the room once, and once more for each download it starts, however many find none', () => {
    const urls = Array.from({ length: 3_000 }, (_none, index) => `https://media.example/${index}`);
    const needs = needsOf({ online: [], native: [], upcoming: [], playlist: urls.map((url) => ({ url })) });
    const fits = new Set([urls[1_000], urls[2_000]]);
    const started: string[] = [];
    let looks = 0;
    const line = createDownloadLine({
      stored: { byUrl: new Map<string, StoredMedia>() },
      aside: {
        ...{ msFor: () => 0, strikeOf: () => undefined, urls: () => [], strike() {}, replacedBy() {} },
        ...{ watch() {}, back: () => [], load() {}, keepOnly() {} },
      },
      attempts: createAttempts({ clock, retryMs: 1, random: () => 0 }),
      trouble: { pauseMs: () => 0 },
      room: {
        knownBytes: () => 1,
        look() {
          looks += 1;
          return ({ url }) => !fits.has(url);
        },
      },
      needs: () => needs,
      isOpen: () => true,
      run: ({ url }) => {
        started.push(url);
        return new Promise(() => {});
      },
      onWake() {},
      clock,
      schedule: () => () => {},
      background: createBackgroundWork(silentLog),
    });
    line.advance();
    expect(started).toEqual([...fits]);
    expect(looks).toBe(3);
  });
});
