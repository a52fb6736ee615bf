import { join } from 'node:path';
import { expect } from './expect';
import { letPass, lookAtSuccessor } from './kiosk';
import { folder, launch, service, test } from './kiosk-test';
import { BRIEF, kioskSettings, serveTwoCreatives } from './two-creatives';

const MINUTES = 60_000;

test('an idle kiosk restarts at its hour and plays on; a kiosk that was just touched waits', async () => {
  serveTwoCreatives(service, BRIEF);
  // A kiosk that was not up for a minute at its hour does not restart, and a start may take a while.
  const hour = new Date(Date.now() + 3 * MINUTES);
  const two = (value: number) => String(value).padStart(2, '0');
  const restartAt = `${two(hour.getUTCHours())}:${two(hour.getUTCMinutes())}`;
  const settings = { ...kioskSettings(service), playback: { restartAt } };
  const kiosk = await launch(settings, {
    requiredScript: join(__dirname, 'restart-on-time.cjs'),
    // An hour that clocks repeat counts once.
    env: { TZ: 'UTC' },
  });
  const state = async () => (await kiosk.status()).state;
  await expect.poll(state).toBe('playing');

  await kiosk.screen.mouse.click(200, 600);
  // The kiosk was started before its hour, so the restart is due; but a shopper touched it recently.
  await letPass(kiosk, service, 4 * MINUTES);
  const looks = 2 * 500;
  const before = (await kiosk.plays()).length;
  const waited = async () => (await kiosk.plays()).length - before;
  await expect.poll(waited).toBeGreaterThanOrEqual(Math.ceil(looks / (BRIEF * 1_000)));
  expect(kiosk.log()).not.toContain('the nightly restart');

  await letPass(kiosk, service, 2 * MINUTES);
  await lookAtSuccessor(kiosk, folder, async () => {
    await expect.poll(state).toBe('playing');
    expect(kiosk.log().match(/the nightly restart/g)).toHaveLength(1);
    expect(kiosk.log()).toContain('Endcap ended in order');
  });
});
