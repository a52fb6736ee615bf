import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { runPlaywright } from './harnesses.mjs';
import { repositoryRoot } from './places.mjs';
import { run } from './programs.mjs';
import { CommandError, printStatus } from './say.mjs';

const DEADLINE_MS = 120_000;
const INDEX = join(repositoryRoot, 'tools/run/index.mjs');

/** The pictures of the README are taken anew with the others. */
const CHOSEN = [
  ...['portrait-dark-home', 'portrait-light-ads', 'portrait-dark-set-up-keyboard'],
  'landscape-dark-plays',
];
/** In the order of the sheets; each is there light and dark. */
const PAGES = [
  ...['home', 'ads', 'plays', 'beacons', 'signals', 'log', 'actions', 'settings'],
  ...['pin', 'dialog-pause', 'dialog-export', 'set-up-welcome', 'set-up-keyboard'],
];
/** How many pictures lie side by side on a sheet, how wide each is, and the displays they come from, px. */
const SHEETS = [
  { name: 'landscape', columns: 4, tile: 640, width: 1920, height: 1080 },
  { name: 'portrait', columns: 7, tile: 400, width: 1080, height: 1920 },
];

/**
 * @param {string[]} args `overlay`, `touch`, `creatives`, `announcements`, or nothing for the picture of the README
 * @returns {Promise<number>} the exit code
 */
export async function takePictures([what]) {
  if (what === 'overlay') await pictureOverlay();
  else if (what === 'touch') await pictureTouchPages();
  else if (what === 'creatives') await pictureCreatives();
  else if (what === 'announcements') await pictureAnnouncements();
  else await picturePlaying();
  return 0;
}

