import type { Block } from '../main/fleet/link/block';
import { InventoryMessage, NowMessage, ProofMessage, StateMessage } from '../main/fleet/link/messages';
import { anOperator } from '../main/fleet/link/testing/operator';
import { addressTopic, fleetTopics } from '../main/fleet/link/topics';
import { DEMO_PIN_HASH } from '../shared/staff';
import type { Mosquitto } from '../tools/fleet/brokers/mosquitto';
import { expect } from './expect';
import { type FleetOperator, LITTLE_JITTER, nameOf, startBroker } from './fleet-operator';
import type { Kiosk } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { signalsCaller } from './signals-caller';
import { staffByKeys } from './staff';
import {
  BLUE,
  expectMorePlays,
  expectOnScreen,
  imageAd,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';

// Rule 30: what an operator sees of a kiosk over a real broker, and what the kiosk obeys.
test.describe.configure({ mode: 'serial' });

const stranger = anOperator();
let broker: Mosquitto;
let operator: FleetOperator;
let kiosk: Kiosk;
/** Fingerprint of the kiosk's key. */
let name: string;

const settings = () => ({
  ...kioskSettings(service, 3_600),
  admin: { pinHash: DEMO_PIN_HASH },
  store: { storeId: 'store-17', labels: { aisle: '4' } },
  fleet: { ...operator.fleet, groups: ['berlin'] },
});

const start = () => launch(settings(), LITTLE_JITTER);

shareWorld(async () => {
  ({ broker, operator } = await startBroker());
  serveTwoCreatives(service, 600);
  kiosk = await start();
  name = await nameOf(kiosk);
  await expect.poll(() => stateNow()?.online).toBe(true);
});

const topics = () => fleetTopics('endcap', name);
const stateNow = () => operator.state(name);
const nowOnScreen = () => operator.now(name);

/** Sends a command to the kiosk, and resolves with the last reply to it. */
const order = (command: object, aud: 'all' | `kiosk:${string}` = `kiosk:${name}`) =>
  operator.order(aud, command);

const block = (version: number, blocks: readonly Block[], atOnce = false) =>
  operator.block('group:berlin', version, blocks, atOnce);

const flightOf = (id: string): Block => ({ kind: 'flight', id: `flight-${id}` });

test('a kiosk reports itself, its screen and its machine', async () => {
  const { state, now, proof, inventory } = topics();
  await expect.poll(() => stateNow()?.state).toBe('playing');
  await expect.poll(nowOnScreen).toMatchObject({ kind: 'ad', flightId: expect.stringMatching(/^flight-/) });
  for (const topic of [state, now, proof, inventory])
    await expect.poll(() => operator.latest.has(topic)).toBe(true);
  expect(StateMessage.parse(operator.told(state))).toMatchObject({
    kiosk: name,
    online: true,
    storeId: 'store-17',
    labels: { aisle: '4' },
    groups: ['berlin'],
  });
  NowMessage.parse(operator.told(now));
  ProofMessage.parse(operator.told(proof));
  expect(InventoryMessage.parse(operator.told(inventory)).displays.length).toBeGreaterThan(0);
  const metrics = await (await signalsCaller(folder).get('/metrics')).text();
  expect(metrics).toMatch(/^endcap_fleet_connected 1$/m);
});

test('a command refreshes the playlist, and a block holds from the next slot', async () => {
  service.setAds([imageAd('red'), imageAd('blue')]);
  expect(await order({ name: 'refresh' })).toMatchObject({ state: 'done' });
  // Ends the long slot.
  await block(1, [flightOf('red'), flightOf('blue')], true);
  await block(2, [flightOf('red')]);
  const since = Date.now();
  await expectMorePlays(kiosk, 3);
  const started = (await kiosk.plays()).filter(({ at }) => at >= since);
  expect(new Set(started.map(({ adId }) => adId))).toEqual(new Set(['blue']));
  // An older document, one with a foreign signature, and a cleared topic remove no block.
  const topic = addressTopic('endcap', 'group:berlin', 'blocks');
  await operator.publish(topic, await operator.signer.blocks('group:berlin', 1, []));
  await operator.publish(topic, await stranger.blocks('group:berlin', 9, []));
  const problems = () => stateNow()?.problems.map(({ code }) => code);
  await expect.poll(problems).toEqual(['fleet-blocks']);
  await operator.publish(topic, '', true);
  await expect
    .poll(() => operator.replies.filter(({ command }) => command === 'blocks').map(({ reason }) => reason))
    .toContain('superseded');
  await expect.poll(() => operator.replies.map(({ reason }) => reason)).toContain('unknown-key');
  await expectMorePlays(kiosk, 1);
  await expect.poll(() => stateNow()?.blocks).toEqual({ 'group:berlin': 2 });
  await expect.poll(problems).toEqual([]);
});

test('a killed kiosk is shown offline, and stored blocks hold from its first frame, even without a broker', async () => {
  await kiosk.kill();
  await expect.poll(() => stateNow()?.online).toBe(false);
  await broker.stop();
  const startedAt = Date.now();
  kiosk = await start();
  await expectMorePlays(kiosk, 2);
  const ofThisRun = (await kiosk.plays()).filter(({ at }) => at >= startedAt);
  expect(new Set(ofThisRun.map(({ adId }) => adId))).toEqual(new Set(['blue']));
  await broker.start();
  await expect.poll(() => stateNow()?.online).toBe(true);
  await block(3, []);
});

test('an announcement covers the ads, which continue when it ends', async () => {
  const until = (ms: number) => new Date(Date.now() + ms).toISOString();
  const text = 'Please leave the building.';
  const announce = { name: 'announce', text, severity: 'emergency' };
  expect(await order({ ...announce, until: until(3_600_000) })).toMatchObject({ state: 'done' });
  const card = kiosk.screen.getByRole('alert');
  await expect(card).toHaveText(text);
  await expect.poll(nowOnScreen).toMatchObject({ kind: 'announcement' });
  await expect.poll(async () => (await kiosk.status()).state).toBe('held');
  const reserved = async () => (await kiosk.plays()).filter(({ outcome }) => outcome === 'reserved');
  await expect.poll(reserved).toEqual([]);
  expect(await order({ name: 'announce', text: null })).toMatchObject({ state: 'done' });
  await expect(card).toHaveCount(0);
  await expectOnScreen(kiosk, RED, BLUE);
  // Repeats the command when the announcement expired before the display was checked.
  await expect(async () => {
    await order({ ...announce, severity: 'information', until: until(1_500) });
    await card.waitFor({ timeout: 1_500 });
  }).toPass({ intervals: [0], timeout: 40_000 });
  await expect(card).toHaveCount(0);
  // By a clear margin: the kiosk's time comes from its service, and may be behind this machine's.
  expect(await order({ ...announce, until: until(-60_000) })).toMatchObject({
    state: 'refused',
    reason: 'invalid',
  });
  await expectMorePlays(kiosk, 1);
  // The announcement is for everybody: it covers a pause, which continues afterwards.
  const pause = kiosk.screen.locator('.a-maintenance');
  expect(await order({ name: 'pause', minutes: 15 })).toMatchObject({ state: 'done' });
  await expect(pause).toBeVisible();
  expect(await order({ ...announce, until: until(3_600_000) })).toMatchObject({ state: 'done' });
  await expect(card).toHaveText(text);
  await expect(pause).toHaveCount(0);
  expect(await order({ name: 'announce', text: null })).toMatchObject({ state: 'done' });
  await expect(pause).toBeVisible();
  await expect(card).toHaveCount(0);
  expect(await order({ name: 'resume' })).toMatchObject({ state: 'done' });
  await expectMorePlays(kiosk, 1);
});

test('a screenshot shows what shoppers see, never the overlay, which names the keys that the kiosk obeys', async () => {
  expect((await order({ name: 'screenshot', width: 320 }))?.result).toMatchObject({
    mediaType: 'image/jpeg',
  });
  await staffByKeys(kiosk).enter();
  expect(await order({ name: 'screenshot' })).toMatchObject({ state: 'refused', reason: 'not-now' });
  await kiosk.screen.getByRole('navigation').getByRole('button', { name: 'Actions' }).click();
  await expect(kiosk.screen.getByText(operator.signer.fingerprint).first()).toBeVisible();
});
