import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { RESTART_EXIT_CODE } from '../main/shell/service-manager';
import { DEMO_PIN_HASH } from '../shared/staff';
import { expect } from './expect';
import { type FleetOperator, nameOf, startBroker } from './fleet-operator';
import { type Kiosk, type KioskOptions, letPass } from './kiosk';
import { launch, service, shareWorld, test } from './kiosk-test';
import { staffByKeys } from './staff';
import { expectMorePlays, kioskSettings, serveTwoCreatives } from './two-creatives';

// Rule 30: an operator sends settings over a real broker to a real kiosk.
test.describe.configure({ mode: 'serial' });

const DAY_MS = 86_400_000;
let operator: FleetOperator;
let kiosk: Kiosk;
/** The kiosk's main process, for its exit code. */
let main: ReturnType<Kiosk['app']['process']>;
let name: string;

const settings = (more: object = {}) => ({
  ...kioskSettings(service, 3_600),
  admin: { pinHash: DEMO_PIN_HASH },
  store: { storeId: 'store-17' },
  fleet: { ...operator.fleet, ...more },
});

/** A trial takes less than its minute: only where one should last to its end. */
const HURRIED = { requiredScript: join(__dirname, 'hurried-minute.cjs') };

/** Starts the kiosk as its service manager would. */
async function start(more: object = {}, options: Partial<KioskOptions> = {}): Promise<void> {
  kiosk = await launch(settings(more), {
    env: { ENDCAP_SUPERVISED: '1' },
    ...options,
  });
  main = kiosk.app.process();
}

shareWorld(async () => {
  ({ operator } = await startBroker());
  serveTwoCreatives(service);
  await start({ homeAssistant: true }, HURRIED);
  name = await nameOf(kiosk);
  await expect.poll(() => operator.state(name)?.online).toBe(true);
  await expectMorePlays(kiosk, 1);
});

const discovery = () => `homeassistant/device/${name}/endcap/config`;
const order = (document: object | null) =>
  operator.order(`kiosk:${name}`, { name: 'settings', settings: document });
const remote = async () => (await standing())?.remote;
const standing = async () => (await kiosk.status()).settings;

/** Sends settings that take effect with a restart; resolves once the kiosk has exited for it. */
async function restartedBy(document: object | null, now = Date.now()): Promise<string> {
  const jti = randomUUID();
  await operator.send(`kiosk:${name}`, { name: 'settings', settings: document }, jti, now);
  await ended();
  // The reply was sent before the exit, and may still be on its way.
  await expect.poll(() => operator.repliesTo(jti)).toMatchObject([{ state: 'accepted' }]);
  return jti;
}

const ended = () => expect.poll(() => main.exitCode).toBe(RESTART_EXIT_CODE);

test('Home Assistant finds the kiosk, and shows its state', async () => {
  await expect.poll(() => operator.latest.get(discovery())).toMatch(/^\{/);
  const { device, components } = JSON.parse(operator.latest.get(discovery()) ?? '');
  expect(device).toMatchObject({ name: 'store-17', serial_number: name });
  for (const { state_topic } of Object.values<{ state_topic: string }>(components))
    await expect.poll(() => [...operator.latest.keys()]).toContain(state_topic);
});

test('settings that are not open to operators or wrong are refused, with every path', async () => {
  const answer = await order({
    ads: { refreshSeconds: 0 },
    fleet: { groups: ['x'] },
    admin: { pinHash: null },
  });
  expect(answer).toMatchObject({ command: 'settings', state: 'refused', reason: 'invalid' });
  for (const path of ['ads.refreshSeconds', 'fleet.groups', 'admin.pinHash'])
    expect(answer?.message).toContain(`${path}: Expected`);
  expect(await remote()).toBeNull();
});

test('opening hours take effect while the kiosk runs, and an empty document removes them', async () => {
  const noon = (days: number) => new Date(Date.now() + days * DAY_MS);
  const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][noon(3).getUTCDay()] ?? '';
  const closed = { playback: { openHours: { timeZone: 'UTC', [day]: '10:00-11:00' } } };
  const answer = order(closed);
  await expect.poll(async () => (await kiosk.status()).sentence).toContain('closed');
  // While the store is closed, a trial does not require that anything plays.
  expect(await answer).toMatchObject({ state: 'done' });
  expect(await remote()).toMatchObject({ by: operator.signer.fingerprint, settings: ['playback.openHours'] });
  expect(await order(null)).toMatchObject({ state: 'done' });
  expect(await remote()).toBeNull();
  await expectMorePlays(kiosk, 1);
  expect(main.exitCode).toBeNull();
});

test('other settings take effect with a restart; staff see them, and they survive restarts and kills', async () => {
  const jti = await restartedBy({ ads: { refreshSeconds: 1_800 }, ui: { language: 'de' } });
  await start();
  expect(await operator.answerTo(jti)).toMatchObject({ state: 'done' });
  expect(operator.repliesTo(jti).map(({ state }) => state)).toEqual(['accepted', 'done']);
  const inForce = { settings: ['ads.refreshSeconds', 'ui.language'], onTrial: false };
  expect(await remote()).toMatchObject(inForce);
  const staff = staffByKeys(kiosk);
  await staff.enter();
  await kiosk.screen.getByRole('navigation').getByRole('button', { name: 'Optionen' }).click();
  await expect(kiosk.screen.getByText('ads.refreshSeconds', { exact: false })).toBeVisible();
  await expect(kiosk.screen.getByText(operator.signer.fingerprint).first()).toBeVisible();
  await kiosk.kill();
  await start();
  expect(await remote()).toMatchObject(inForce);
});

test('Home Assistant removes it once the switch is off', async () => {
  // The kiosk was restarted above without `homeAssistant`.
  await expect.poll(() => operator.latest.get(discovery())).toBe('');
});

test('settings with which the kiosk does not play are reverted, after a kill and after a minute', async () => {
  test.slow();
  // Before the service has told the time, the clock would follow the system's back.
  await expect.poll(async () => (await kiosk.status()).clock.trusted).toBe(true);
  // The stored ads become two days old, and there are no new ones.
  const ahead = 2 * DAY_MS;
  service.setFaults({ ads: { kind: 'status', status: 503 } });
  await letPass(kiosk, service, ahead);
  // The next start learns the time from the newest play; one that was reserved before the change does not
  // count.
  await expect.poll(async () => (await kiosk.plays()).at(-1)?.at).toBeGreaterThan(Date.now() + DAY_MS);
  const before = await remote();
  const tooOld = { ads: { maxAgeDays: 1 } };

  const killed = await restartedBy(tooOld, Date.now() + ahead);
  await start();
  await expect.poll(async () => (await kiosk.status()).state).toMatch(/no-content|attention/);
  expect(await remote()).toMatchObject({ settings: ['ads.maxAgeDays'], onTrial: true });
  await kiosk.kill();
  await start();
  expect(await operator.answerTo(killed)).toMatchObject({ state: 'refused', reason: 'failed' });
  await expectMorePlays(kiosk, 1);
  expect(await remote()).toEqual(before);

  const tried = await restartedBy(tooOld, Date.now() + ahead);
  await start({}, HURRIED);
  await ended();
  await start();
  const answer = await operator.answerTo(tried);
  expect(answer).toMatchObject({ state: 'refused', reason: 'failed' });
  expect(answer?.message).toContain('did not play');
  expect((await standing())?.problems.join()).toContain('did not play');
  expect(await remote()).toEqual(before);
  await expectMorePlays(kiosk, 1);
});
