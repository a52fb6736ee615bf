import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'playwright/test';
import type { DemoAdInput } from '../../main/demo-service/demo-ad';
import type { DemoService } from '../../main/demo-service/demo-service';
import { FRAMES_PER_SECOND } from '../capture/capture-display';
import type { FrameLabel } from '../capture/classify-frame';
import { type ColouredCreative, makeCreative } from '../capture/coloured-creatives';
import { overrunsInFrames } from '../capture/transitions';
import { adsThatNeverPlay } from './ads-that-never-play';
import { type Captured, captureBareLayers, captureEndcap, creativesFolder } from './coloured-run';
import { report } from './report';
import { median, percentile } from './statistics';

// All of it takes a quarter of an hour. In parts of under five minutes, one after the other:
//   npm run bench -- transitions -g plain      (or -g heavy, -g 1080p30, -g standing)
//   npm run bench -- transitions -g plain --slots 10      a look at whether it runs at all

const SECONDS = 1;
/** Per weight, once calm and once under load: 200 in all. With fewer, the 99th percentile would be the maximum. */
const TRANSITIONS = Number(process.env.ENDCAP_BENCH_SLOTS ?? 100);
const BARE_TRANSITIONS = Math.min(16, TRANSITIONS);
/** Interval of the playlist changes under load, and what the playlist contains besides the creatives. */
const CHURN_MS = 5_000;
const FILLERS = 9_990; // With the creatives, just below the most ads that an answer may hold.
const DOWNLOADS = 2;

/** The transitions, in turn: to a picture, a video, a video, a native card, a picture. */
const creatives = (weight: ColouredCreative['weight']): readonly ColouredCreative[] => [
  { colour: 'crimson', kind: 'image', weight, seconds: SECONDS },
  { colour: 'cobalt', kind: 'image', weight, seconds: SECONDS },
  { colour: 'leaf', kind: 'video', weight, seconds: SECONDS },
  { colour: 'amber', kind: 'video', weight, seconds: SECONDS },
  { colour: 'violet', kind: 'card', weight, seconds: SECONDS },
];
/** Only 1080p30 videos at 8 Mb/s. */
const FULL_HD: readonly ColouredCreative[] = [
  { colour: 'leaf', kind: 'video', weight: 'full-hd', seconds: SECONDS },
  { colour: 'amber', kind: 'video', weight: 'full-hd', seconds: SECONDS },
];
const FULL_HD_TRANSITIONS = Math.min(20, TRANSITIONS);
/** In the middle of such a long slot nothing is due, so the stage rests and must wake up in time. */
const STANDING_SECONDS = 2;
const STANDING: readonly ColouredCreative[] = [
  { colour: 'crimson', kind: 'image', weight: 'plain', seconds: STANDING_SECONDS },
  { colour: 'cobalt', kind: 'image', weight: 'plain', seconds: STANDING_SECONDS },
  { colour: 'leaf', kind: 'video', weight: 'plain', seconds: STANDING_SECONDS },
  { colour: 'violet', kind: 'card', weight: 'plain', seconds: STANDING_SECONDS },
];
/** 8 MB, to be downloaded and hashed during the measurement. */
const FILLER: ColouredCreative = { colour: 'teal', kind: 'video', weight: 'heavy', seconds: 8 };
const WEIGHTS = ['plain', 'heavy'] as const;
/**
 * Nominal length of a slot of this colour, ms; a native card stays for at least three seconds
 * (`main/native/native.ts`).
 */
const nominal = (seconds: number) => (colour: string) =>
  (colour === 'violet' ? Math.max(3, seconds) : seconds) * 1000;
const run = (weight: ColouredCreative['weight'], transitions: number) => ({
  creatives: creatives(weight),
  transitions,
  shortestSlotMs: SECONDS * 1000,
});

for (const weight of WEIGHTS) test(`transitions on the display, ${weight}`, () => measure(weight));

