import { test as base } from 'playwright/test';
import {
  type DemoService,
  type DemoServiceOptions,
  startDemoService,
} from '../main/demo-service/demo-service';
import { freePort } from '../tools/fleet/loopback-ports';
import { dataFolder, type Kiosk, type KioskOptions, startKiosk } from './kiosk';
import { kioskSettings } from './two-creatives';

export interface World {
  /** An ad service of this test's own. */
  readonly service: DemoService;
  /** Path of a data folder of this test's own; removed after the test. */
  readonly folder: string;
  /**
   * Starts the kiosk with this service and folder, without native ads unless `settings` says otherwise. It is
   * killed after the test; when the test failed, its log is printed.
   */
  readonly launch: (settings?: object | null, options?: Partial<KioskOptions>) => Promise<Kiosk>;
  /** Disposes of this after the test too, once no kiosk runs. */
  readonly keep: <T extends AsyncDisposable>(thing: T) => T;
}

/** The world of the current test. */
export let service: World['service'];
export let folder: World['folder'];
export let launch: World['launch'];
export let keep: World['keep'];

/** The world that the tests of a file or `describe` share; null: each test has its own. */
let shared: (World & AsyncDisposable) | null = null;

function enter(world: World): World {
  ({ service, folder, launch, keep } = world);
  return world;
}

/** A world for a part of a test; `await using` ends it. */
export async function openWorld(serviceOptions: DemoServiceOptions = {}): Promise<World & AsyncDisposable> {
  // A port outside the ephemeral range, so that no outgoing connection takes it while the service is down.
  const demo = await startDemoService({ port: await freePort(), ...serviceOptions });
  const own = dataFolder();
  const started: Kiosk[] = [];
  const kept: AsyncDisposable[] = [];
  return {
    service: demo,
    folder: own.path,
    async launch(settings = kioskSettings(demo), options = {}) {
      const kiosk = await startKiosk({ dataDir: own.path, settings, ...options });
      started.push(kiosk);
      return kiosk;
    },
    keep(thing) {
      kept.push(thing);
      return thing;
    },
    async [Symbol.asyncDispose]() {
      for (const kiosk of started) await kiosk.end();
      // One of them may be a kiosk, which would write to its folder.
      for (const thing of kept) await thing[Symbol.asyncDispose]();
      own.remove();
      await demo.close();
    },
  };
}

/** A test with a service, a data folder, and a way to start the real kiosk. */
export const test = base.extend<{
  readonly world: World;
  /** Options of the service; a test sets them with `test.use`. */
  readonly serviceOptions: DemoServiceOptions;
}>({
  serviceOptions: [{}, { option: true }],
  world: [
    async ({ serviceOptions }, use) => {
      if (shared !== null) return use(enter(shared));
      await using world = await openWorld(serviceOptions);
      await use(enter(world));
    },
    { auto: true },
  ],
});

/**
 * One world for all tests of a file or of a `describe`, which run in sequence on it.
 *
 * @param prepare runs before the first test: starts what the tests share
 */
export function shareWorld(prepare: () => Promise<unknown>): void {
  test.beforeAll(async () => {
    shared = await openWorld();
    enter(shared);
    await prepare();
  });
  test.afterAll(async () => {
    const world = shared;
    shared = null;
    await world?.[Symbol.asyncDispose]();
  });
}
