import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import type { RecordsOutput } from '../../shared/records';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { keepPlaysCondensed, type PlaysCondenser } from './plays-condenser';
import { NOW } from './testing/admin-world';

let condenser: PlaysCondenser | null = null;
afterEach(() => condenser?.stop());

function world(answers: Array<RecordsOutput<'condensePlays'> | Error>) {
  const time = handTurnedTime(NOW);
  const asked: number[] = [];
  condenser = keepPlaysCondensed({
    records: {
      async run() {
        asked.push(time.clock.now() - NOW);
        const answer = answers.shift() ?? { done: true, oldest: NOW, to: NOW };
        if (answer instanceof Error) throw answer;
        return answer as never;
      },
    },
    environment: 'store',
    clock: time.clock,
    schedule: time.schedule,
    log: silentLog,
  });
  const turn = async (ms: number) => {
    time.pass(ms);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { condenser, asked, turn };
}
const half = { done: false, oldest: NOW - 200_000_000, to: NOW - 100_000_000 };

describe('past plays', () => {
  it('are counted in portions with pauses, not at the start, and looked at again later', async () => {
    const { asked, turn } = world([half, half]);
    await turn(59_999);
    expect(asked).toEqual([]);
    await turn(1);
    await turn(500);
    await turn(500);
    await turn(299_999);
    expect(asked).toEqual([60_000, 60_500, 61_000]);
    await turn(1);
    expect(asked).toHaveLength(4);
  });

  it('are counted at once, portion after portion, while somebody waits', async () => {
    const one = world([half, half]);
    expect(one.condenser.hurry()).toBe(0);
    await one.turn(0);
    expect(one.condenser.hurry()).toBeCloseTo(0.5);
    await one.turn(0);
    await one.turn(10);
    expect(one.condenser.hurry()).toBe(1);
    expect(one.asked.slice(0, 2)).toEqual([0, 0]);
  });

  it('are tried again after a failure, and never after the end', async () => {
    const { asked, turn, condenser: it } = world([new Error('the records window is gone')]);
    await turn(60_000);
    await turn(300_000);
    expect(asked).toHaveLength(2);
    it.stop();
    await turn(3_600_000);
    expect(asked).toHaveLength(2);
  });
});
