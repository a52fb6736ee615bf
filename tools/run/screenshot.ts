import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { RUNS, runPlaywright } from './harnesses.ts';
import { repositoryRoot } from './places.ts';
import { CommandError, printStatus } from './say.ts';
import { runTests } from './test.ts';

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

const KINDS: Readonly<Record<string, () => Promise<void>>> = {
  overlay: pictureOverlay,
  touch: pictureTouchPages,
  creatives: pictureCreatives,
  announcements: pictureAnnouncements,
};

/**
 * @param args `overlay`, `touch`, `creatives`, `announcements`, or nothing for the picture of the README
 * @returns the exit code
 */
export async function takePictures([kind = '']: readonly string[]): Promise<number> {
  await (KINDS[kind] ?? picturePlaying)();
  return 0;
}

async function picturePlaying(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-screenshot-'));
  const picture = join(folder, 'screenshot.png');
  // Without a display of its own to go to, the kiosk plays on an Xvfb and keeps a picture.
  const kiosk = spawn(process.execPath, [INDEX, 'start', '--data-dir', folder], {
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(kiosk, 'exit');
  try {
    const until = Date.now() + DEADLINE_MS;
    const taken = new Set<number>();
    // The first picture may still be the brand card: the second is a creative's.
    while (taken.size < 2) {
      if (Date.now() > until || kiosk.exitCode !== null) {
        throw new CommandError(`The kiosk showed no creative within ${DEADLINE_MS / 1000} s.`);
      }
      await after(100);
      const stats = statSync(picture, { throwIfNoEntry: false });
      if (stats !== undefined) taken.add(stats.mtimeMs);
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

async function pictureOverlay(): Promise<void> {
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
async function pictureTouchPages(): Promise<void> {
  const { folder, docs } = await takeGallery('touch', 'touch-pages', 'read and reached');
  for (const sheet of SHEETS) makeSheet(docs, folder, tilesOf(sheet.name, folder), sheet);
}

/** Every kind of creative on both displays in all four rotations: one picture for each display, in docs/creatives. */
async function pictureCreatives(): Promise<void> {
  const sheets = join(repositoryRoot, 'out/contact-sheet');
  await onEachDisplay('contact-sheet', ({ name }) => ({ ENDCAP_SHEET: join(sheets, `${name}.png`) }));
  const docs = documents('creatives');
  for (const { name } of SHEETS) {
    // For reading, not for measuring: a tenth of the bytes.
    makePicture(join(docs, `${name}.jpg`), ['-i', join(sheets, `${name}.png`), '-q:v', '6']);
  }
  printStatus('the pictures are in docs/creatives');
}

/** Announcements of every severity and length on both displays, and a sheet of them for each in docs/announcements. */
async function pictureAnnouncements(): Promise<void> {
  const folder = results('announcements');
  await onEachDisplay('announcements', ({ name }) => ({ ENDCAP_SHEET: folder, ENDCAP_SHEET_NAME: name }));
  const docs = documents('announcements');
  for (const { name } of SHEETS)
    makeSheet(docs, folder, tilesOf(name, folder), { name, columns: name === 'portrait' ? 5 : 2, tile: 400 });
  printStatus(`the pictures are in ${folder}; those of the documentation in ${docs}`);
}

/**
 * Has a journey look at all pages, and keep their pictures in test-results/.
 * @param name of the folders of pictures, in test-results/ and in docs/
 * @param journey in e2e/
 * @param title of its tests
 */
async function takeGallery(name: string, journey: string, title: string) {
  const folder = results(name);
  process.env.ENDCAP_GALLERY = `test-results/${name}`;
  const code = await runTests(['--only', 'e2e', `e2e/${journey}.e2e.ts`, '-g', title]);
  if (code !== 0) throw new CommandError('The pages are not as they should be; no picture was taken over.');
  const docs = documents(name);
  printStatus(`the pictures are in ${folder}; those of the documentation are made in ${docs}`);
  return { folder, docs };
}

/** Has a program of e2e/contact-sheet take its pictures on each kind of display. */
async function onEachDisplay(
  program: string,
  envFor: (sheet: (typeof SHEETS)[number]) => NodeJS.ProcessEnv,
): Promise<void> {
  for (const sheet of SHEETS) {
    const { name, width, height } = sheet;
    const env = { ...envFor(sheet), ENDCAP_SHEET_SIZE: `${width}x${height}` };
    const options = { more: [`${program}.run`], screen: { width, height } };
    const code = await runPlaywright(RUNS, env, options);
    if (code !== 0) throw new CommandError(`endcap: no pictures of the ${name} display`);
  }
}

/** An empty place for pictures in test-results/. */
function results(name: string): string {
  const folder = join(repositoryRoot, 'test-results', name);
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

const documents = (name: string) => join(repositoryRoot, 'docs', name);

const tilesOf = (display: string, folder: string) =>
  readdirSync(folder)
    .filter((file) => file.startsWith(`${display}-`))
    .sort();

/**
 * Makes one picture of many, side by side.
 * @param docs where it lies
 * @param folder of the tiles
 * @param tiles pictures of one size
 */
function makeSheet(
  docs: string,
  folder: string,
  tiles: readonly string[],
  { name, columns, tile }: { name: string; columns: number; tile: number },
): void {
  const tiled = `scale=${tile}:-1,tile=${columns}x${Math.ceil(tiles.length / columns)}:padding=8:color=gray`;
  const list = tiles.map((each) => `file 'file:${join(folder, each)}'\n`).join('');
  const listed = ['-f', 'concat', '-safe', '0', '-protocol_whitelist', 'pipe,file', '-i', 'pipe:0'];
  makePicture(join(docs, `${name}.jpg`), [...listed, '-vf', tiled, '-frames:v', '1', '-q:v', '5'], list);
}

/**
 * Makes a picture with ffmpeg, in place of the one that is there.
 * Throws `CommandError` when ffmpeg does not.
 * @param from arguments that name what it is made from, and how
 * @param input what ffmpeg reads from `pipe:0`
 */
function makePicture(to: string, from: readonly string[], input = ''): void {
  const made = spawnSync('ffmpeg', ['-loglevel', 'error', '-y', ...from, to], { input });
  if (made.status !== 0) throw new CommandError(`${to} could not be made: ${made.stderr}`);
}
