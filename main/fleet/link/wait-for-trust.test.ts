import { expect, test } from 'vitest';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { waitForTrust } from './wait-for-trust';

/** A kiosk whose network comes three minutes after its start, and a command one second later. */
async function lateNetwork({ trustedAtStart = false } = {}) {
  const time = handTurnedTime();
  const state = { isTrusted: trustedAtStart, asked: 0, isJudged: false };
  const trust = waitForTrust({
    clock: { monotonic: time.clock.monotonic, isTrusted: () => state.isTrusted },
    schedule: time.schedule,
    askService() {
      state.asked += 1;
    },
  });
  await time.advance(180_000);
  trust.connected();
  await time.advance(1_000);
  void trust.timeIsTrusted().then(() => {
    state.isJudged = true;
  });
  await time.settle();
  return { time, trust, state };
}

test('a command waits for trusted time until a minute after the first connection, however late that is', async () => {
  const { time, trust, state } = await lateNetwork();
  await time.advance(30_000);
  // A broker that is lost again and again must not put it off for ever.
  trust.connected();
  await time.advance(28_000);
  expect(state.isJudged).toBe(false);
  await time.advance(1_000);
  expect(state.isJudged).toBe(true);
});

test('a command is judged as soon as the time is trusted', async () => {
  const { time, state } = await lateNetwork();
  expect(state.isJudged).toBe(false);
  state.isTrusted = true;
  await time.advance(500);
  expect(state.isJudged).toBe(true);
  expect((await lateNetwork({ trustedAtStart: true })).state.isJudged).toBe(true);
});

test('the service is asked for the time at the first connection, unless it has told it', async () => {
  const { trust, state } = await lateNetwork();
  trust.connected();
  expect(state.asked).toBe(1);
  expect((await lateNetwork({ trustedAtStart: true })).state.asked).toBe(0);
});
