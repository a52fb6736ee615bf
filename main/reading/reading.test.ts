import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adsResponse } from '../../e2e/bench/programs/ads-response';
import { readAds } from '../service/ads-reading/read-ads';
import { timers } from '../service/schedule';
import { createReading, type Reading, type ReadingOptions } from './reading';
import { builtWorker } from './testing/built-worker';

let worker: Awaited<ReturnType<typeof builtWorker>>;
const open: Reading[] = [];
beforeAll(async () => {
  worker = await builtWorker();
});
afterAll(() => {
  for (const reading of open) reading.close();
  worker.dispose();
});

function reader(options: Partial<ReadingOptions> = {}): Reading {
  const reading = createReading({ worker: worker.file, schedule: timers, ...options });
  open.push(reading);
  return reading;
}

const LONG = adsResponse(300, 10);
/** Long to read: some megabytes of it. */
const SLOW = adsResponse(20_000, 1);

describe('reading in a worker', () => {
  it('gives what the reader gives', async () => {
    expect(LONG.length).toBeGreaterThan(64 * 1024);
    expect(await reader().read('ads', LONG, {})).toEqual(readAds(LONG));
  });

  it('takes a text over 4 Mi long in pieces, whatever its letters', async () => {
    const text = `<VAST>${'<Ad id="é😀"/>'.repeat(400_000)}</VAST>`;
    expect(await reader().read('vast', text, { extensionType: null })).toMatchObject({
      code: 'too-many-ads',
    });
  });

  it('gives up what takes too long, and loses nothing of what is read beside it', async () => {
    const reading = reader({ deadlineMs: 60_000 });
    const hasty = reader({ deadlineMs: 300 });
    const [beside, late] = await Promise.all([reading.read('ads', LONG, {}), hasty.read('ads', SLOW, {})]);
    expect(late).toMatchObject({ kind: 'unreadable', code: 'reading-too-long' });
    expect(beside).toMatchObject({ kind: 'ads' });
  });

  it('gives up what takes too much memory, and reads on', async () => {
    const reading = reader({ memoryMb: 24 });
    const results = await Promise.all([reading.read('ads', SLOW, {}), reading.read('ads', LONG, {})]);
    expect(results[0]).toMatchObject({ kind: 'unreadable', code: 'reading-too-large' });
    expect(results[1]).toMatchObject({ kind: 'ads' });
    expect(await reading.read('ads', LONG, {})).toMatchObject({ kind: 'ads' });
  });
});
