import { expect, it } from 'vitest';
import { BooksLock } from './books-lock';

it('a play that waits for one rewrite is stored before the next one', async () => {
  const lock = new BooksLock();
  const order: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const first = lock.rewrite(() => ended);
  const play = lock.storePlay(async () => void order.push('play'));
  const second = lock.rewrite(async () => void order.push('rewrite'));
  end();
  await Promise.all([first, play, second]);
  expect(order).toEqual(['play', 'rewrite']);
});
