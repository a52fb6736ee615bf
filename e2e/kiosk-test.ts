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
  readonly start: (settings?: object | null, options?: Partial<KioskOptions>) => Promise<Kiosk>;
  /** Disposes of this after the test too, once no kiosk runs. */
  readonly keep: <T extends AsyncDisposable>(thing: T) => T;
}

interface Fixtures extends World {
  /** The whole world, for a file's helpers, which take it in a `beforeEach`. */
  readonly world: World;
  /** Options of the service; a test sets them with `test.use`. */
  readonly serviceOptions: DemoServiceOptions;
}

/** A world for a part of a test; `await using` ends it. */
export async function openWorld(serviceOptions: DemoServiceOptions = {}): Promise<World & AsyncDisposable> {
  // A port outside the ephemeral range, so that no outgoing connection takes it while the service is down.
  const service = await startDemoService({ port: await freePort(), ...serviceOptions });
  const folder = dataFolder();
  const started: Kiosk[] = [];
  const kept: AsyncDisposable[] = [];
  return {
    service,
    folder: folder.path,
    async start(settings = kioskSettings(service), options = {}) {
      const kiosk = await startKiosk({ dataDir: folder.path, settings, ...options });
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
      folder.remove();
      await service.close();
    },
  };
}

/** A test with a service, a data folder, and a way to start the real kiosk. */
export const test = base.extend<Fixtures>({
  serviceOptions: [{}, { option: true }],
  world: async ({ serviceOptions }, use) => {
    await using world = await openWorld(serviceOptions);
    await use(world);
  },
  service: ({ world }, use) => use(world.service),
  folder: ({ world }, use) => use(world.folder),
  start: ({ world }, use) => use(world.start),
  keep: ({ world }, use) => use(world.keep),
});

/**
 * One world for all tests of a file or of a `describe`, which run in sequence on it.
 *
 * @param prepare runs before the first test: passes the world to the helpers and starts what the tests share
 */
export function shareWorld(
  prepare: (world: World) => Promise<void>,
  serviceOptions: DemoServiceOptions = {},
): void {
  let world: Awaited<ReturnType<typeof openWorld>> | null = null;
  test.beforeAll(async () => {
    world = await openWorld(serviceOptions);
    await prepare(world);
  });
  test.afterAll(() => world?.[Symbol.asyncDispose]());
}
