import { expect, it } from 'vitest';
import { memoryReader } from './own-memory';

const at = (rss: number): NodeJS.MemoryUsage => ({
  rss,
  heapTotal: 2,
  heapUsed: 1,
  external: 0,
  arrayBuffers: 0,
});

it('the memory of a process that has no file descriptor left is what it was before', () => {
  const noDescriptor = new Error('EMFILE: too many open files, uv_resident_set_memory');
  const readings: Array<NodeJS.MemoryUsage | Error> = [at(10), at(20), noDescriptor, noDescriptor, at(30)];
  const read = memoryReader(() => {
    const next = readings.shift();
    if (next === undefined || next instanceof Error) throw next;
    return next;
  });
  expect([read(), read(), read(), read()].map(({ rss }) => rss)).toEqual([20, 20, 20, 30]);
});
