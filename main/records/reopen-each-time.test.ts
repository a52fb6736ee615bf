import { expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { RecordsError } from './records-client';
import { reopenEachTime } from './reopen-each-time';

/** Books whose tries to reopen end as the test says. */
function windowsComeBack() {
  const { schedule, advance, settle } = handTurnedTime();
  const tries: Array<{ succeed: () => void; fail: () => void }> = [];
  const reopen = () =>
    new Promise<void>((resolve, reject) => {
      tries.push({ succeed: resolve, fail: () => reject(new RecordsError('timeout', 'openBooks', 'slow')) });
    });
  const back = reopenEachTime({ reopen }, schedule, silentLog);
  const nth = (number: number) => tries[number] ?? expect.fail(`there was no try ${number}`);
  return { back, tries, nth, advance, settle };
}

it('the books are reopened again, a second after an error, until it succeeds', async () => {
  const { back, tries, nth, advance, settle } = windowsComeBack();
  back();
  for (const number of [0, 1, 2]) {
    nth(number).fail();
    await advance(999);
    expect(tries).toHaveLength(number + 1);
    await advance(1);
    expect(tries).toHaveLength(number + 2);
  }
  nth(3).succeed();
  await settle();
  await advance(60_000);
  expect(tries).toHaveLength(4);
});

it('the window that is back last is the only one for which the books are reopened again', async () => {
  const { back, tries, nth, advance } = windowsComeBack();
  back();
  nth(0).fail();
  back();
  await advance(60_000);
  expect(tries).toHaveLength(2);
  back();
  nth(1).fail();
  nth(2).fail();
  await advance(1_000);
  expect(tries).toHaveLength(4);
});
