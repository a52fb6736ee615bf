import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Kiosk } from '../kiosk';
import { folder, launch, service, test } from '../kiosk-test';
import { imageAd, serveTwoCreatives, videoAd } from '../two-creatives';
import { until } from '../until';
import { adsThatNeverPlay } from './ads-that-never-play';
import { frameGaps, late, reportLateFrames } from './frame-gaps';
import { CREATIVE } from './kiosk-folder';
import { report } from './report';

/** Sizes of a creative that is hashed again before it plays and of one that is downloaded, bytes. */
const LARGE_BYTES = 200_000_000;
const DOWNLOADED_BYTES = 60_000_000;
/** With the ads that play, as many as one answer may hold. */
const MANY_ADS = 9_997;
const WATCH_MS = 8_000;

test('turns of main while it reads, downloads and hashes', async () => {
  test.setTimeout(4 * 60_000);
  serveTwoCreatives(service);
  service.setMedia('large.mp4', padded(LARGE_BYTES), 'video/mp4');
  const loop = [imageAd('red', 2), videoAd('large', 2), imageAd('blue', 2)];
  service.setAds(loop);
  const kiosk = await launch();
  await until(async () => (await kiosk.status()).now?.adId === 'large', 90_000);
  const calm = await watched(kiosk);

  const largest = largestFile(join(folder, 'media'));
  const before = statSync(largest).mtimeMs;
  const hashing = watched(kiosk);
  // A changed time stamp makes the kiosk verify the checksum before the creative plays again.
  utimesSync(largest, new Date(), new Date(before + 60_000));
  const hashed = await hashing;
  const reread = readdirSync(join(folder, 'media')).some(
    (name) =>
      name.endsWith('.json') &&
      readFileSync(join(folder, 'media', name), 'utf8').includes(`"modifiedMs":${statSync(largest).mtimeMs}`),
  );
  if (!reread) throw new Error('the large file was not read again');

  const reading = watched(kiosk);
  service.setAds([...loop, ...adsThatNeverPlay(MANY_ADS, ['red.png'])]);
  const read = await reading;
  await until(async () => (await kiosk.status()).playlist?.ads === MANY_ADS + loop.length);

  service.setMedia('new.mp4', padded(DOWNLOADED_BYTES), 'video/mp4');
  const downloading = watched(kiosk);
  service.setAds([...loop, videoAd('new', 2)]);
  const downloaded = await downloading;
  await until(async () => (await kiosk.status()).now?.adId === 'new', 30_000);

  const works = { hashed, read, downloaded };
  for (const [name, work] of Object.entries(works)) {
    await report({
      name: `longest turn of main, ${WHAT[name as keyof typeof works]} (while it only plays)`,
      unit: 'ms',
      value: work.longestTurnMs,
      baseline: calm.longestTurnMs,
      budgets: [],
      samples: { 'frames of the stage': work.gaps, 'while it only plays': calm.gaps },
      details: { 'p99 ms': work.p99TurnMs, 'p99 while it only plays ms': calm.p99TurnMs },
    });
  }
  const gaps = Object.values(works).flatMap((work) => work.gaps);
  await reportLateFrames('while main hashes, reads and downloads (while it only plays)', gaps, calm.gaps, {
    hashed: late(hashed.gaps),
    read: late(read.gaps),
    downloaded: late(downloaded.gaps),
  });
});

const WHAT = {
  hashed: 'a file of 200 MB is hashed before it plays',
  read: `${MANY_ADS} ads are read and stored`,
  downloaded: '60 MB are downloaded and hashed',
} as const;

interface Watched {
  readonly longestTurnMs: number;
  readonly p99TurnMs: number;
  /** Times between the frames of the stage, ms. */
  readonly gaps: number[];
}

/** Measures how long main's turns are and when the stage's frames come. */
async function watched(kiosk: Kiosk): Promise<Watched> {
  const turns = kiosk.app.evaluate(async (_electron, forMs) => {
    const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks');
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    await new Promise((done) => setTimeout(done, forMs));
    delay.disable();
    return { longestTurnMs: delay.max / 1e6, p99TurnMs: delay.percentile(99) / 1e6 };
  }, WATCH_MS);
  const [seen, gaps] = await Promise.all([turns, frameGaps(kiosk, WATCH_MS)]);
  return { ...seen, gaps };
}

/** The short video with a `free` box at its end: large to disk and network, the same to a player. */
function padded(bytes: number): Buffer {
  const clip = readFileSync(CREATIVE);
  const box = Buffer.alloc(bytes - clip.length);
  box.writeUInt32BE(box.length);
  box.write('free', 4);
  randomBytes(8).copy(box, 8);
  return Buffer.concat([clip, box]);
}

function largestFile(path: string): string {
  const files = readdirSync(path).map((name) => join(path, name));
  return files.reduce((a, b) => (statSync(a).size > statSync(b).size ? a : b));
}
