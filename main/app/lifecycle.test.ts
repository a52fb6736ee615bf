import { expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { createLifecycle } from './lifecycle';

/** A lifecycle, and what was disposed in it. */
function world() {
  const disposed: string[] = [];
  const lifecycle = createLifecycle(silentLog);
  const keep = (name: string, ready: Promise<void> = Promise.resolve()) =>
    lifecycle.keep({
      name,
      async dispose() {
        await ready;
        disposed.push(name);
      },
    });
  return { lifecycle, disposed, keep };
}

it('disposes its parts in reverse order, each after the one before is done', async () => {
  const { lifecycle, disposed, keep } = world();
  let release = () => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  expect(keep('books').name).toBe('books');
  keep('playback', slow);
  keep('overlay');
  const end = lifecycle.end();
  await Promise.resolve();
  release();
  await end;
  expect(disposed).toEqual(['overlay', 'playback', 'books']);
});

it('disposes the other parts if one fails, and rejects with its error', async () => {
  const { lifecycle, disposed, keep } = world();
  keep('books');
  lifecycle.keep({
    dispose() {
      throw new Error('no disk');
    },
  });
  keep('overlay');
  await expect(lifecycle.end()).rejects.toThrow('no disk');
  expect(disposed).toEqual(['overlay', 'books']);
});

it('disposes each part once, and immediately if it is added after the end', async () => {
  const { lifecycle, disposed, keep } = world();
  keep('books');
  await Promise.all([lifecycle.end(), lifecycle.end()]);
  keep('overlay');
  await Promise.resolve();
  expect(disposed).toEqual(['books', 'overlay']);
});
