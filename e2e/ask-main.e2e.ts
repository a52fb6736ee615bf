import { expect } from './expect';
import { launch, test } from './kiosk-test';

test('the code of a journey never runs in the middle of the main process’s own', async () => {
  const { app } = await launch();
  await app.evaluate(() => {
    const world = globalThis as { state?: string };
    setTimeout(() => {
      world.state = 'busy';
      const end = performance.now() + 1_000;
      while (performance.now() < end);
      world.state = 'ended';
    });
  });
  const states = new Set<string | undefined>();
  const state = async () => {
    const now = await app.evaluate(() => (globalThis as { state?: string }).state);
    states.add(now);
    return now;
  };
  await expect.poll(state).toBe('ended');
  expect(states).not.toContain('busy');
});
