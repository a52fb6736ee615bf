// Draws every creative of the demo: node main/demo-service/creatives/source/make.mjs [name…]
//
// Needs Chromium (its path in CHROMIUM, else /usr/bin/chromium), ffmpeg with libx264, and
// the fonts Inter Display, League Spartan, Manrope, Bebas Neue, Karla, Lobster Two,
// Quicksand, Yanone Kaffeesatz and EB Garamond (Debian: fonts-inter
// fonts-league-spartan fonts-manrope fonts-bebas-neue fonts-karla fonts-lobstertwo
// fonts-quicksand fonts-yanone-kaffeesatz fonts-ebgaramond).
// Names limit the work to outputs that begin with one of them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright';
import * as brightside from './brightside.mjs';
import * as hearth from './hearth.mjs';
import * as kiosko from './kiosko.mjs';
import * as lumen from './lumen.mjs';
import * as native from './native.mjs';
import * as nordhain from './nordhain.mjs';
import * as papperi from './papperi.mjs';
import * as pip from './pip.mjs';
import * as solara from './solara.mjs';
import { document } from './svg.mjs';
import * as volt from './volt.mjs';

const OUT = join(import.meta.dirname, '..');
const FRAMES_PER_SECOND = 30;
const FILM_SECONDS = 6;

const ORIENTATIONS = [
  { name: 'landscape', W: 1920, H: 1080, portrait: false },
  { name: 'portrait', W: 1080, H: 1920, portrait: true },
];
const STILLS = [
  { name: 'brightside', draw: brightside.poster, type: 'png' },
  { name: 'nordhain-offer', draw: nordhain.offer, type: 'jpg' },
  { name: 'hearth', draw: hearth.poster, type: 'jpg' },
  { name: 'papperi', draw: papperi.poster, type: 'webp' },
  { name: 'pip', draw: pip.poster, type: 'jpg' },
  { name: 'lumen', draw: lumen.poster, type: 'jpg' },
];
const FILMS = [
  { name: 'nordhain', draw: nordhain.film, sound: false, crf: 25 },
  { name: 'kiosko', draw: kiosko.film, sound: true, crf: 25 },
  { name: 'volt', draw: volt.film, sound: false, crf: 28 },
  { name: 'solara', draw: solara.film, sound: false, crf: 26 },
];

const PALETTE = [
  '-filter_complex',
  '[0]split[a][b];[a]palettegen=reserve_transparent=0[p];[b][p]paletteuse=dither=floyd_steinberg',
];

const wanted = process.argv.slice(2);
const asked = (file) => wanted.length === 0 || wanted.some((start) => file.startsWith(start));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none'],
});

async function pageOf(width, height) {
  const page = await browser.newPage({ viewport: { width, height } });
  await page.setContent(
    '<body style="margin:0;overflow:hidden"><div id="stage" style="width:100vw;height:100vh;display:flex"></div>',
  );
  return page;
}

async function show(page, svg) {
  await page.evaluate((markup) => {
    document.getElementById('stage').innerHTML = markup;
    return document.fonts.ready;
  }, svg);
}

async function still(file, type, width, height, svg) {
  const page = await pageOf(width, height);
  await show(page, svg);
  const path = join(OUT, file);
  if (type === 'jpg') {
    await page.screenshot({ path, type: 'jpeg', quality: 88 });
  } else {
    const png = await page.screenshot({ type: 'png' });
    // Through a palette or into WebP: flat artwork does not need 24 bits of lossless colour.
    const source = join(tmpdir(), `${process.pid}-still.png`);
    await writeFile(source, png);
    await run('ffmpeg', [
      ...['-v', 'error', '-y', '-i', source],
      ...(type === 'webp'
        ? ['-c:v', 'libwebp', '-quality', '86', path]
        : [...PALETTE, '-compression_level', '9', path]),
    ]);
    await rm(source);
  }
  await page.close();
  await report(file);
}

async function film(file, { draw, sound, crf }, { W, H, portrait }) {
  const page = await pageOf((W * 2) / 3, (H * 2) / 3);
  const encoder = spawn(
    'ffmpeg',
    [
      ...['-v', 'error', '-y', '-f', 'image2pipe', '-framerate', String(FRAMES_PER_SECOND), '-c:v', 'mjpeg'],
      ...['-i', '-'],
      ...(sound ? ['-f', 'lavfi', '-i', quietChord()] : []),
      ...['-vf', 'scale=in_range=pc:out_range=tv:out_color_matrix=bt709,format=yuv420p'],
      ...['-c:v', 'libx264', '-preset', 'slow', '-crf', String(crf), '-profile:v', 'high', '-level', '4.0'],
      ...['-g', '60', '-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
      ...(sound ? ['-c:a', 'aac', '-b:a', '64k', '-shortest'] : ['-an']),
      ...['-movflags', '+faststart', join(OUT, file)],
    ],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  for (let frame = 0; frame < FRAMES_PER_SECOND * FILM_SECONDS; frame += 1) {
    await show(page, document(W, H, draw({ W, H, portrait, t: frame / FRAMES_PER_SECOND })));
    const picture = await page.screenshot({ type: 'jpeg', quality: 96 });
    if (!encoder.stdin.write(picture)) await once(encoder.stdin, 'drain');
  }
  encoder.stdin.end();
  await once(encoder, 'close');
  await page.close();
  await report(file);
}

/** A soft A-major chord that swells and fades. */
const quietChord = () =>
  `aevalsrc='0.03*sin(PI*t/${FILM_SECONDS})*(sin(2*PI*220*t)+sin(2*PI*277.18*t)+sin(2*PI*329.63*t))':d=${FILM_SECONDS}:s=48000`;

async function run(command, parameters) {
  const child = spawn(command, parameters, { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
}

async function report(file) {
  const { size } = await stat(join(OUT, file));
  console.log(`${file}  ${Math.round(size / 1024)} KiB`);
}

for (const orientation of ORIENTATIONS) {
  const { name: side, W, H } = orientation;
  for (const { name, draw, type } of STILLS) {
    const file = `${name}-${side}.${type}`;
    if (asked(file)) await still(file, type, W, H, document(W, H, draw(orientation)));
  }
}
for (const { file, width, height, draw } of native.PICTURES) {
  if (asked(file)) await still(file, file.endsWith('png') ? 'png' : 'jpg', width, height, document(width, height, draw()));
}
for (const orientation of ORIENTATIONS) {
  for (const one of FILMS) {
    const file = `${one.name}-${orientation.name}.mp4`;
    if (asked(file)) await film(file, one, orientation);
  }
}
await browser.close();
