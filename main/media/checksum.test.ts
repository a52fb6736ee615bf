import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { hashFile, pacedAt, unpaced } from './checksum';
import { realDisk } from './disk';

let folder: string;
const content = randomBytes(700_000);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'endcap-checksum-'));
  await writeFile(join(folder, 'a'), content);
});
afterAll(() => rm(folder, { recursive: true }));

describe('a checksum', () => {
  it.each([0, 1, 262_144, 262_145, 700_000])('is over the first %i bytes', async (bytes) => {
    const hash = await hashFile(realDisk, join(folder, 'a'), bytes, unpaced);
    const expected = createHash('sha256').update(content.subarray(0, bytes)).digest('hex');
    expect(hash?.digest('hex')).toBe(expected);
  });

  it('is null for more bytes than the file has', async () => {
    expect(await hashFile(realDisk, join(folder, 'a'), 700_001, unpaced)).toBeNull();
  });
});

describe('a pace', () => {
  it('limits all its users together, and gives no credit for idle time', async () => {
    const time = handTurnedTime();
    const pace = pacedAt(1_000_000, time.clock.monotonic, time.schedule);
    const done: string[] = [];
    void pace(100_000).then(() => done.push('a'));
    void pace(50_000).then(() => done.push('b'));
    await time.advance(99);
    expect(done).toEqual([]);
    await time.advance(1);
    expect(done).toEqual(['a']);
    await time.advance(50);
    expect(done).toEqual(['a', 'b']);
    await time.advance(60_000);
    void pace(10_000).then(() => done.push('c'));
    await time.advance(10);
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('skips waits that are shorter than a timer', async () => {
    const time = handTurnedTime();
    const pace = pacedAt(1_000_000, time.clock.monotonic, time.schedule);
    await pace(3_000);
    expect(time.waits()).toEqual([]);
  });
});
