import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { adsResponse } from '../../e2e/bench/programs/ads-response';
import { timers } from '../schedule';
import { createReading, type Reading } from './reading';
import { builtWorker } from './testing/built-worker';

// Rule 25 in the reading worker: the tests run the built worker, and inject errors like those of a faulty reader.

let built: Awaited<ReturnType<typeof builtWorker>>;
let folder: string;
let program: string;
let reading: Reading;
let lines: { message: string; about: unknown }[];
let workers: Worker[];

const watch = (worker: Worker) => void workers.push(worker);
beforeAll(async () => {
  built = await builtWorker();
  folder = mkdtempSync(join(tmpdir(), 'endcap-worker-'));
  program = join(folder, 'worker.js');
  writeFileSync(
    program,
    `require(${JSON.stringify(built.file)});
     require('node:worker_threads').parentPort.on('message', ({ inject }) => inject && eval(inject));`,
  );
  process.on('worker', watch);
});
afterAll(() => {
  process.off('worker', watch);
  built.dispose();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  lines = [];
  workers = [];
  const log = { error: (message: string, about: unknown) => void lines.push({ message, about }) };
  reading = createReading({ worker: program, schedule: timers, log, atOnce: 1, deadlineMs: 300_000 });
});

const LONG = adsResponse(300, 10);
/** Main requests each of its many parts with a message, so the injected error always comes before the last part. */
const SLOW = adsResponse(10_000, 1);

describe.each([
  ['a timer', `setTimeout(() => { throw new Error('unforeseen') }, 0);`],
  ['a promise that nobody waits for', `Promise.reject(new Error('unforeseen'));`],
  ['what listens to messages', `throw new Error('unforeseen');`],
])('an unexpected error in %s of the reading worker', (_where, inject) => {
  it('is logged while nothing is read, and the next input is read by another worker', async () => {
    expect(await reading.read('ads', LONG, {})).toMatchObject({ kind: 'ads' });
    workers[0]?.postMessage({ inject });
    await expect.poll(() => lines).toHaveLength(1);
    expect(lines[0]?.message).toBe('a reading worker ended unexpectedly');
    expect(JSON.stringify(lines[0]?.about)).toContain('unforeseen');
    expect(await reading.read('ads', LONG, {})).toMatchObject({ kind: 'ads' });
    expect(workers).toHaveLength(2);
  });

  it('ends only the current read', async () => {
    const broken = reading.read('ads', SLOW, {});
    const after = reading.read('ads', LONG, {});
    await expect.poll(() => workers).toHaveLength(1);
    workers[0]?.postMessage({ inject });
    expect(await broken).toMatchObject({ kind: 'unreadable', code: 'reading-failed' });
    expect(await after).toMatchObject({ kind: 'ads' });
    expect(JSON.stringify(lines)).toContain('unforeseen');
  });
});

it('an idle worker that ended silently is not used again', async () => {
  expect(await reading.read('ads', LONG, {})).toMatchObject({ kind: 'ads' });
  const gone = new Promise((done) => workers[0]?.once('exit', done));
  workers[0]?.postMessage({ inject: 'process.exit(1)' });
  await gone;
  expect(await reading.read('ads', LONG, {})).toMatchObject({ kind: 'ads' });
});
