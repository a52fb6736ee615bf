import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Capture, captureDisplay } from './capture/capture-display';
import type { Colour, FrameLabel } from './capture/classify-frame';
import {
  type ColouredCreative,
  type ColourName,
  paletteOf,
  serveColoured,
} from './capture/coloured-creatives';
import { readTransitions } from './capture/transitions';
import { expect } from './expect';
import { nameOf, startBroker } from './fleet-operator';
import type { Kiosk } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { solidImage } from './solid-image';
import {
  BLUE,
  errorCodes,
  expectOnScreen,
  GREEN,
  imageAd,
  isColour,
  kioskSettings,
  mediaProblems,
  pageAd,
  pageOf,
  RED,
  serveColours,
  servePages,
} from './two-creatives';

let kiosk: Kiosk;
let capture: Capture | null = null;

test.afterEach(async () => {
  await capture?.stop();
  capture = null;
});

async function start(settings: object = kioskSettings(service)): Promise<Kiosk> {
  kiosk = await launch(settings);
  return kiosk;
}

/** Makes a file with ffmpeg. */
function made(name: string, ...args: readonly string[]): Buffer {
  const place = join(folder, 'made');
  mkdirSync(place, { recursive: true });
  const file = join(place, name);
  execFileSync('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...args, file]);
  return readFileSync(file);
}

const lavfi = (source: string) => ['-f', 'lavfi', '-i', source];
const ONE = ['-frames:v', '1'];
const hex = (colour: Colour) => Buffer.from(colour).toString('hex');

/** Serves files and one ad for each, with the same name. */
function serve(
  ...files: ReadonlyArray<{ name: string; type: string; body: Buffer; seconds?: number }>
): void {
  for (const { name, type, body } of files) service.setMedia(name, body, type);
  service.setAds(
    files.map(({ name, type, seconds }) => ({
      ...imageAd(name, seconds),
      media: [{ name, type, width: 1280, height: 720 }],
    })),
  );
}

/** The sound of the video in front. In one look: a moment later none may be in front, because the next one is late. */
const soundInFront = () =>
  kiosk.screen.evaluate(() => {
    const video = document.querySelector<HTMLVideoElement>('.layer[data-place=front] > video[src]');
    return video && { volume: video.volume, muted: video.muted };
  });

const finished = async () => (await kiosk.plays()).filter(({ outcome }) => outcome !== 'reserved');

/** A file of the same length and structure, with garbage in its second half. */
function scrambled(file: Buffer): Buffer {
  const half = Math.floor(file.length / 2);
  return Buffer.concat([
    file.subarray(0, half),
    file.subarray(half, -20).map((byte) => byte ^ 0x5a),
    file.subarray(-20),
  ]);
}

/** Two transparent frames. */
const CLEAR_ANIMATION = Buffer.from(
  'R0lGODlhAgACAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAAh+QQBAAAAACwAAAAAAQABAAACAUQAOw==',
  'base64',
);

/** Adds the Exif orientation 6 of a camera that was held upright: the left side of the stored picture is the top. */
function turnedRight(jpeg: Buffer): Buffer {
  const tiff = '4d4d002a00000008' + '0001' + '0112000300000001' + '00060000' + '00000000';
  const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), Buffer.from(tiff, 'hex')]);
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}

/** A video of a test picture with a tone. */
const withSound = (seconds: number) =>
  made(
    `sound-${seconds}.mp4`,
    ...lavfi(`testsrc2=s=320x180:r=25:d=${seconds}`),
    ...lavfi(`sine=440:d=${seconds}`),
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-shortest'],
    ...['-movflags', '+faststart'],
  );