async function measure(weight: (typeof WEIGHTS)[number]): Promise<void> {
  test.setTimeout(15 * 60_000);
  const filler = readFileSync((await makeCreative(FILLER, creativesFolder)).file);
  const bare = await captureBareLayers(run(weight, BARE_TRANSITIONS));
  const calm = await captureEndcap(run(weight, TRANSITIONS));
  const loaded = await captureEndcap(run(weight, TRANSITIONS), ({ service, ads }) =>
    churn(service, ads, filler),
  );
  const endcap = [calm, loaded];

  await report({
    name: `foreign or black frames, ${weight}, ${2 * TRANSITIONS} transitions (two bare layers: ${BARE_TRANSITIONS})`,
    unit: 'frames',
    value: bad(endcap),
    baseline: bad([bare]),
    budgets: [{ of: 'value', most: 0 }],
    samples: { calm: [bad([calm])], 'under load': [bad([loaded])] },
    details: {
      transitions: count(endcap),
      'to a card': endcap.reduce((sum, each) => sum + toCard(each), 0),
      'transitions hit': endcap.reduce((sum, { report: { transitionsHit } }) => sum + transitionsHit, 0),
      what: whatWasBad(endcap) || 'nothing',
      'longest gap in the capture ms': Math.max(...endcap.map((each) => each.report.longestGapMs)),
    },
  });
  await report({
    name: `white or foreign frames from process start to the first creative, ${weight}`,
    unit: 'frames',
    value: strayAtStart(endcap),
    baseline: strayAtStart([bare]),
    budgets: [{ of: 'value', most: 0 }],
    samples: { endcap: endcap.map((each) => strayAtStart([each])), bare: [strayAtStart([bare])] },
    details: { starts: endcap.length, 'bare starts': 1, what: whatWasStray(endcap) || 'nothing' },
  });
  for (const [name, measured] of [
    ['calm', calm],
    ['under load', loaded],
  ] as const) {
    const over = overruns([measured], nominal(SECONDS));
    // The bare page shows pictures for 4 s, whatever the setting.
    const bareOver = overruns(
      [bare],
      (colour) => (colour === 'crimson' || colour === 'cobalt' ? 4 : SECONDS) * 1000,
    );
    await report({
      name: `slot length over nominal, p99, ${weight}, ${name} (two bare layers)`,
      unit: 'frames',
      value: percentile(over, 0.99),
      baseline: percentile(bareOver, 0.99),
      budgets: [{ of: 'value', most: 2 }],
      samples: { endcap: over, bare: bareOver },
      details: {
        p50: median(over),
        'bare p50': median(bareOver),
        least: Math.min(...over),
        slots: over.length,
        'beyond two frames': whatWasLong(measured) || 'none',
      },
    });
  }
}

test('transitions of 1080p30', async () => {
  test.setTimeout(5 * 60_000);
  const run = { creatives: FULL_HD, shortestSlotMs: SECONDS * 1000 };
  const bare = await captureBareLayers({ ...run, transitions: BARE_TRANSITIONS });
  const endcap = await captureEndcap({ ...run, transitions: FULL_HD_TRANSITIONS });
  const over = overruns([endcap], () => SECONDS * 1000);
  await report({
    name: `foreign or black frames, 1080p30 videos, ${FULL_HD_TRANSITIONS} transitions (two bare layers: ${BARE_TRANSITIONS})`,
    unit: 'frames',
    value: bad([endcap]),
    baseline: bad([bare]),
    budgets: [{ of: 'value', most: 0 }],
    samples: { overruns: over, bare: overruns([bare], () => SECONDS * 1000) },
    details: {
      transitions: count([endcap]),
      what: whatWasBad([endcap]) || 'nothing',
      'slot length over nominal p50': median(over),
      'slot length over nominal p99': percentile(over, 0.99),
    },
  });
});

