import { mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoService } from '../../main/demo-service/demo-service';
import { startDemoService } from '../../main/demo-service/demo-service';
import type { Play } from '../../shared/play';
import { type DisplayWatch, watchDisplay } from '../bench/display-watch';
import { filesWith, inEveryForm, tokensOf } from '../files-with';
import { dataFolder, type Kiosk, startKiosk } from '../kiosk';
import { processOf } from '../pages-and-processes';
import { solidImage } from '../solid-image';
import { BLUE, imageAd, isColour, kioskSettings, RED } from '../two-creatives';
import { type Disturbance, disturbance, isSteady, type Sight, type Stretch, see } from './shopper-view';

/** Length of every slot here, ms. */
const SLOT_MS = 1_000;
const STEADY_SLOTS = 4;
/** So far a colour may be off and is still told apart. */
const SHADES = 20;
const LOOKS_PER_SECOND = 30;
const SECRET = 'c0rrect-horse&battery=staple';

/** A kiosk that plays, a service manager that starts it over whenever it ends, and a shopper who looks. */
export interface Scene {
  readonly service: DemoService;
  readonly dataDir: string;
  /** As it runs now; rejects when it does not come back. */
  kiosk(): Promise<Kiosk>;
  /** How often it was started over. */
  restarts(): number;
  /** Holds the service manager back while something is done to a kiosk that is down. */
  whileDown(work: () => Promise<void>): Promise<void>;
  /** Has the service name files of other bytes, and waits until the kiosk has them: strikes belong to bytes (rule 11). */
  freshCreatives(): Promise<void>;
  /** Of the page at this address. */
  pageProcess(address: 'endcap://kiosk/' | 'endcap://records/'): Promise<number>;
  /** Of Chromium's own: `GPU`, `Utility` (the network). */
  process(type: string): Promise<number>;
  mainProcess(): Promise<number>;
  plays(): Promise<Play[]>;
  /** Resolves once slot follows slot again, at least `leastMs` after `since`. */
  steady(since: number, leastMs: number, withinMs: number): Promise<void>;
  disturbance(since: number): Disturbance;
  /** Where a secret or a token is to be found that should not be: files of the data folder, the terminal (rule 23). */
  leaks(): string[];
  close(): Promise<void>;
}

/** @param disk a folder to keep the data in; as a rule a folder of its own among the system's temporary ones */
export async function openScene(disk: string | null = null): Promise<Scene> {
  const folder = disk === null ? dataFolder() : { path: join(disk, 'data'), remove() {} };
  if (disk !== null) mkdirSync(folder.path, { mode: 0o700 });
  const service = await startDemoService({ clientSecret: SECRET });
  serveShade(service, 0);
  // A small disk has no gigabyte to spare.
  const settings = { ...kioskSettings(service), media: { minFreeBytes: 0 } };
  let isClosing = false;
  let restarts = 0;
  let shade = 0;
  const terminals: Array<() => string> = [];
  let held: Promise<void> = Promise.resolve();

  const start = async (): Promise<Kiosk> => {
    // The name of a service manager's socket is all that the kiosk needs to leave starting over to it.
    const started = await startKiosk({
      dataDir: folder.path,
      settings,
      // What eats memory shall not have all of the machine's.
      args: ['--js-flags=--max-old-space-size=256'],
      env: { NOTIFY_SOCKET: `${folder.path}/no-socket` },
    });
    terminals.push(started.output);
    started.app.process().once('exit', () => {
      if (isClosing) return;
      restarts += 1;
      running = held.then(startAgain);
    });
    return started;
  };
  /** A start may fail while the fault lasts; a service manager tries again. */
  const startAgain = async (): Promise<Kiosk> => {
    for (let tries = 10; ; tries -= 1) {
      try {
        return await start();
      } catch (fault) {
        if (tries === 0) throw fault;
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
    stretches = see(stretches, sight, at).slice(-500);
  });

  const scene: Scene = {
    service,
    dataDir: folder.path,
    kiosk: () => running,
    restarts: () => restarts,
    async whileDown(work) {
      let release = () => {};
      held = new Promise((resolve) => {
        release = resolve;
      });
      await (await running).terminate();
      await work();
      release();
      await running;
    },
    async freshCreatives() {
      shade += 1;
      const files = serveShade(service, shade);
      const stored = async () => {
        const log = (await running).log();
        return files.every((file) => log.includes(`/media/${file}"`));
      };
      while (!(await stored())) await sleep(50);
    },
    pageProcess: async (address) => processOf(await running, address),
    async process(type) {
      const { app } = await running;
      return app.evaluate(({ app: kiosk }, wanted) => {
        const found = kiosk.getAppMetrics().find((each) => each.type === wanted);
        if (!found) throw new Error(`there is no ${wanted} process`);
        return found.pid;
      }, type);
    },
    async mainProcess() {
      return (await running).app.evaluate(() => process.pid);
    },
    async plays() {
      return (await running).plays();
    },
    async steady(since, leastMs, withinMs) {
      const deadline = performance.now() + withinMs;
      while (performance.now() - since < leastMs || !isSteady(stretches, since, SLOT_MS, STEADY_SLOTS)) {
        if (performance.now() > deadline) {
          const seen = stretches
            .slice(-8)
            .map(({ sight, from, to }) => `${sight} ${Math.round(to - from)} ms`);
          throw new Error(`it did not heal within ${withinMs / 1000} s; seen last: ${seen.join(', ')}`);
        }
        await sleep(50);
      }
    },
    disturbance: (since) => disturbance(stretches, since, SLOT_MS),
    leaks() {
      const own = readFileSync(join(folder.path, 'signals-token'), 'utf8').trim();
      const tokens = tokensOf(service.requests());
      if (tokens.length === 0) throw new Error('no token was ever sent: there is nothing to look for');
      const secrets = [...inEveryForm(SECRET), ...tokens];
      const files = [
        // Settings are where the service's secret belongs.
        ...filesWith(folder.path, secrets).filter((file) => basename(file) !== 'config.json'),
        ...filesWith(folder.path, [own]).filter((file) => basename(file) !== 'signals-token'),
      ];
      const isSaid = terminals.some((said) => [...secrets, own].some((secret) => said().includes(secret)));
      return [...files, ...(isSaid ? ['the terminal'] : [])];
    },
    async close() {
      isClosing = true;
      await running.then((kiosk) => kiosk.kill()).catch(() => {});
      await watch.close();
      await service.close();
      folder.remove();
    },
  };
  await scene.steady(performance.now(), 0, 60_000);
  return scene;
}

/** A playlist of red and blue in files of their own; answers their names. */
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