test.describe('on one kiosk', () => {
  shareWorld(async () => {
    serve({ name: 'blue.png', type: 'image/png', body: solidImage(BLUE) });
    await start({ ...kioskSettings(service), playback: { ...service.settings().playback, volume: 0.4 } });
  });

  test('a creative of another shape is shown whole, over its own dimmed picture', async () => {
    serve({ name: 'portrait.png', type: 'image/png', body: solidImage(RED, 360, 640) });
    await expect.poll(async () => isColour(RED, await kiosk.colour())).toBe(true);
    for (const across of [0.02, 0.98]) {
      const [red, green, blue] = await kiosk.colour({ across, down: 0.5 });
      expect(red).toBeGreaterThan(70);
      expect(red).toBeLessThan(160);
      expect(Math.max(green, blue)).toBeLessThan(60);
    }
  });

  test('a creative of nearly the screen’s shape fills it', async () => {
    serve({ name: 'nearly.png', type: 'image/png', body: solidImage(RED, 640, 355) });
    for (const [across, down] of [
      [0.002, 0.002],
      [0.998, 0.998],
      [0.5, 0.5],
    ] as const) {
      await expect.poll(async () => isColour(RED, await kiosk.colour({ across, down }))).toBe(true);
    }
  });

  test('transparent parts of pictures, animations and videos are white, so that black words on them can be seen', async () => {
    const inMiddle = (shade: number | string) =>
      `format=rgba,geq=r=${shade}:g=${shade}:b=${shade}:a='255*between(Y,H/4,H*3/4)'`;
    const source = (size: string) => lavfi(`color=black:s=${size}:r=5:d=1`);
    const black = ['-vf', inMiddle(0)];
    const blinking = ['-vf', inMiddle("'mod(N,2)'"), '-plays', '0', '-f', 'apng'];
    const vp9 = ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuva420p', '-auto-alt-ref', '0', '-deadline', 'realtime'];
    const shown = [
      ['still.png', 'image/png', '640x360', [...black, ...ONE]],
      ['square.png', 'image/png', '360x360', [...black, ...ONE]],
      ['animated.png', 'image/png', '640x360', blinking],
      ['animated-square.png', 'image/png', '360x360', blinking],
      ['clear.webm', 'video/webm', '640x360', [...black, ...vp9]],
    ] as const;
    for (const [name, type, size, how] of shown) {
      serve({ name, type, body: made(name, ...source(size), ...how) });
      const seen = async () => {
        const at = [0.1, 0.5, 0.9].map((down) => kiosk.colour({ across: 0.5, down }));
        return (await Promise.all(at)).map(([red]) => Math.round(red / 255));
      };
      await expect.poll(seen, { message: name }).toEqual([1, 0, 1]);
    }
  });

  test('no white lies under an opaque video: it would flash at a start, until the first frame is drawn', async () => {
    serve({ name: 'opaque.mp4', type: 'video/mp4', body: withSound(2) });
    const ground = () =>
      kiosk.screen.evaluate(() => {
        const video = document.querySelector('.layer[data-place=front] > video[src]');
        return video && getComputedStyle(video).backgroundColor;
      });
    await expect.poll(ground).toBe('rgba(0, 0, 0, 0)');
  });

  test('a photograph is rotated as its EXIF data says', async () => {
    const halves = [...lavfi(`color=0x${hex(RED)}:s=320x360`), ...lavfi(`color=0x${hex(GREEN)}:s=320x360`)];
    const lying = made('halves.jpg', ...halves, '-filter_complex', '[0][1]hstack', ...ONE);
    serve({ name: 'turned.jpg', type: 'image/jpeg', body: turnedRight(lying) });
    for (const [colour, down] of [
      [GREEN, 0.8],
      [RED, 0.2],
    ] as const)
      await expect.poll(async () => isColour(colour, await kiosk.colour({ across: 0.5, down }))).toBe(true);
  });

  test('a picture of the display’s size is drawn pixel by pixel, and a finer one without moiré', async () => {
    const stripes = (width: number, height: number) =>
      made(
        `${width}.png`,
        ...lavfi(`nullsrc=s=${width}x${height},format=gray,geq=lum='255*mod(X,2)'`),
        ...ONE,
      );
    serve({ name: 'same', type: 'image/png', body: stripes(1280, 720) });
    const seen = async () => {
      const columns = [0, 1, 2, 3].map(
        async (x) => (await kiosk.colour({ across: (x + 640.5) / 1280, down: 0.5 }))[0],
      );
      return await Promise.all(columns);
    };
    await expect.poll(seen).toEqual([0, 255, 0, 255]);

    serve({ name: 'finer', type: 'image/png', body: stripes(3840, 2160) });
    await expect.poll(async () => (await seen()).every((grey) => Math.abs(grey - 128) < 30)).toBe(true);
  });

  test('if a file of an ad cannot be shown the next one is used, and each failed file is reported', async () => {
    const picture = lavfi('testsrc2=s=640x360:r=25:d=1');
    service.setMedia('wrong-codec.mp4', made('mpeg2.mp4', ...picture, '-c:v', 'mpeg2video'), 'video/mp4');
    service.setMedia('cut-off.mp4', withSound(2).subarray(0, 3_000), 'video/mp4');
    serveColours(service, { good: GREEN });
    const file = (name: string, type: string, width: number) => ({
      name,
      type,
      width,
      height: (width * 9) / 16,
    });
    const media = [
      file('good.png', 'image/png', 320),
      file('missing.mp4', 'video/mp4', 1280),
      file('cut-off.mp4', 'video/mp4', 960),
      file('wrong-codec.mp4', 'video/mp4', 640),
    ];
    service.setAds([{ ...imageAd('choosy'), media }]);
    await expect.poll(async () => isColour(GREEN, await kiosk.colour())).toBe(true);
    await mediaProblems(kiosk).toMatch(
      /(?=[\s\S]*missing\.mp4: status)(?=[\s\S]*cut-off\.mp4: not-shown)(?=[\s\S]*wrong-codec\.mp4: )/,
    );
    const completed = async () =>
      (await finished())
        .filter(({ adId, outcome }) => adId === 'choosy' && outcome === 'completed')
        .map(({ mediaUrl }) => mediaUrl);
    await expect.poll(completed).toContain(`${service.origin}/media/good.png`);
  });

  test('animated pictures (GIF, WebP, PNG) begin at their beginning each time they are shown', async () => {
    const source = (colour: Colour, seconds: number) =>
      lavfi(`color=0x${hex(colour)}:s=320x180:r=5:d=${seconds}`);
    // One that went on where it was would be green for longer than red is waited for.
    const parts = [...source(RED, 0.6), ...source(GREEN, 90)];
    const joined = (more = '') => ['-filter_complex', `[0][1]concat=n=2${more}`];
    const blue = { name: 'blue.png', type: 'image/png', body: solidImage(BLUE), seconds: 0.6 };
    for (const [name, type, ...args] of [
      ['a.gif', 'image/gif', ...joined(',split[a][b];[a]palettegen[p];[b][p]paletteuse')],
      ['a.webp', 'image/webp', ...joined(), '-lossless', '1'],
      ['a.apng', 'image/png', ...joined(), '-plays', '0'],
    ] as const) {
      serve({ name, type, body: made(name, ...parts, ...args), seconds: 1.2 }, blue);
      await expect.poll(async () => (await finished()).some(({ adId }) => adId === name)).toBe(true);
      for (const colour of [BLUE, RED, GREEN, BLUE, RED, GREEN, BLUE, RED])
        await expectOnScreen(kiosk, colour);
    }
  });

  test('every format plays to its end: H.264 with AAC, VP9 and AV1 in WebM and MP4, WebP, an index at the end', async () => {
    const picture = lavfi('testsrc2=s=320x180:r=25:d=1');
    const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-b:v', '300k'];
    const av1 = ['-c:v', 'libaom-av1', '-usage', 'realtime', '-cpu-used', '8', '-b:v', '300k'];
    const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    const sound = [...lavfi('sine=440:d=1'), ...h264, '-c:a', 'aac', '-shortest', '-movflags', '+faststart'];
    // Its words outlast its picture, which then stands still: Chromium ends it with the picture.
    const words = join(folder, 'words.srt');
    writeFileSync(words, '1\n00:00:00,000 --> 00:00:02,500\nHello\n');
    const subtitles = ['-i', words, '-c:s', 'webvtt'];
    serve(
      {
        name: 'subtitles.webm',
        type: 'video/webm',
        body: made('sub.webm', ...picture, ...subtitles, ...vp9),
      },
      { name: 'aac.mp4', type: 'video/mp4', body: made('aac.mp4', ...picture, ...sound) },
      { name: 'index-last.mp4', type: 'video/mp4', body: made('last.mp4', ...picture, ...h264) },
      { name: 'vp9.webm', type: 'video/webm', body: made('vp9.webm', ...picture, ...vp9) },
      { name: 'vp9.mp4', type: 'video/mp4', body: made('vp9.mp4', ...picture, ...vp9) },
      { name: 'av1.webm', type: 'video/webm', body: made('av1.webm', ...picture, ...av1) },
      { name: 'av1.mp4', type: 'video/mp4', body: made('av1.mp4', ...picture, ...av1) },
      { name: 'still.webp', type: 'image/webp', body: made('still.webp', ...picture, '-frames:v', '1') },
    );
    const videos = ['aac.mp4', 'index-last.mp4', 'vp9.webm', 'vp9.mp4', 'av1.webm', 'av1.mp4'];
    const formats = [...videos, 'subtitles.webm', 'still.webp'];
    const ofFormats = async () => (await finished()).filter(({ adId }) => formats.includes(adId));
    await expect
      .poll(
        async () =>
          new Set(
            (await ofFormats()).filter(({ outcome }) => outcome === 'completed').map(({ adId }) => adId),
          ),
        // A video that did not start while the machine stood still comes again after half a minute and a loop.
        { timeout: 120_000 },
      )
      .toEqual(new Set(formats));
    // A start later than two seconds says that the machine stood still, and nothing of a format.
    const plays = (await ofFormats()).filter(({ endReason }) => endReason !== 'start-timeout');
    for (const play of plays.filter(({ adId }) => !adId.endsWith('.webp'))) {
      expect(play.presentedFrames, play.adId).toBeGreaterThan(0);
    }
    expect(plays.filter(({ outcome }) => outcome !== 'completed')).toEqual([]);
  });

  test('files that cannot be shown are skipped and reported: a damaged video, one of a single frame, one that begins late, a wrong codec, damaged and transparent pictures', async () => {
    const picture = lavfi('testsrc2=s=640x360:r=25:d=4');
    const mp4 = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-movflags', '+faststart'];
    const mpeg2WithSound = [...lavfi('sine=440:d=4'), '-c:v', 'mpeg2video', '-c:a', 'aac'];
    const clear = lavfi('color=c=black@0.0:s=1280x720,format=rgba');
    const whiteOnClear = lavfi('color=c=white:s=640x360,format=rgba,geq=r=255:g=255:b=255:a=mod(X\\,256)');
    const jpeg = made('whole.jpg', ...picture, '-frames:v', '1');
    const png = made('whole.png', ...picture, '-frames:v', '1');
    const half = (file: Buffer) => file.subarray(0, file.length / 2);
    serve(
      { name: 'good.png', type: 'image/png', body: solidImage(GREEN) },
      { name: 'scrambled.mp4', type: 'video/mp4', body: scrambled(made('whole.mp4', ...picture, ...mp4)) },
      { name: 'one-frame.mp4', type: 'video/mp4', body: made('one.mp4', ...picture, '-frames:v', '1') },
      {
        name: 'late.mp4',
        type: 'video/mp4',
        body: made('late.mp4', ...picture, ...mp4, '-output_ts_offset', '5'),
      },
      { name: 'mpeg2.mp4', type: 'video/mp4', body: made('mpeg2.mp4', ...picture, '-c:v', 'mpeg2video') },
      { name: 'heard.mp4', type: 'video/mp4', body: made('heard.mp4', ...picture, ...mpeg2WithSound) },
      { name: 'clear.png', type: 'image/png', body: made('clear.png', ...clear, ...ONE) },
      { name: 'white.png', type: 'image/png', body: made('white.png', ...whiteOnClear, ...ONE) },
      { name: 'clear.gif', type: 'image/gif', body: CLEAR_ANIMATION },
      { name: 'scrambled.png', type: 'image/png', body: scrambled(png) },
      { name: 'half.png', type: 'image/png', body: half(png) },
      { name: 'half.jpg', type: 'image/jpeg', body: half(jpeg) },
    );
    const pictures = ['clear.png', 'white.png', 'clear.gif', 'scrambled.png', 'half.png', 'half.jpg'];
    const bad = ['scrambled.mp4', 'one-frame.mp4', 'late.mp4', 'mpeg2.mp4', 'heard.mp4', ...pictures];
    for (const ad of bad) await expect.poll(() => errorCodes(service, ad), { message: ad }).not.toEqual([]);
    // Of a codec that is not decoded Chromium loads the sound alone, without an error. Not 402: nothing was late.
    expect(new Set(errorCodes(service, 'heard.mp4'))).toEqual(new Set(['405']));
    const completed = async () => (await finished()).filter(({ outcome }) => outcome === 'completed');
    const good = async () => (await completed()).filter(({ adId }) => adId === 'good.png').length;
    await expect.poll(good).toBeGreaterThan(2);
    expect((await completed()).filter(({ adId }) => bad.includes(adId))).toEqual([]);
  });
});

