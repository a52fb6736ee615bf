import { expect, test } from 'vitest';
import type { Fence } from './fence/fence';
import { createNetworkGate, SAFE_START_MS } from './network-gate';
import { handTurnedTime } from './testing/hand-turned-time';

const fence: Fence = {
  resolve: async () => ({
    ok: true,
    hostname: 'ads.example',
    port: 443,
    addresses: [{ address: '192.0.2.1', family: 4 }],
  }),
};
const answer = async () => new Response('well');

test('an ordinary start uses the network at once', async () => {
  const gate = createNetworkGate(null, handTurnedTime().schedule);
  await gate.opened;
  expect(gate.fetch(answer)).toBe(answer);
  expect(gate.fence(fence)).toBe(fence);
});

test('a safe start does without for ten minutes, says when that is over, and uses it from then on', async () => {
  const time = handTurnedTime();
  const told: string[] = [];
  const gate = createNetworkGate({ over: () => told.push('over') }, time.schedule);
  const fetch = gate.fetch(answer);
  const fenced = gate.fence(fence);
  void gate.opened.then(() => told.push('opened'));
  const url = new URL('https://ads.example/');

  time.pass(SAFE_START_MS - 1);
  await expect(fetch(url.href, {})).rejects.toThrow('without network');
  // The code of something that did not leave and may be tried again.
  expect(await fenced.resolve(url, 'beacon')).toMatchObject({ ok: false, code: 'name' });
  expect(told).toEqual([]);

  time.pass(1);
  await gate.opened;
  expect(told).toEqual(['over', 'opened']);
  expect(await (await fetch(url.href, {})).text()).toBe('well');
  expect(await fenced.resolve(url, 'beacon')).toMatchObject({ ok: true });
});
