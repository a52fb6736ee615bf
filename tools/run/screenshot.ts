import { spawnSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RUNS, runPlaywright } from './harnesses.ts';
import { repositoryRoot } from './places.ts';
import { CommandError, printStatus } from './say.ts';

/** The displays that pictures are taken of, px. */
const DISPLAYS = { landscape: { width: 1920, height: 1080 }, portrait: { width: 1080, height: 1920 } };

interface Gallery {
  /** Takes pictures `DISPLAY-NAME.png` into an empty folder; resolves with an exit code. */
  readonly take: (folder: string) => Promise<number>;
  /** How many pictures are side by side on the sheet of each display, and how wide each is, px. */
  readonly sheets: Readonly<
    Record<keyof typeof DISPLAYS, { readonly columns: number; readonly tile: number }>
  >;
  /** Pictures of a sheet, in its order; default: all pictures, in the order of their names. */
  readonly names?: readonly string[];
  /** Pictures that the README shows alone. */
  readonly chosen?: readonly string[];
}

const OVERLAY = [
  ...['home', 'ads', 'plays', 'beacons', 'log', 'actions', 'settings'],
  ...['pin', 'dialog-pause', 'dialog-export', 'set-up', 'set-up-keyboard'],
];
const GALLERIES: Readonly<Record<string, Gallery>> = {
  overlay: {
    take: (folder) => runJourney('admin-gallery', 'keeps? (its|their) place', folder),
    sheets: { landscape: { columns: 4, tile: 640 }, portrait: { columns: 7, tile: 400 } },
    names: ['light', 'dark'].flatMap((scheme) => OVERLAY.map((page) => `${scheme}-${page}`)),
    chosen: [
      ...['portrait-dark-home', 'portrait-light-ads', 'portrait-dark-set-up-keyboard'],
      'landscape-dark-plays',
    ],
  },
  touch: {
    take: (folder) => runJourney('native-gallery', 'read and reached', folder),
    sheets: { landscape: { columns: 4, tile: 640 }, portrait: { columns: 7, tile: 400 } },
  },
  creatives: {
    take: takeCreatives,
    sheets: { landscape: { columns: 6, tile: 320 }, portrait: { columns: 6, tile: 180 } },
  },
  announcements: {
    take: (folder) => runJourney('native-gallery', 'an announcement .*: (landscape|portrait)$', folder),
    sheets: { landscape: { columns: 2, tile: 400 }, portrait: { columns: 5, tile: 400 } },
  },
};

/**
 * Takes all pictures of a gallery into test-results/NAME; puts a sheet of them for each display, and the chosen ones,
 * into docs/NAME.
 * @param args `overlay`, `touch`, `creatives` or `announcements`
 * @returns the exit code
 */
export async function takePictures([name = '']: readonly string[]): Promise<number> {
  const gallery = Object.hasOwn(GALLERIES, name) ? GALLERIES[name] : undefined;
  if (gallery === undefined) {
    const got = name === '' ? 'nothing' : JSON.stringify(name);
    throw new CommandError(`endcap: expected one of ${Object.keys(GALLERIES).join(', ')}, got ${got}`);
  }
  const { take, sheets, names, chosen = [] } = gallery;
  const folder = join(repositoryRoot, 'test-results', name);
  const docs = join(repositoryRoot, 'docs', name);
  rmSync(folder, { recursive: true, force: true });
  if ((await take(folder)) !== 0) {
    throw new CommandError('A page failed its checks, so the pictures in docs were not replaced.');
  }
  for (const picture of chosen) {
    // Half as large and of few colours: for reading, not for measuring.
    const scaled = 'scale=iw/2:-1,split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none';
    makePicture(join(docs, `${picture}.png`), ['-i', join(folder, `${picture}.png`), '-vf', scaled]);
  }
  for (const [display, { columns, tile }] of Object.entries(sheets)) {
    const all = readdirSync(folder).filter((file) => file.startsWith(`${display}-`));
    const tiles = names?.map((each) => `${display}-${each}.png`) ?? all.sort();
    const tiled = `scale=${tile}:-1,tile=${columns}x${Math.ceil(tiles.length / columns)}:padding=8:color=gray`;
    const list = tiles.map((each) => `file 'file:${join(folder, each)}'\n`).join('');
    const listed = ['-f', 'concat', '-safe', '0', '-protocol_whitelist', 'pipe,file', '-i', 'pipe:0'];
    const sheet = ['-vf', tiled, '-frames:v', '1', '-q:v', '5'];
    makePicture(join(docs, `${display}.jpg`), [...listed, ...sheet], list);
  }
  printStatus(`the pictures are in ${folder}; those of the documentation in ${docs}`);
  return 0;
}

/** Runs the tests of a journey whose titles match `title`: they check pages and take pictures of them. */
const runJourney = (journey: string, title: string, folder: string) =>
  runPlaywright(
    'playwright.config.ts',
    { ENDCAP_GALLERY: folder },
    { more: ['--no-deps', '--workers=1', `e2e/${journey}.e2e.ts`, '-g', title] },
  );

/** Plays the creatives on each kind of display, and captures it. */
async function takeCreatives(folder: string): Promise<number> {
  for (const [name, screen] of Object.entries(DISPLAYS)) {
    const env = { ENDCAP_SHEET: join(folder, name), ENDCAP_SHEET_SIZE: `${screen.width}x${screen.height}` };
    const code = await runPlaywright(RUNS, env, { more: ['creatives.run'], screen });
    if (code !== 0) return code;
  }
  return 0;
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
