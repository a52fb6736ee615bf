import { expect, test } from 'vitest';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import type { EgressPolicy } from './egress-policy';
import { createNetworkGate, SAFE_START_MS } from './network-gate';

const egressPolicy: EgressPolicy = {
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
  const url = new URL('https://ads.example/');
  expect(await (await gate.fetch(answer)(url.href)).text()).toBe('well');
  expect(await gate.egressPolicy(egressPolicy).resolve(url, 'beacon')).toMatchObject({ ok: true });
});

test('a safe start uses no network for ten minutes, then reports the end and uses the network', async () => {
  const time = handTurnedTime();
  const told: string[] = [];
  const gate = createNetworkGate({ over: () => told.push('over') }, time.schedule);
  const fetch = gate.fetch(answer);
  const fenced = gate.egressPolicy(egressPolicy);
  void gate.opened.then(() => told.push('opened'));
  const url = new URL('https://ads.example/');

  time.pass(SAFE_START_MS - 1);
  await expect(fetch(url.href, {})).rejects.toThrow('no network');
  // A code that means: nothing was sent, and it may be tried again.
  expect(await fenced.resolve(url, 'beacon')).toMatchObject({ ok: false, code: 'name' });
  expect(told).toEqual([]);

  time.pass(1);
  await gate.opened;
  expect(told).toEqual(['over', 'opened']);
  expect(await (await fetch(url.href, {})).text()).toBe('well');
  expect(await fenced.resolve(url, 'beacon')).toMatchObject({ ok: true });
});
