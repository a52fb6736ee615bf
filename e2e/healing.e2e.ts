import { expect, test } from 'playwright/test';
import { type DemoService, startDemoService } from '../main/demo-service/demo-service';
import { dataFolder, type Kiosk, startKiosk } from './kiosk';
import {
  BLUE,
  expectMorePlays,
  expectOnScreen,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';

// Rule 25 for what does not die but stands still. What dies outright is in the fault table and in hygiene.

let service: DemoService;
let folder: ReturnType<typeof dataFolder>;
let kiosk: Kiosk;

test.beforeAll(async () => {
  folder = dataFolder();
  service = await startDemoService();
  serveTwoCreatives(service);
  kiosk = await startKiosk({ dataDir: folder.path, settings: kioskSettings(service) });
});

test.afterAll(async () => {
  await kiosk.kill();
  await service.close();
  folder.remove();
});

test.beforeEach(async () => {
  await expectMorePlays(kiosk, 1);
});

/** Of the page at this address. */
const processOf = (address: string) =>
  kiosk.app.evaluate(({ webContents }, url) => {
    const contents = webContents.getAllWebContents().find((one) => one.getURL() === url);
    if (!contents) throw new Error(`nothing shows ${url}`);
    return contents.getOSProcessId();
  }, address);

for (const [what, address, words] of [
  ['kiosk window', 'endcap://kiosk/', 'the kiosk window ended'],
  ['records window', 'endcap://records/', 'the records window ended'],
] as const) {
  test(`a ${what} whose process stands still is replaced, and the ads go on`, async () => {
    const pid = await processOf(address);
    process.kill(pid, 'SIGSTOP');
    await expect.poll(() => kiosk.log(), { timeout: 45_000 }).toContain(words);
    await expect.poll(() => processOf(address).catch(() => pid)).not.toBe(pid);
    await expectOnScreen(kiosk, RED, BLUE);
    await expectMorePlays(kiosk, 2);
  });
}

test('a graphics process that stands still is ended, and the ads go on', async () => {
  const graphics = () =>
    kiosk.app.evaluate(({ app }) => app.getAppMetrics().find(({ type }) => type === 'GPU')?.pid ?? null);
  const pid = await graphics();
  if (pid === null) throw new Error('there is no graphics process');
  process.kill(pid, 'SIGSTOP');
  await expect.poll(() => kiosk.log(), { timeout: 30_000 }).toContain('the graphics process ended');
  await expect.poll(graphics).not.toBe(pid);
  await expectOnScreen(kiosk, RED, BLUE);
  await expectMorePlays(kiosk, 2);
});
