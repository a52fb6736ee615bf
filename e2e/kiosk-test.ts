import { test as base } from 'playwright/test';
import {
  type DemoService,
  type DemoServiceOptions,
  startDemoService,
} from '../main/demo-service/demo-service';
import { dataFolder, type Kiosk, type KioskOptions, startKiosk } from './kiosk';
import { kioskSettings } from './two-creatives';

export interface World {
  /** An ad service of this test's own. */
  readonly service: DemoService;
  /** Path of a data folder of this test's own; what is in it goes after the test. */
  readonly folder: string;
  /**
   * Starts the kiosk on them: without native ads, unless `settings` says otherwise.
   * It ends after the test, and says what it had logged when the test has failed.
   */
  readonly start: (settings?: object, options?: Partial<KioskOptions>) => Promise<Kiosk>;
}

interface Fixtures extends World {
  /** All of it, for the helpers of a file: they take it from a `beforeEach`. */
  readonly world: World;
  /** What the service is started with; a test says so by `test.use`. */
  readonly serviceOptions: DemoServiceOptions;
}

/** A test with a service, a data folder, and a way to start the real kiosk. */
export const test = base.extend<Fixtures>({
  serviceOptions: [{}, { option: true }],
  service: async ({ serviceOptions }, use) => {
    const service = await startDemoService(serviceOptions);
    await use(service);
    await service.close();
  },
  // Playwright reads the names of what a fixture needs from its first parameter.
  // biome-ignore lint/correctness/noEmptyPattern: it needs nothing
  folder: async ({}, use) => {
    const folder = dataFolder();
    await use(folder.path);
    folder.remove();
  },
  start: async ({ service, folder }, use) => {
    const started: Kiosk[] = [];
    await use(async (settings = kioskSettings(service), options = {}) => {
      const kiosk = await startKiosk({ dataDir: folder, settings, ...options });
      started.push(kiosk);
      return kiosk;
    });
    for (const kiosk of started) await kiosk.end();
  },
  world: ({ service, folder, start }, use) => use({ service, folder, start }),
});
