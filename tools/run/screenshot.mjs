import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { makeContactSheets } from './contact-sheet.mjs';
import { makePicture } from './pictures.mjs';
import { clone } from './places.mjs';
import { asCommand, SetUpStop, say } from './say.mjs';

const DEADLINE_MS = 120_000;

/** The pictures that are in docs/ are taken anew with the others. */
const CHOSEN = [
  'portrait-dark-home',
  'portrait-light-ads',
  'portrait-dark-set-up-keyboard',
  'landscape-dark-plays',
  'landscape-light-home',
  'landscape-dark-pin',
];

/** In the order of the sheets; each is there light and dark. */
const PAGES = [
  ...['home', 'ads', 'plays', 'beacons', 'signals', 'log', 'actions', 'settings'],
  ...['pin', 'dialog-pause', 'dialog-export', 'set-up-welcome', 'set-up-keyboard'],
];
/** Of the sheets: how many pictures lie side by side, and how wide each is, px. */
const SHEETS = [
  { name: 'landscape', columns: 4, width: 640 },
  { name: 'portrait', columns: 7, width: 400 },
];

// npm run screenshot: the picture of the README, of the demo as it plays right after its start
// npm run screenshot -- overlay: every page of the staff's overlay and the set-up, into test-results/overlay;
// some of them and sheets of all into docs/overlay
// npm run screenshot -- creatives: every kind of creative in every rotation, into docs/creatives
await asCommand(async () => {
  if (process.argv[2] === 'overlay') return overlayPictures();
  if (process.argv[2] === 'creatives') {
    await makeContactSheets();
    return 0;
  }
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

async function overlayPictures() {
  const folder = join(clone, 'test-results/overlay');
  rmSync(folder, { recursive: true, force: true });
  const gallery = spawn(
    process.execPath,
    [
      join(clone, '.setup/test.mjs'),
      '--only',
      'e2e',
      'e2e/admin-gallery.e2e.ts',
      '-g',
      'keeps? (its|their) place',
    ],
    { env: { ...process.env, ENDCAP_GALLERY: 'test-results/overlay' }, stdio: 'inherit' },
  );
  const code = await new Promise((resolve) => gallery.once('exit', resolve));
  if (code !== 0) throw new SetUpStop('The pages are not as they should be; no picture was taken over.');
  const docs = join(clone, 'docs/overlay');
  mkdirSync(docs, { recursive: true });
  for (const name of CHOSEN) {
    // Half as large and of few colours: for reading, not for measuring.
    const scaled = 'scale=iw/2:-1,split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none';
    makePicture(join(docs, `${name}.png`), ['-i', join(folder, `${name}.png`), '-vf', scaled]);
  }
  for (const { name, columns, width } of SHEETS) {
    const tiles = ['light', 'dark'].flatMap((scheme) => PAGES.map((page) => `${name}-${scheme}-${page}.png`));
    const tiled = `scale=${width}:-1,tile=${columns}x${Math.ceil(tiles.length / columns)}:padding=8:color=gray`;
    const list = tiles.map((tile) => `file 'file:${join(folder, tile)}'\n`).join('');
    const listed = ['-f', 'concat', '-safe', '0', '-protocol_whitelist', 'pipe,file', '-i', 'pipe:0'];
    makePicture(join(docs, `${name}.jpg`), [...listed, '-vf', tiled, '-frames:v', '1', '-q:v', '5'], list);
  }
  say(`the pictures are in ${folder}; those of the documentation in ${docs}`);
  return 0;
}
