import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoService } from '../../main/demo-service/demo-service';
import type { Play } from '../../shared/play';
import { type DisplayWatch, watchDisplay } from '../bench/display-watch';
import { filesWith, inEveryForm, tokensOf } from '../files-with';
import type { Kiosk } from '../kiosk';
import { openWorld } from '../kiosk-test';
import { processOf } from '../pages-and-processes';
import { solidImage } from '../solid-image';
import { BLUE, imageAd, isColour, kioskSettings, RED } from '../two-creatives';
import { until } from '../until';
import { addFrame, type Disturbance, disturbance, isSteady, type Sight, type Stretch } from './shopper-view';

/** Length of every slot here, ms. */
const SLOT_MS = 1_000;
const STEADY_SLOTS = 4;
/** Number of shades of a colour that are still recognised as that colour. */
const SHADES = 20;
const LOOKS_PER_SECOND = 30;
const SECRET = 'c0rrect-horse&battery=staple';

export type Scene = Awaited<ReturnType<typeof openScene>>;

/**
 * A playing kiosk, a service manager that restarts it whenever it ends, and a capture of the display.
 *
 * @param disk folder in which the data folder is made; null: a new temporary folder
 */
export async function openScene(disk: string | null = null) {
  const world = await openWorld({ clientSecret: SECRET });
  const { service } = world;
  const dataDir = disk === null ? world.folder : join(disk, 'data');
  if (disk !== null) mkdirSync(dataDir, { mode: 0o700 });
  serveShade(service, 0);
  // A small disk does not have the gigabyte that must stay free by default.
  const settings = { ...kioskSettings(service), media: { minFreeBytes: 0 } };
  let isClosing = false;
  let restarts = 0;
  let shade = 0;
  const terminals: Array<() => string> = [];
  let held: Promise<void> = Promise.resolve();

  const start = async (): Promise<Kiosk> => {
    // With NOTIFY_SOCKET set, the kiosk leaves restarts to the service manager; nothing has to listen there.
    const started = await world.launch(settings, {
      dataDir,
      // Bounds the memory of a fault that allocates without end.
      args: ['--js-flags=--max-old-space-size=256'],
      env: { NOTIFY_SOCKET: `${dataDir}/no-socket` },
    });
    terminals.push(started.output);
    started.app.process().once('exit', () => {
      if (isClosing) return;
      restarts += 1;
      running = held.then(startAgain);
    });
    return started;
  };
  /** A start may fail while the fault lasts, so it is tried again as by a service manager. */
  const startAgain = async (): Promise<Kiosk> => {
    for (let tries = 10; ; tries -= 1) {
      try {
        return await start();
      } catch (error) {
        if (tries === 0) throw error;
        await sleep(200);
      }
    }
  };
  let running = start();
  await running;

  let stretches: Stretch[] = [];
  const watch: DisplayWatch = await watchDisplay(LOOKS_PER_SECOND);
  watch.each(({ at, colour }) => {
    const sight: Sight = isColour(RED, colour)
      ? 'red'
      : isColour(BLUE, colour)
        ? 'blue'
        : Math.max(...colour) < 8
          ? 'black'
          : 'card';
    stretches = addFrame(stretches, sight, at).slice(-500);
  });

  const scene = {
    service,
    dataDir,
    /** The running kiosk; rejects when it does not come back. */
    kiosk: (): Promise<Kiosk> => running,
    /** Number of restarts so far. */
    restarts: (): number => restarts,
    /** Runs `work` while the kiosk is down: the service manager waits with the restart. */
    async whileDown(work: () => Promise<void>): Promise<void> {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      await (await running).terminate();
      await work();
      release();
      await running;
    },
    /** Serves the creatives with new bytes and waits until the kiosk has them. Strikes belong to bytes (rule 11). */
    async freshCreatives(): Promise<void> {
      shade += 1;
      const files = serveShade(service, shade);
      const stored = async () => {
        const log = (await running).log();
        return files.every((file) => log.includes(`/media/${file}"`));
      };
      await until(stored, 60_000, 'fresh creatives');
    },
    /** Process id of the page at this address. */
    pageProcess: async (address: 'endcap://kiosk/' | 'endcap://records/'): Promise<number> =>
      processOf(await running, address),
    /** Process id of one of Chromium's own processes: `GPU`, or `Utility` (the network). */
    async process(type: string): Promise<number> {
      const { app } = await running;
      return app.evaluate(({ app: kiosk }, wanted) => {
        const found = kiosk.getAppMetrics().find((each) => each.type === wanted);
        if (!found) throw new Error(`there is no ${wanted} process`);
        return found.pid;
      }, type);
    },
    mainProcess: async (): Promise<number> => (await running).app.evaluate(() => process.pid),
    plays: async (): Promise<Play[]> => (await running).plays(),
    /** Resolves once slots follow each other regularly again, at least `leastMs` after `since`. */
    async steady(since: number, leastMs: number, withinMs: number): Promise<void> {
      const isHealed = () =>
        performance.now() - since >= leastMs && isSteady(stretches, since, SLOT_MS, STEADY_SLOTS);
      const last = () =>
        stretches.slice(-8).map(({ sight, from, to }) => `${sight} ${Math.round(to - from)} ms`);
      await until(isHealed, withinMs, () => `regular slots; seen last: ${last().join(', ')}`);
    },
    disturbance: (since: number): Disturbance => disturbance(stretches, since, SLOT_MS),
    /** Places that contain a secret or token and must not (rule 23): files of the data folder, or the terminal. */
    leaks(): string[] {
      const own = readFileSync(join(dataDir, 'signals-token'), 'utf8').trim();
      const tokens = tokensOf(service.requests());
      if (tokens.length === 0) throw new Error('no token was ever sent: there is nothing to look for');
      const secrets = [...inEveryForm(SECRET), ...tokens];
      const files = [
        // The settings file may contain the service's secret.
        ...filesWith(dataDir, secrets).filter((file) => basename(file) !== 'config.json'),
        ...filesWith(dataDir, [own]).filter((file) => basename(file) !== 'signals-token'),
      ];
      const isSaid = terminals.some((said) => [...secrets, own].some((secret) => said().includes(secret)));
      return [...files, ...(isSaid ? ['the terminal'] : [])];
    },
    async close(): Promise<void> {
      isClosing = true;
      await running.catch(() => {});
      await watch.close();
      await world[Symbol.asyncDispose]();
    },
  };
  await scene.steady(performance.now(), 0, 60_000);
  return scene;
}

/** Serves red and blue in files of their own; returns the file names. */
function serveShade(service: DemoService, shade: number): string[] {
  const ads = Object.entries({ red: RED, blue: BLUE }).map(([id, [red, green, blue]]) => {
    const file = `${id}-${shade}.png`;
    service.setMedia(file, solidImage([red, green + (shade % SHADES), blue]), 'image/png');
    const ad = imageAd(id);
    return { ...ad, media: ad.media.map((media) => ({ ...media, name: file })) };
  });
  service.setAds(ads);
  return ads.flatMap(({ media }) => media.map(({ name }) => name));
}