async function picturePlaying() {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-screenshot-'));
  const picture = join(folder, 'screenshot.png');
  // Without a display of its own to go to, the kiosk plays on an Xvfb and keeps a picture.
  const kiosk = spawn(process.execPath, [INDEX, 'start', '--data-dir', folder], {
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => kiosk.once('exit', resolve));
  try {
    const until = Date.now() + DEADLINE_MS;
    // The first picture may still be the brand card: the second is a creative's.
    for (let pictures = 0, last = 0; pictures < 2; ) {
      if (Date.now() > until || kiosk.exitCode !== null) {
        throw new CommandError(`The kiosk showed no creative within ${DEADLINE_MS / 1000} s.`);
      }
      await after(100);
      const taken = existsSync(picture) ? statSync(picture).mtimeMs : 0;
      if (taken > last) pictures += 1;
      last = Math.max(last, taken);
    }
    const to = join(repositoryRoot, 'e2e/screenshots/playing.png');
    copyFileSync(picture, to);
    printStatus(`the picture is in ${to}`);
  } finally {
    kiosk.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function pictureOverlay() {
  const { folder, docs } = await takeGallery('overlay', 'admin-gallery', 'keeps? (its|their) place');
  for (const name of CHOSEN) {
    // Half as large and of few colours: for reading, not for measuring.
    const scaled = 'scale=iw/2:-1,split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none';
    makePicture(join(docs, `${name}.png`), ['-i', join(folder, `${name}.png`), '-vf', scaled]);
  }
  for (const sheet of SHEETS) {
    const tiles = ['light', 'dark'].flatMap((scheme) =>
      PAGES.map((page) => `${sheet.name}-${scheme}-${page}.png`),
    );
    makeSheet(docs, folder, tiles, sheet);
  }
}

/** Every page that shoppers touch, upright and lying, with the line that everybody reaches. */
async function pictureTouchPages() {
  const { folder, docs } = await takeGallery('touch', 'touch-pages', 'read and reached');
  for (const sheet of SHEETS) makeSheet(docs, folder, tilesOf(sheet.name, folder), sheet);
}

/**
 * @param {string} display
 * @param {string} folder
 */
const tilesOf = (display, folder) =>
  readdirSync(folder)
    .filter((file) => file.startsWith(`${display}-`))
    .sort();

/**
 * Has a journey look at all pages, and keep their pictures in test-results/.
 * @param {string} name of the folders of pictures, in test-results/ and in docs/
 * @param {string} journey in e2e/
 * @param {string} title of its tests
 */
async function takeGallery(name, journey, title) {
  const folder = join(repositoryRoot, 'test-results', name);
  rmSync(folder, { recursive: true, force: true });
  const test = [INDEX, 'test', '--only', 'e2e', `e2e/${journey}.e2e.ts`, '-g', title];
  const env = { ...process.env, ENDCAP_GALLERY: `test-results/${name}` };
  const { code } = await run(process.execPath, test, { env, output: 'inherit' });
  if (code !== 0) throw new CommandError('The pages are not as they should be; no picture was taken over.');
  const docs = join(repositoryRoot, 'docs', name);
  mkdirSync(docs, { recursive: true });
  printStatus(`the pictures are in ${folder}; those of the documentation are made in ${docs}`);
  return { folder, docs };
}

/** Every kind of creative on both displays in all four rotations: one picture for each display, in docs/creatives. */
async function pictureCreatives() {
  const sheets = join(repositoryRoot, 'out/contact-sheet');
  for (const { name, width, height } of SHEETS) {
    const env = { ENDCAP_SHEET: join(sheets, `${name}.png`), ENDCAP_SHEET_SIZE: `${width}x${height}` };
    const code = await runPlaywright('contact-sheet', env, {
      more: ['contact-sheet.run'],
      screen: { width, height },
    });
    if (code !== 0) throw new CommandError(`endcap: no pictures of the ${name} display`);
  }
  const docs = join(repositoryRoot, 'docs/creatives');
  mkdirSync(docs, { recursive: true });
  for (const { name } of SHEETS) {
    // For reading, not for measuring: a tenth of the bytes.
    makePicture(join(docs, `${name}.jpg`), ['-i', join(sheets, `${name}.png`), '-q:v', '6']);
  }
  printStatus('the pictures are in docs/creatives');
}

/** Announcements of every severity and length on both displays, and a sheet of them for each in docs/announcements. */
async function pictureAnnouncements() {
  const folder = join(repositoryRoot, 'test-results/announcements');
  rmSync(folder, { recursive: true, force: true });
  const docs = join(repositoryRoot, 'docs/announcements');
  mkdirSync(docs, { recursive: true });
  for (const { name, width, height } of SHEETS) {
    const env = { ENDCAP_SHEET: folder, ENDCAP_SHEET_NAME: name, ENDCAP_SHEET_SIZE: `${width}x${height}` };
    const code = await runPlaywright('contact-sheet', env, {
      more: ['announcements.run'],
      screen: { width, height },
    });
    if (code !== 0) throw new CommandError(`endcap: no pictures of the ${name} display`);
    makeSheet(docs, folder, tilesOf(name, folder), { name, columns: name === 'portrait' ? 5 : 2, tile: 400 });
  }
  printStatus(`the pictures are in ${folder}; those of the documentation in ${docs}`);
}

/**
 * Makes one picture of many, side by side.
 * @param {string} docs where it lies
 * @param {string} folder of the tiles
 * @param {string[]} tiles pictures of one size
 * @param {{ name: string, columns: number, tile: number }} sheet
 */
function makeSheet(docs, folder, tiles, { name, columns, tile }) {
  const tiled = `scale=${tile}:-1,tile=${columns}x${Math.ceil(tiles.length / columns)}:padding=8:color=gray`;
  const list = tiles.map((each) => `file 'file:${join(folder, each)}'\n`).join('');
  const listed = ['-f', 'concat', '-safe', '0', '-protocol_whitelist', 'pipe,file', '-i', 'pipe:0'];
  makePicture(join(docs, `${name}.jpg`), [...listed, '-vf', tiled, '-frames:v', '1', '-q:v', '5'], list);
}

/**
 * Makes a picture with ffmpeg, in place of the one that is there.
 * Throws `CommandError` when ffmpeg does not.
 * @param {string} to
 * @param {string[]} from arguments that name what it is made from, and how
 * @param {string} [input] what ffmpeg reads from `pipe:0`
 */
function makePicture(to, from, input = '') {
  const made = spawnSync('ffmpeg', ['-loglevel', 'error', '-y', ...from, to], { input });
  if (made.status !== 0) throw new CommandError(`${to} could not be made: ${made.stderr}`);
}
