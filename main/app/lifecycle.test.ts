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

it('the lifecycle disposes its parts in reverse order, one after the other', async () => {
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

it('the lifecycle disposes all parts even if one fails, and rejects with its error', async () => {
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

it('the lifecycle disposes each part once, and a part added too late at once', async () => {
  const { lifecycle, disposed, keep } = world();
  keep('books');
  await Promise.all([lifecycle.end(), lifecycle.end()]);
  keep('overlay');
  await Promise.resolve();
  expect(disposed).toEqual(['books', 'overlay']);
});
