import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adsResponse } from '../../e2e/bench/programs/ads-response';
import { timers } from '../schedule';
import { readAds } from '../service/ads-reading/read-ads';
import { createReading, type Reading, type ReadingOptions } from './reading';
import { builtWorker } from './testing/built-worker';

let worker: Awaited<ReturnType<typeof builtWorker>>;
beforeAll(async () => {
  worker = await builtWorker();
});
afterAll(() => worker.dispose());

const reader = (options: Partial<ReadingOptions> = {}): Reading =>
  createReading({ worker: worker.file, schedule: timers, deadlineMs: 300_000, ...options });

const LONG = adsResponse(300, 10);
/** Long to read: some megabytes of it. */
const SLOW = adsResponse(20_000, 1);

describe('reading in a worker', () => {
  it('returns the result of the reader', async () => {
    expect(LONG.length).toBeGreaterThan(64 * 1024);
    expect(await reader().read('ads', LONG, {})).toEqual(readAds(LONG));
  });

  it('returns one complete result after another from the same worker', async () => {
    const reading = reader({ atOnce: 1 });
    const other = adsResponse(700, 1);
    const [first, second, third] = await Promise.all([
      reading.read('ads', LONG, {}),
      reading.read('ads', other, {}),
      reading.read('ads', LONG, {}),
    ]);
    expect([first, second, third]).toEqual([readAds(LONG), readAds(other), readAds(LONG)]);
  });

  it('reads no more at once than allowed, even if another reading begins as one ends', async () => {
    const [deadlineMs, idleMs] = [54_321, 12_345];
    let running = 0;
    const atOnce: number[] = [];
    let third: Promise<unknown> | null = null;
    const reading: Reading = reader({
      deadlineMs,
      idleMs,
      atOnce: 1,
      schedule(ms, run) {
        if (ms === idleMs) third ??= reading.read('ads', LONG, {});
        if (ms !== deadlineMs) return timers(ms, run);
        running += 1;
        atOnce.push(running);
        return () => {
          running -= 1;
        };
      },
    });
    await Promise.all([reading.read('ads', LONG, {}), reading.read('ads', LONG, {})]);
    await third;
    expect(atOnce).toEqual([1, 1, 1]);
  });

  it('goes on to the next reading where no worker could be started', async () => {
    // For such a path Node throws, as it does where the system has no thread left.
    const reading = reader({ worker: 'no path', atOnce: 1 });
    const unread = { kind: 'unreadable', code: 'reading-failed' };
    expect(await reading.read('ads', LONG, {})).toMatchObject(unread);
    expect(await reading.read('ads', LONG, {})).toMatchObject(unread);
  });

  it('ends an idle worker, and starts another when needed', async () => {
    const idleMs = 12_345;
    let idleIsOver = () => {};
    const reading = reader({
      idleMs,
      schedule: (ms, run) => {
        if (ms !== idleMs) return timers(ms, run);
        idleIsOver = run;
        return () => {
          idleIsOver = () => {};
        };
      },
    });
    const exits: number[] = [];
    let started = 0;
    const watch = (worker: Worker) => {
      started += 1;
      worker.once('exit', (code) => exits.push(code));
    };
    process.on('worker', watch);
    try {
      await reading.read('ads', LONG, {});
      await reading.read('ads', LONG, {});
      expect(started).toBe(1);
      idleIsOver();
      await expect.poll(() => exits).toHaveLength(1);
      expect(await reading.read('ads', LONG, {})).toMatchObject({ kind: 'ads' });
      expect(started).toBe(2);
    } finally {
      process.off('worker', watch);
    }
  });

  it('transfers a text over 4 Mi long in parts, with any characters', async () => {
    const text = `<VAST>${'<Ad id="é😀"/>'.repeat(400_000)}</VAST>`;
    expect(await reader().read('vast', text, { extensionType: null })).toMatchObject({
      code: 'too-many-ads',
    });
  });

  it('aborts a read that takes too long, and loses no other', async () => {
    const reading = reader({ deadlineMs: 60_000 });
    const hasty = reader({ deadlineMs: 300 });
    const [beside, late] = await Promise.all([reading.read('ads', LONG, {}), hasty.read('ads', SLOW, {})]);
    expect(late).toMatchObject({ kind: 'unreadable', code: 'reading-too-long' });
    expect(beside).toMatchObject({ kind: 'ads' });
  });

  it('ignores the parts of a result that arrive after the deadline', async () => {
    const deadlineMs = 12_345;
    let deadlineIsOver = () => {};
    const reading = reader({
      deadlineMs,
      schedule: (ms, run) => {
        if (ms !== deadlineMs) return timers(ms, run);
        deadlineIsOver = run;
        return () => {};
      },
    });
    let exited: Promise<unknown> = Promise.resolve();
    const watch = (worker: Worker) => {
      worker.on('message', ({ kind }) => kind === 'part' && deadlineIsOver());
      exited = once(worker, 'exit');
    };
    process.on('worker', watch);
    try {
      const many = adsResponse(5_000, 1);
      expect(await reading.read('ads', many, {})).toMatchObject({ code: 'reading-too-long' });
      await exited;
    } finally {
      process.off('worker', watch);
    }
  });

  it('aborts a read that takes too much memory, and continues', async () => {
    const reading = reader({ memoryMb: 24 });
    const results = await Promise.all([reading.read('ads', SLOW, {}), reading.read('ads', LONG, {})]);
    expect(results[0]).toMatchObject({ kind: 'unreadable', code: 'reading-too-large' });
    expect(results[1]).toMatchObject({ kind: 'ads' });
    expect(await reading.read('ads', LONG, {})).toMatchObject({ kind: 'ads' });
  });
});
