import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { test } from './kiosk-test';
import {
  BLUE,
  expectMorePlays,
  expectOnScreen,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';

/** What there is of hardware is believed after ten seconds. */
const patient = { timeout: 30_000 };

/** Whether this start looked for graphics hardware. */
const looked = (kiosk: Kiosk) => kiosk.app.evaluate(({ app }) => !app.commandLine.hasSwitch('disable-gpu'));

test('where there is no graphics hardware the next start does not look for it, and among other devices it does', async ({
  service,
  folder,
  start,
}) => {
  serveTwoCreatives(service);
  const settings = kioskSettings(service);
  const file = join(folder, 'graphics.json');
  const trouble = () => JSON.parse(readFileSync(file, 'utf8')) as { missing: { devices: string } | null };

  const first = await start(settings);
  expect(await looked(first)).toBe(true);
  const compositing = () => first.app.evaluate(({ app }) => app.getGPUFeatureStatus().gpu_compositing);
  await expect.poll(compositing).toMatch(/^(disabled_software|enabled)/);
  if ((await compositing()) !== 'disabled_software') {
    // A machine with graphics hardware: nothing is remembered of it.
    await expectMorePlays(first, 12);
    expect(existsSync(file)).toBe(false);
    return;
  }
  await expect.poll(() => first.log(), patient).toContain('there is no graphics hardware');
  const before = trouble();
  expect(before.missing).not.toBeNull();
  await first.terminate();

  const second = await start(settings);
  expect(await looked(second)).toBe(false);
  await expect.poll(() => second.log()).toContain('drawn without graphics hardware');
  await expectOnScreen(second, RED, BLUE);
  await second.terminate();

  writeFileSync(file, JSON.stringify({ ...before, missing: { ...before.missing, devices: 'card7' } }));
  const third = await start(settings);
  expect(await looked(third)).toBe(true);
  await expect.poll(() => trouble().missing?.devices, patient).toBe(before.missing?.devices);
  await expectOnScreen(third, RED, BLUE);
});