test.describe('on a kiosk of its own', () => {
  test('nothing but creatives is on the display at any transition between pictures, videos and pages, from disk alone, and no white window at the start', {
    tag: '@quiet',
  }, async () => {
    const coloured = (colour: ColourName, kind: 'image' | 'video') =>
      ({ colour, kind, weight: 'plain', seconds: 1 }) as const;
    const creatives: readonly ColouredCreative[] = [
      ...[coloured('crimson', 'image'), coloured('cobalt', 'image'), coloured('violet', 'image')],
      ...[coloured('leaf', 'video'), coloured('amber', 'video'), coloured('teal', 'video')],
    ];
    const pages = { rose: [240, 110, 190], reloading: [150, 230, 90] } as const;
    const reloads = '<script>setInterval(() => { location.reload(); history.go(0); }, 30)</script>';
    servePages(service, { rose: pageOf(pages.rose), reloading: pageOf(pages.reloading, reloads) });
    const [crimson, cobalt, violet, leaf, amber, teal] = await serveColoured(
      service,
      creatives,
      join(folder, 'creatives'),
    );
    if (!crimson || !cobalt || !violet || !leaf || !amber || !teal) throw new Error('a creative is missing');
    // Pictures, videos and pages in turn follow each other in every way, except a page a page.
    service.setAds([crimson, cobalt, leaf, amber, pageAd('rose'), violet, pageAd('reloading'), teal]);
    const palette = paletteOf(creatives);
    const names = [...creatives.map(({ colour }) => colour), ...Object.keys(pages)];
    await start();
    await expect.poll(async () => (await kiosk.status()).media.files).toBe(names.length);
    await expect.poll(async () => (await finished()).length).toBeGreaterThan(0);
    await kiosk.terminate();

    service.setFaults({ ads: { kind: 'reset' }, media: { kind: 'reset' } });
    const running = await captureDisplay({ ...palette, creatives: { ...palette.creatives, ...pages } });
    capture = running;
    await start();
    const read = () => readTransitions(running.frames, { shortestSlotMs: 1000 });
    await expect.poll(() => read().transitions.length).toBeGreaterThanOrEqual(2 * names.length);
    // A video that did not start while the machine stood still comes again after half a minute.
    const shown = () => new Set(read().slots.map(({ name }) => name));
    await expect.poll(shown).toEqual(new Set(names));
    await running.stop();
    expect(read().transitions.filter(({ bad }) => Object.keys(bad).length > 0)).toEqual([]);

    const first = running.frames.findIndex(({ label }) => label.kind === 'creative');
    const before = running.frames.slice(0, first).map(({ label }) => label);
    // Black is a display that is not lit yet; on a busy machine the brand card, which is green, may come before the
    // creative.
    const isGrey = (label: FrameLabel) =>
      label.kind === 'foreign' && Math.max(...label.colour) - Math.min(...label.colour) < 4;
    expect(before.filter((label) => label.kind === 'white' || isGrey(label))).toEqual([]);

    // Not the play that the end of the first run interrupted, nor the one that was reserved after it.
    const atTheEnd = ['shut-down', 'stopped'];
    const ofPages = (await finished()).filter(({ adId }) => adId in pages);
    const whole = ofPages.filter(({ endReason }) => !atTheEnd.includes(endReason ?? ''));
    for (const { outcome, endReason, viewedMs } of whole) {
      expect([outcome, endReason]).toEqual(['completed', 'ended']);
      // A slot of 1 s that follows a delay is shortened by at most 100 ms (slot-plan.ts).
      expect(viewedMs).toBeGreaterThanOrEqual(900);
    }
    const told = kiosk.log().match(/a page tried to navigate/g)?.length ?? 0;
    const reloaded = ofPages.filter(({ adId }) => adId === 'reloading').length;
    expect(told, 'lines in the log').toBeLessThan(20 * reloaded);
  });

  test('a video that never starts and one that stalls are ended and reported; the loop continues', async () => {
    serve(
      { name: 'good.png', type: 'image/png', body: solidImage(GREEN) },
      { name: 'never.mp4', type: 'video/mp4', body: withSound(2) },
      { name: 'stalls.mp4', type: 'video/mp4', body: withSound(6) },
    );
    await start();
    // Simulates a decoder that accepts the file and then stops; the duration selects the file.
    await kiosk.screen.evaluate(() => {
      const play = HTMLMediaElement.prototype.play;
      HTMLMediaElement.prototype.play = async function hangs(this: HTMLMediaElement) {
        if (this.duration < 4) return;
        // A busy machine draws few frames in a second: it stalls only after more than are asked for below.
        const video = this as HTMLVideoElement;
        let drawn = 0;
        const count: VideoFrameRequestCallback = (_now, { presentedFrames }) => {
          drawn = presentedFrames;
          video.requestVideoFrameCallback(count);
        };
        video.requestVideoFrameCallback(count);
        this.addEventListener('timeupdate', () => {
          if (this.currentTime <= 1 || drawn < 20 || this.paused) return;
          this.pause();
          // Of the first play that stalls, which is looked at below; another may follow before that.
          if (!('pausedAt' in globalThis)) Object.assign(globalThis, { pausedAt: this.currentTime });
        });
        await play.call(this);
      };
    });
    const of = async (ad: string) => (await finished()).filter(({ adId }) => adId === ad);
    await expect
      .poll(async () =>
        (await of('never.mp4')).map(({ outcome, endReason, shownAt }) => [outcome, endReason, shownAt]),
      )
      .toContainEqual(['given-back', 'start-timeout', null]);
    // A play in which too few frames were drawn ends without a stall; the next one comes a loop later.
    await expect.poll(async () => (await of('stalls.mp4')).map(({ outcome }) => outcome)).toContain('failed');
    const [stalled] = (await of('stalls.mp4')).filter(({ outcome }) => outcome === 'failed');
    expect(stalled?.endReason).toBe('stalled');
    expect(stalled?.presentedFrames).toBeGreaterThan(10);
    // The three seconds without progress do not count as view.
    const pausedAt = await kiosk.screen.evaluate(
      () => (globalThis as unknown as { pausedAt: number }).pausedAt,
    );
    expect(stalled?.viewedMs).toBeGreaterThan(700);
    expect(stalled?.viewedMs).toBeLessThan(pausedAt * 1000 + 1_750);
    expect(stalled?.stalls).toBeGreaterThan(0);
    const before = (await of('good.png')).length;
    await expect.poll(async () => (await of('good.png')).length).toBeGreaterThan(before + 1);
  });

  test('no media key and no other program of the desktop can pause a video', async () => {
    const started = execFileSync(
      'dbus-daemon',
      ['--session', '--fork', '--print-address=1', '--print-pid=1'],
      { encoding: 'utf8' },
    );
    const [address = '', pid] = started.split('\n');
    try {
      const env = { DBUS_SESSION_BUS_ADDRESS: address };
      serve({ name: 'long.mp4', type: 'video/mp4', body: withSound(6) });
      kiosk = await launch(
        { ...kioskSettings(service), playback: { ...service.settings().playback, volume: 0.4 } },
        { env },
      );
      await expect.poll(async () => (await finished()).length).toBeGreaterThan(0);
      // Desktops hand the keys of keyboards and headsets to players with such a name.
      const question = ['--dest=org.freedesktop.DBus', '/', 'org.freedesktop.DBus.ListNames'];
      const names = execFileSync('dbus-send', [`--bus=${address}`, '--print-reply', ...question]);
      expect(String(names)).toContain('"org.freedesktop.DBus"');
      expect(String(names)).not.toContain('org.mpris');
    } finally {
      process.kill(Number(pid));
    }
  });

  test('without its key a kiosk still ends a pause, and plays with the sound that staff chose', async () => {
    // The key cannot be written, so there is no overlay.
    mkdirSync(join(folder, 'signing-key.pem.tmp'));
    writeFileSync(join(folder, 'overlay.json'), JSON.stringify({ volume: 0 }));
    const pause = { version: 1, minutes: 1, until: Date.now() + 8_000 };
    writeFileSync(join(folder, 'maintenance.json'), JSON.stringify(pause));
    serve({ name: 'sound.mp4', type: 'video/mp4', body: withSound(2) });
    await start({ ...kioskSettings(service), playback: { ...service.settings().playback, volume: 0.4 } });
    await expect.poll(soundInFront).toMatchObject({ volume: 0, muted: true });
    expect((await kiosk.status()).attention).toMatchObject([{ code: 'no-key' }]);
    expect((await kiosk.plays())[0]?.at).toBeGreaterThan(pause.until - 1_000);
  });
});

