import { expect, it, onTestFinished, vi } from 'vitest';
import { restAfterWork, timers } from './schedule';

it('sets timers that Node can hold, which keep no process alive', () => {
  const set = vi.spyOn(globalThis, 'setTimeout');
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  onTestFinished(() => {
    set.mockRestore();
    clear.mockRestore();
  });
  const cancels = [5, -1, 2 ** 31, Number.POSITIVE_INFINITY].map((ms) => timers(ms, () => {}));
  for (const cancel of cancels) cancel();
  expect(set.mock.calls.map(([, ms]) => ms)).toEqual([5, 0, 2 ** 31 - 1, 2 ** 31 - 1]);
  const timersSet = set.mock.results.map(({ value }) => value);
  expect(timersSet.map((timer) => timer.hasRef())).toEqual([false, false, false, false]);
  expect(clear.mock.calls).toEqual(timersSet.map((timer) => [timer]));
});

function resting(skipsRest: boolean) {
  const rests: number[] = [];
  let pauses = 0;
  const rest = restAfterWork(
    (ms, run) => {
      rests.push(ms);
      run();
      return () => {};
    },
    async () => {
      pauses += 1;
    },
    () => skipsRest,
  );
  return { rest, rests, pauses: () => pauses };
}

it('rests twice as long as it worked, within bounds', async () => {
  const { rest, rests, pauses } = resting(false);
  for (const worked of [20, 0, 10_000]) await rest(worked);
  expect([rests, pauses()]).toEqual([[40, 1, 500], 0]);
});

it('does not rest but only yields while no frames are shown', async () => {
  const { rest, rests, pauses } = resting(true);
  await rest(20);
  expect([rests, pauses()]).toEqual([[], 1]);
});
