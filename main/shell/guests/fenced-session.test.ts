import type { Session } from 'electron';
import { expect, it } from 'vitest';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { fenceSession } from './fenced-session';

/** A session that answers `stuck` when the test says so, and everything else at once. */
function sessionWith(stuck: 'setProxy' | 'closeAllConnections') {
  const calls: string[] = [];
  let answer = () => {};
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const call = (name: string) => () => {
    calls.push(name);
    return name === stuck ? late : Promise.resolve();
  };
  const names = ['setProxy', 'closeAllConnections'];
  const session = Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Session;
  return { session, calls, answer };
}

it.each(['setProxy', 'closeAllConnections'] as const)(
  'a session in which %s never answers is given up after 30 s; its late answer closes no connection of the next visit',
  async (stuck) => {
    const time = handTurnedTime();
    const { session, calls, answer } = sessionWith(stuck);
    const ends: unknown[] = [];
    void fenceSession(session, 1, time.schedule).then(
      () => ends.push('fenced'),
      (error: Error) => ends.push(error.message),
    );
    await time.advance(29_999);
    expect(ends).toEqual([]);
    await time.advance(1);
    expect(ends).toEqual(['it took longer than 30000 ms']);
    calls.length = 0;
    answer();
    await time.settle();
    expect([calls, ends.length]).toEqual([[], 1]);
  },
);

it('a session that answers is fenced, and leaves no timer', async () => {
  const time = handTurnedTime();
  const { session, calls, answer } = sessionWith('setProxy');
  answer();
  await fenceSession(session, 1, time.schedule);
  expect([calls, time.waits()]).toEqual([['setProxy', 'closeAllConnections'], []]);
});
