import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../../main/demo-service/demo-service';
import { captureDisplay } from '../capture/capture-display';
import { type ColouredCreative, makeCreative, paletteOf, serveColoured } from '../capture/coloured-creatives';
import { type LabelledFrame, readTransitions, type TransitionReport } from '../capture/transitions';
import { openWorld } from '../kiosk-test';
import { kioskSettings } from '../two-creatives';
import { until } from '../until';
import { startBare, startEndcap } from './electron-program';
import { benchData } from './kiosk-folder';

/** Creatives are stored here once made, for later runs. */
export const creativesFolder = join(benchData, 'creatives');

export interface ColouredRun {
  readonly creatives: readonly ColouredCreative[];
  /** How many transitions to wait for. */
  readonly transitions: number;
  readonly shortestSlotMs: number;
}

export interface Captured {
  readonly frames: readonly LabelledFrame[];
  readonly report: TransitionReport;
}

/**
 * Captures the display while a kiosk on a new data folder plays the creatives in turn, from before its start.
 * Calls `meanwhile` once the kiosk plays; the function it returns is called at the end.
 */
export async function captureEndcap(
  run: ColouredRun,
  meanwhile: (kiosk: {
    readonly pid: number;
    readonly service: DemoService;
    readonly ads: Awaited<ReturnType<typeof serveColoured>>;
  }) => () => void = () => () => {},
): Promise<Captured> {
  await using world = await openWorld();
  const { service, folder: dataDir } = world;
  const ads = await serveColoured(service, run.creatives, creativesFolder);
  const given = service.settings();
  const card = run.creatives.find(({ kind }) => kind === 'card');
  const settings = {
    ...kioskSettings(service),
    // One card after each round of the other creatives, shown for as long as they are.
    ...(card && {
      native: { ...given.native, everySlots: run.creatives.length - 1, adcount: 20 },
      playback: { ...given.playback, imageSeconds: card.seconds },
    }),
  };
  const config = join(dataDir, 'config.json');
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
  return await captured(
    run,
    () => startEndcap({ dataDir, config }),
    (pid) => meanwhile({ pid, service, ads }),
  );
}

/** Captures the bare page with two layers on the same files, without cards; its images stay 4 s. */
export async function captureBareLayers(run: ColouredRun): Promise<Captured> {
  const files: string[] = [];
  for (const creative of run.creatives)
    if (creative.kind !== 'card') files.push((await makeCreative(creative, creativesFolder)).file);
  return captured(
    run,
    () => startBare('two-layers.html', files, join(benchData, 'bare')),
    () => () => {},
  );
}

async function captured(
  { creatives, transitions, shortestSlotMs }: ColouredRun,
  start: () => ReturnType<typeof startEndcap>,
  meanwhile: (pid: number) => () => void,
): Promise<Captured> {
  const capture = await captureDisplay(paletteOf(creatives));
  const read = () => readTransitions(capture.frames, { shortestSlotMs });
  try {
    const program = start();
    try {
      await until(async () => read().transitions.length > 0);
      const stop = meanwhile(program.pid);
      try {
        const enough = async () => read().transitions.length >= transitions;
        await Promise.race([until(enough, transitions * 6_000 + 60_000), capture.running]);
      } finally {
        stop();
      }
    } finally {
      await program.end();
    }
  } finally {
    await capture.stop();
  }
  // Frames after the last creative come from the program's end and are no transition.
  const frames = capture.frames.slice(
    0,
    capture.frames.findLastIndex(({ label }) => label.kind === 'creative') + 1,
  );
  return { frames, report: readTransitions(frames, { shortestSlotMs }) };
}
