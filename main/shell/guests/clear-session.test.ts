import type { Session } from 'electron';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../shared/log';
import { type HandTurnedTime, handTurnedTime } from '../../service/testing/hand-turned-time';
import { clearUntilDone } from './clear-session';

/** A session in which the first call of `stuck` settles when the test says so; all other calls resolve at once. */
function sessionWith(stuck: keyof Session) {
  const calls: string[] = [];
  const first = { resolve: () => {}, reject: (_error: Error) => {} };
  const firstAnswer = new Promise<void>((resolve, reject) => Object.assign(first, { resolve, reject }));
  const names = [
    'closeAllConnections',
    'clearData',
    'clearStorageData',
    'clearCache',
    'clearSharedDictionaryCache',
    'clearCodeCaches',
    'clearAuthCache',
    'clearHostResolverCache',
    'setSSLConfig',
  ];
  const call = (name: string) => () => {
    const isFirst = name === stuck && !calls.includes(name);
    calls.push(name);
    return isFirst ? firstAnswer : Promise.resolve();
  };
  const session = Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Session;
  return { session, calls, first };
}

function clearing(session: Session, time: HandTurnedTime) {
  const warned: unknown[] = [];
  let isDone = false;
  const log = { ...silentLog, warn: (_event: string, details?: object) => void warned.push(details) };
  void clearUntilDone(session, 'nothing', { schedule: time.schedule, log }).then(() => {
    isDone = true;
  });
  return { warned, isDone: () => isDone };
}

describe('the clearing of a session', () => {
  it.each(['closeAllConnections', 'clearData', 'clearCache'] as const)(
    'in which %s never answers is reported after 30 s and tried again; its late end clears nothing more',
    async (stuck) => {
      const time = handTurnedTime();
      const { session, calls, first } = sessionWith(stuck);
      const { warned, isDone } = clearing(session, time);
      await time.advance(29_999);
      expect([warned, isDone()]).toEqual([[], false]);
      await time.advance(1);
      expect(warned).toMatchObject([{ error: { message: 'it took longer than 30000 ms' } }]);
      await time.advance(1_000);
      expect([warned.length, isDone()]).toEqual([1, true]);
      calls.length = 0;
      first.resolve();
      await time.settle();
      expect(calls).toEqual([]);
    },
  );

  it('that fails is reported and tried again', async () => {
    const time = handTurnedTime();
    const { session, first } = sessionWith('clearData');
    const { warned, isDone } = clearing(session, time);
    first.reject(new Error('no network process'));
    await time.advance(999);
    expect([warned, isDone()]).toEqual([[{ error: new Error('no network process') }], false]);
    await time.advance(1);
    expect(isDone()).toBe(true);
    expect(time.waits()).toEqual([]);
  });
});