test('transitions of standing pictures', async () => {
  test.setTimeout(10 * 60_000);
  const endcap = await captureEndcap({
    creatives: STANDING,
    transitions: TRANSITIONS,
    shortestSlotMs: STANDING_SECONDS * 1000,
  });
  const over = overruns([endcap], nominal(STANDING_SECONDS));
  await report({
    name: `foreign or black frames, pictures that stand ${STANDING_SECONDS} s, ${TRANSITIONS} transitions`,
    unit: 'frames',
    value: bad([endcap]),
    budgets: [{ of: 'value', most: 0 }],
    details: {
      transitions: count([endcap]),
      'to a card': toCard(endcap),
      what: whatWasBad([endcap]) || 'nothing',
    },
  });
  await report({
    name: `slot length over nominal, p99, pictures that stand ${STANDING_SECONDS} s`,
    unit: 'frames',
    value: percentile(over, 0.99),
    budgets: [{ of: 'value', most: 2 }],
    samples: { endcap: over },
    details: {
      p50: median(over),
      least: Math.min(...over),
      slots: over.length,
      'beyond two frames': whatWasLong(endcap, STANDING_SECONDS) || 'none',
    },
  });
});

const bad = (runs: readonly Captured[]) =>
  runs.reduce((sum, { report: { badFrames } }) => sum + badFrames, 0);
const count = (runs: readonly Captured[]) =>
  runs.reduce((sum, { report: { transitions } }) => sum + transitions.length, 0);
const toCard = ({ report: { transitions } }: Captured) =>
  transitions.filter(({ to }) => to === 'violet').length;
const overruns = (runs: readonly Captured[], nominalMs: (colour: string) => number) =>
  runs.flatMap(({ report: { slots } }) => overrunsInFrames(slots, nominalMs, FRAMES_PER_SECOND));

function whatWasBad(runs: readonly Captured[]): string {
  return runs
    .flatMap(({ report: { transitions } }) => transitions)
    .filter((transition) => Object.keys(transition.bad).length > 0)
    .map(({ from, to, bad: what }) => `${from}→${to} ${JSON.stringify(what)}`)
    .join('; ');
}

/** Slots that were too long, each with the uncertainty of its length: that part may be the capture's error. */
function whatWasLong({ report: { slots } }: Captured, seconds = SECONDS): string {
  const over = overrunsInFrames(slots, nominal(seconds), FRAMES_PER_SECOND);
  return slots
    .flatMap(({ name, unseenMs }, index) => {
      const frames = over[index] ?? 0;
      return frames > 2 ? [`${name} +${frames}, unseen for ${Math.round(unseenMs)} ms`] : [];
    })
    .join('; ');
}

const strayAtStart = (runs: readonly Captured[]) => strayFrames(runs).length;

/** Frames before the first creative that are not black; black is a display that is not lit yet. */
function strayFrames(runs: readonly Captured[]): FrameLabel[] {
  return runs.flatMap(({ frames }) => {
    const first = frames.findIndex(({ label }) => label.kind === 'creative');
    return frames
      .slice(0, first)
      .map(({ label }) => label)
      .filter(({ kind }) => kind !== 'black');
  });
}

const whatWasStray = (runs: readonly Captured[]) =>
  strayFrames(runs)
    .map((label) => (label.kind === 'foreign' ? label.colour.join(',') : label.kind))
    .join('; ');

/** Keeps the kiosk reading, downloading and hashing: a playlist with many more ads, replaced every few seconds. */
function churn(service: DemoService, ads: readonly DemoAdInput[], video: Buffer): () => void {
  let turn = 0;
  const change = () => {
    turn += 1;
    const files = Array.from({ length: DOWNLOADS }, (_, index) => {
      const name = `filler-${turn}-${index}.mp4`;
      service.setMedia(name, Buffer.concat([video, unlikeAnyOther()]), 'video/mp4');
      service.removeMedia(`filler-${turn - 2}-${index}.mp4`);
      return name;
    });
    service.setAds([...ads, ...adsThatNeverPlay(FILLERS, files)]);
  };
  change();
  const timer = setInterval(change, CHURN_MS);
  return () => clearInterval(timer);
}

/** A random `free` box for the end of an MP4: a new file to the cache, the same to a player. */
function unlikeAnyOther(): Buffer {
  const box = Buffer.alloc(16);
  box.writeUInt32BE(box.length);
  box.write('free', 4);
  randomBytes(8).copy(box, 8);
  return box;
}
