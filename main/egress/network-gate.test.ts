import { expect, test } from 'vitest';
import { handTurnedTime } from '../service/testing/hand-turned-time';
import { createServiceFetch } from './egress';
import { createEgressPolicy } from './egress-policy';
import { createNetworkGate, type NetworkGate, SAFE_START_MS } from './network-gate';
import { NO_PROXIES } from './proxies';
import { lookupOf } from './testing/watched-servers';

const URL_OF_AD = new URL('https://ads.example/');

/** What requests of ads, and the service's own, come to. */
function behind(gate: NetworkGate) {
  const lookup = lookupOf({ 'ads.example': ['1.1.1.1'] });
  const proxies = gate.proxies(NO_PROXIES);
  const egressPolicy = createEgressPolicy({
    serviceUrls: [],
    allowPrivateHosts: [],
    lookup,
    interfaces: () => ({}),
    behindProxy: { proxies, lookup, onUnchecked() {} },
  });
  const fetch = createServiceFetch({
    lookup,
    proxies,
    schedule: handTurnedTime().schedule,
    openConnection: () => Promise.reject(new Error('a connection was opened')),
  });
  return {
    asked: lookup.asked,
    ofAd: () => egressPolicy.resolve(URL_OF_AD, 'beacon'),
    ofService: () => fetch(URL_OF_AD.href).catch((error: unknown) => error),
  };
}

const USED = expect.objectContaining({ cause: new Error('a connection was opened') });

test('an ordinary start uses the network at once', async () => {
  const gate = createNetworkGate(false, handTurnedTime().schedule);
  await gate.opened;
  const { ofAd, ofService } = behind(gate);
  expect(await ofService()).toEqual(USED);
  expect(await ofAd()).toMatchObject({ ok: true });
});

test('a safe start uses no network for ten minutes, then reports the end and uses the network', async () => {
  const time = handTurnedTime();
  const told: string[] = [];
  const gate = createNetworkGate(true, time.schedule);
  const { asked, ofAd, ofService } = behind(gate);
  void gate.opened.then(() => told.push('opened'));

  time.pass(SAFE_START_MS - 1);
  // A code that means: nothing was sent, and it may be tried again.
  const message = expect.stringContaining('no network');
  expect(await ofService()).toMatchObject({ code: 'connection', left: 'no', message });
  expect(await ofAd()).toMatchObject({ ok: false, code: 'connection', message });
  expect([asked, told]).toEqual([[], []]);

  time.pass(1);
  await gate.opened;
  expect(told).toEqual(['opened']);
  expect(await ofService()).toEqual(USED);
  expect(await ofAd()).toMatchObject({ ok: true });
});
