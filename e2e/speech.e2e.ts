import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from './expect';
import { folder, launch, service, test } from './kiosk-test';
import { nativeAd, nativeSettings, serveLoop } from './native-zone';
import { pathWith, standIn } from './stand-in';

// Headphones are simulated: `pactl` prints the content of a file in PulseAudio's format, or the name of the default
// output, and `espeak-ng` stores its text.

const SINK = 'alsa_output.pci-0000_00_1f.3.analog-stereo';

const sinks = (availability: string) =>
  JSON.stringify([
    {
      name: SINK,
      ports: [{ name: 'analog-output-headphones', type: 'Headphones', availability }],
      active_port: 'analog-output-headphones',
    },
  ]);

test.beforeEach(() => {
  standIn(folder, 'pactl', `[ "$1" = get-default-sink ] && exec echo ${SINK}\nexec cat '${folder}/sinks'`);
  standIn(folder, 'espeak-ng', `{ echo "$@"; cat; echo; } >> '${folder}/said'\nexec sleep 60`);
  plug('not available');
  writeFileSync(join(folder, 'said'), '');
});

const plug = (availability: string) => writeFileSync(join(folder, 'sinks'), sinks(availability));
const said = () => readFileSync(join(folder, 'said'), 'utf8');

test('native ads are read out only while headphones are plugged in, and videos are silent meanwhile', async () => {
  serveLoop(service);
  service.setNativeAds([1, 2, 3, 4, 5, 6].map((number) => nativeAd(service, `Volt ${number}`)));
  // A kiosk without its key has no overlay, but reads out all the same.
  mkdirSync(join(folder, 'signing-key.pem.tmp'));
  const settings = nativeSettings(service, { cardSeconds: 4 });
  const kiosk = await launch(
    { ...settings, ui: { language: 'de', speech: 'headphones' } },
    { env: pathWith(folder) },
  );
  const front = kiosk.screen.locator('.layer[data-place="front"] .native-card');
  await expect(front).toBeVisible();
  expect(said()).toBe('');
  plug('available');
  const card = /Anzeige\. Volt \d\. Taste unten auf dem Bildschirm: Look\./;
  await expect.poll(said).toMatch(card);
  const isPageSilent = () =>
    kiosk.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows().some(({ webContents }) => webContents.isAudioMuted()),
    );
  await expect.poll(isPageSilent).toBe(true);
  plug('not available');
  await expect.poll(isPageSilent, { timeout: 15_000 }).toBe(false);
  expect(said()).toMatch(/^-v de -s 150 --stdin$/m);
});
