import { expect, it } from 'vitest';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { noiseMeter } from './noise';

it('a thousand messages or four million characters in a second are allowed, and more are not', async () => {
  const time = handTurnedTime();
  const isTooMuch = noiseMeter(time.schedule);
  const say = (times: number, length: number) =>
    Array.from({ length: times }, () => isTooMuch(length)).filter(Boolean).length;
  expect(say(1_000, 10)).toBe(0);
  expect(say(2, 10)).toBe(2);
  await time.advance(1_000);
  expect(say(4, 1_000_000)).toBe(0);
  expect(isTooMuch(1)).toBe(true);
  await time.advance(1_000);
  expect(isTooMuch(1)).toBe(false);
});
