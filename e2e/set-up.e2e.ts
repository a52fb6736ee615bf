import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isPin, readPinHash } from '../main/admin/pin-hash';
import { expect } from './expect';
import { filesWith } from './files-with';
import { pageAt } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import { serveLoop } from './native-zone';
import { staffByTouch } from './staff';
import { pathWith, standIn } from './stand-in';
import { fingerOn, touchLong } from './touch';

const PIN = '7382';

test.beforeEach(() => {
  serveLoop(service, 2);
});

const ownFile = () => join(folder, 'settings.json');
const start = async (env: Readonly<Record<string, string>> = {}) => {
  const kiosk = await launch(null, {
    args: ['--set-up', '--kiosk', '--lang=en'],
    // This machine may have an operator's settings file, which must not be used.
    env: { ENDCAP_CONFIG: '', ...env },
  });
  await expect(kiosk.screen.getByText('Welcome')).toBeVisible();
  return kiosk;
};

test('a kiosk without settings is set up by touch alone, and plays without a restart', async () => {
  test.slow();
  const { screen, status, plays, log } = await start();
  const finger = await fingerOn(screen);
  const { service: addresses, ads } = service.settings();

  // The values from the operator; the secret is typed wrong first.
  await finger.type(screen.getByLabel('Service address'), addresses.baseUrl);
  await finger.type(screen.getByLabel('Sign-in address'), addresses.authUrl);
  await finger.type(screen.getByLabel('Client id'), addresses.clientId);
  await finger.type(screen.getByLabel('Client secret'), 'wrong');
  await finger.type(screen.getByLabel('Project'), addresses.projectId);
  await finger.type(screen.getByLabel('Player id'), ads.params.playerid);
  await finger.type(screen.getByLabel('Retailer key'), ads.params.key);

  await finger.press('Test the connection');
  const steps = screen.locator('.a-step');
  await expect(steps.first()).toHaveAttribute('data-state', 'bad');
  // A plain message with advice, and beneath it the service's own message.
  await expect(steps.first()).toContainText('The client id or secret is not accepted.');
  await expect(steps.first()).toContainText('Compare both with what the operator gave you');
  await expect(steps.first().locator('.a-technical')).not.toBeEmpty();
  expect(existsSync(ownFile())).toBe(false);

  const secret = screen.getByLabel('Client secret');
  await finger.tap(secret);
  for (let letter = 0; letter < 'wrong'.length; letter += 1) await finger.press('Delete');
  await expect(secret).toHaveValue('');
  await finger.type(secret, addresses.clientSecret);
  service.clearRequests();
  await finger.press('Test the connection');
  await expect(screen.locator('.a-step[data-state="ok"]')).toHaveCount(3);
  // Token, the inventory with an empty body, a first playlist.
  expect(service.requests().map(({ method, path }) => `${method} ${path.split('?')[0]}`)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^POST .*\/v1alpha\/inventory\/devices$/)]),
  );
  await finger.press('Save and restart player');

  await finger.pin('1111');
  await expect(screen.getByRole('alert')).toBeVisible();
  await finger.pin(PIN);
  await expect(screen.getByText('Enter it once more')).toBeVisible();
  await finger.pin(PIN);

  await expect.poll(async () => (await status()).now?.adId).toBe('red');
  await expect(screen.locator('.a-screen')).toHaveCount(0);
  const stored = JSON.parse(readFileSync(ownFile(), 'utf8'));
  expect(stored.service).toEqual({
    baseUrl: addresses.baseUrl,
    authUrl: addresses.authUrl,
    clientId: addresses.clientId,
    clientSecret: addresses.clientSecret,
    projectId: addresses.projectId,
  });
  expect(statSync(ownFile()).mode & 0o777).toBe(0o600);
  const known = readPinHash(stored.admin.pinHash);
  expect(known && (await isPin(PIN, known))).toBe(true);
  await expect.poll(() => readdirSync(folder).filter((name) => /\.tmp$/.test(name))).toEqual([]);
  expect(log()).not.toContain(addresses.clientSecret);

  // The new PIN opens the overlay.
  await expect.poll(async () => (await plays()).length).toBeGreaterThan(0);
  await staffByTouch({ screen }, finger).enter(PIN);
});

test('a touch too long for a click unfolds the advanced fields, and opens the keyboard of a field', async () => {
  const { screen } = await start();
  const caFile = screen.getByLabel('CA file');
  await expect(caFile).toBeHidden();
  await touchLong(screen.locator('summary'));
  await expect(caFile).toBeVisible();
  await touchLong(caFile);
  await expect(screen.locator('.a-keyboard')).toBeVisible();
  await (await fingerOn(screen)).press('x');
  await expect(caFile).toHaveValue('x');
});

test('while the set-up waits, the service manager is told so, and no secret and no key are stored', async () => {
  const [programs, told] = [join(folder, 'stand-ins'), join(folder, 'told')];
  standIn(programs, 'systemd-notify', `echo "$*" >> '${told}'`);
  const { screen, kill } = await start({ ...pathWith(programs), NOTIFY_SOCKET: join(folder, 'notify') });
  await expect
    .poll(() => existsSync(told) && readFileSync(told, 'utf8'))
    .toContain('STATUS=No settings were found: the kiosk waits to be set up on its screen.');
  await screen.getByLabel('Service address').fill('https://ads.half.example');
  await screen.getByLabel('Sign-in address').fill('https://login.half.example');
  await screen.getByLabel('Client secret').fill('half-a-secret');
  await screen.getByLabel('Client id').fill('kiosk');
  await kill();
  expect(filesWith(folder, ['half-a-secret'])).toEqual([]);
  expect(existsSync(ownFile())).toBe(false);
  // Copies of this disk would share a key.
  expect(readdirSync(folder).filter((name) => /key|machine/.test(name))).toEqual([]);
});

test('a kiosk whose disk takes no key plays after its set-up', async () => {
  mkdirSync(join(folder, 'signing-key.pem.tmp'));
  const { app, screen, status, plays } = await start();
  await screen.getByRole('button', { name: 'Try the demo' }).click();
  await screen.getByRole('button', { name: 'Start demo' }).click();
  await expect.poll(async () => (await plays()).length).toBeGreaterThan(1);
  const next = await pageAt(app, 'endcap://kiosk/');
  await expect(next.locator('.layer[data-place="front"]')).toHaveCount(1);
  await expect(next.locator('.a-screen')).toHaveCount(0);
  expect((await status()).attention).toMatchObject([{ code: 'no-key' }]);
});

test('the demo can be tried without storing settings, and shows its PIN', async () => {
  // Its port cannot be stored, as on a full disk.
  mkdirSync(join(folder, 'demo-port'));
  const { screen, status, output, terminate } = await start();
  await screen.getByRole('button', { name: 'Try the demo' }).click();
  await expect(screen.getByRole('alertdialog')).toContainText('2741');
  await screen.getByRole('button', { name: 'Start demo' }).click();
  await expect.poll(async () => (await status()).state).toBe('playing');
  await expect(screen.locator('.a-screen')).toHaveCount(0);
  expect(existsSync(ownFile())).toBe(false);
  // The terminal shows it too.
  await expect.poll(output).toContain('PIN 2741');
  expect(await terminate()).toBe(0);
  await start();
});