test('a volume that the operator sends holds at once: for the video in front and the one prepared after it', async () => {
  const { operator } = await startBroker();
  serve({ name: 'film.mp4', type: 'video/mp4', body: withSound(90) });
  const playback = { ...service.settings().playback, volume: 0.4 };
  await start({ ...kioskSettings(service), playback, fleet: operator.fleet });
  const sounds = () =>
    kiosk.screen.evaluate(() =>
      [...document.querySelectorAll<HTMLVideoElement>('.layer > video[src]')].map(({ volume, muted }) => ({
        volume,
        muted,
      })),
    );
  const both = (volume: number) => {
    const each = { volume: expect.closeTo(volume), muted: volume === 0 };
    return [each, each];
  };
  await expect.poll(sounds).toEqual(both(0.4));
  const name = await nameOf(kiosk);
  await expect.poll(() => operator.state(name)?.online).toBe(true);
  for (const [sent, heard] of [
    [0, 0],
    [null, 0.4],
    [0.8, 0.8],
  ] as const) {
    expect(await operator.order(`kiosk:${name}`, { name: 'volume', volume: sent })).toMatchObject({
      state: 'done',
    });
    await expect.poll(sounds).toEqual(both(heard));
  }
  // All in its first slot, and it went on.
  expect(await kiosk.plays()).toMatchObject([{ outcome: 'reserved' }]);
  const positionInFront = () =>
    kiosk.screen.evaluate(
      () => document.querySelector<HTMLVideoElement>('.layer[data-place=front] > video[src]')?.currentTime,
    );
  const before = (await positionInFront()) ?? Number.NaN;
  await expect.poll(positionInFront).toBeGreaterThan(before);
});

test('a picture is drawn anew when the display changes its size in the middle of a slot', async () => {
  serveColours(service, { red: RED });
  service.setAds([imageAd('red', 60)]);
  kiosk = await launch({ ...kioskSettings(service), playback: { kiosk: false } });
  const picture = kiosk.screen.locator('.layer[data-place="front"] .still');
  const drawn = () => picture.evaluate((canvas: HTMLCanvasElement) => canvas.width);
  // Without a window manager, Chromium makes the window one pixel smaller on X11.
  await expect.poll(drawn).toBeGreaterThan(1_270);
  for (const [width, height] of [
    [64, 36],
    [960, 540],
  ] as const) {
    await kiosk.app.evaluate(
      ({ BrowserWindow }, [wide, high]) =>
        BrowserWindow.getAllWindows()
          .find((window) => window.webContents.getURL() === 'endcap://kiosk/')
          ?.setContentSize(wide, high),
      [width, height] as const,
    );
    await expect.poll(drawn).toBe(width);
  }
  expect((await kiosk.plays()).length).toBe(1);
});
