import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { clone } from './places.mjs';
import { asCommand, SetUpStop, say } from './say.mjs';

const DEADLINE_MS = 120_000;

// npm run screenshot: the picture of the README, of the demo as it plays right after its start
await asCommand(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-screenshot-'));
  const picture = join(folder, 'screenshot.png');
  // Without a display of its own to go to, the kiosk plays on an Xvfb and keeps a picture.
  const environment = { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' };
  const kiosk = spawn(process.execPath, [join(clone, '.setup/start.mjs'), '--data-dir', folder], {
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => kiosk.once('exit', resolve));
  try {
    const until = Date.now() + DEADLINE_MS;
    // The first picture may still be the brand card: the second is a creative's.
    let pictures = 0;
    let last = 0;
    while (pictures < 2) {
      if (Date.now() > until || kiosk.exitCode !== null) {
        throw new SetUpStop(`The kiosk showed no creative within ${DEADLINE_MS / 1000} s.`);
      }
      await after(100);
      const taken = existsSync(picture) ? statSync(picture).mtimeMs : 0;
      if (taken > last) pictures += 1;
      last = Math.max(last, taken);
    }
    const to = join(clone, 'e2e/screenshots/playing.png');
    copyFileSync(picture, to);
    say(`the picture is in ${to}`);
  } finally {
    kiosk.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
  return 0;
});
