import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { _electron, type CDPSession, type ElectronApplication, type Page } from 'playwright';
import { expect, test } from 'playwright/test';
import { faultsOfLayout } from './admin-gallery/faults-of-layout';
import type * as PretendMainModule from './admin-gallery/pretend-main';
import { electronExecutable, root } from './kiosk';
import { type GalleryPage, galleryPage } from './native-gallery/gallery-page';

const SCREENS = {
  'small landscape': { width: 1280, height: 720 },
  portrait: { width: 1080, height: 1920 },
  'large portrait': { width: 2160, height: 3840 },
} as const;
type Screen = keyof typeof SCREENS;
const PAGES = ['home', 'ads', 'plays', 'beacons', 'signals', 'log', 'actions', 'settings'] as const;

declare global {
  interface Window {
    main: PretendMainModule.PretendMain;
  }
}

/** Where pictures of every page are kept, if anywhere. */
const PICTURES = process.env.ENDCAP_GALLERY;

let gallery: GalleryPage;
let app: ElectronApplication;
let page: Page;
let devTools: CDPSession;
let complaints: string[] = [];

test.beforeAll(async () => {
  test.slow();
  gallery = await galleryPage('admin-gallery');
  app = await _electron.launch({
    executablePath: electronExecutable(),
    args: [join(__dirname, 'native-gallery/electron.cjs'), gallery.url],
  });
  page = await app.firstWindow();
  devTools = await page.context().newCDPSession(page);
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy/i.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  // The protocol's own way in: a script tag would have to be of the page's origin.
  await devTools.send('Runtime.enable');
});
test.beforeEach(async () => {
  await page.reload();
  await page.waitForFunction(() => window.main !== undefined);
  complaints = [];
});
test.afterEach(() => {
  expect(complaints).toEqual([]);
});
test.afterAll(async () => {
  await app?.close();
  await gallery?.close();
});

async function enter(screen: Screen): Promise<void> {
  const { width, height } = SCREENS[screen];
  await devTools.send('Emulation.setDeviceMetricsOverride', {
    width,
    height,
    deviceScaleFactor: 1,
    mobile: false,
  });
  await page.waitForFunction((size) => innerWidth === size.width && innerHeight === size.height, {
    width,
    height,
  });
}

type View = Parameters<PretendMainModule.PretendMain['show']>[0];
type Preferences = NonNullable<Parameters<PretendMainModule.PretendMain['show']>[1]>;

async function show(view: View, preferences: Preferences = {}): Promise<void> {
  await page.evaluate(([shown, preferred]) => window.main.show(shown, preferred), [
    view,
    preferences,
  ] as const);
  await page.locator('.a-screen').waitFor();
}
const open = (preferences: Preferences = {}) => show({ view: 'open', mayAct: true }, preferences);
const LOCKED: View = { view: 'locked', attemptsLeft: 5, waitMs: 0 };

async function goTo(index: number): Promise<void> {
  await page.locator('.a-nav-item').nth(index).click();
  await expect(page.locator('.a-nav-item').nth(index)).toHaveAttribute('aria-current', 'page');
  await expect(page.locator('.a-skeleton')).toHaveCount(0);
}

/** Pictures, layout and axe of what is on the screen. */
async function judge(name: string): Promise<void> {
  // Colours are judged as they come to rest.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((animation) => animation.finished.catch(() => undefined)),
    ),
  );
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  expect.soft(await page.evaluate(faultsOfLayout), name).toEqual([]);
  expect.soft(await axeFaults(), name).toEqual([]);
}

async function axeFaults(): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) {
    const source = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    await devTools.send('Runtime.evaluate', { expression: source });
  }
  const { result } = await devTools.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations
      .flatMap(({ id, impact, nodes }) => nodes.map(({ target, any, all }) =>
        impact + ' ' + id + ': ' + target.join(' ') + ' ' + (any[0] ?? all[0] ?? {}).message)))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return result.value as string[];
}

const asked = (command: string) =>
  page.evaluate((name) => window.main.asked.filter((call) => call.command === name), command);

for (const screen of Object.keys(SCREENS) as Screen[]) {
  for (const [theme, language] of [
    ['dark', 'en'],
    ['light', 'de'],
  ] as const) {
    test(`every page keeps its place: ${screen}, ${theme}, ${language}`, async () => {
      test.slow();
      await enter(screen);
      const name = (what: string) => `${screen} ${theme} ${what}`;
      await show(LOCKED, { theme, language });
      await judge(name('pin'));
      await open();
      for (const [index, pageName] of PAGES.entries()) {
        await goTo(index);
        await judge(name(pageName));
      }
    });

    test(`dialogs and the set-up keep their place: ${screen}, ${theme}, ${language}`, async () => {
      test.slow();
      await enter(screen);
      const name = (what: string) => `${screen} ${theme} ${what}`;
      await open({ theme, language });
      await goTo(6);
      for (const [index, what] of [
        'pause',
        'sound',
        'clear',
        'test',
        'export',
        'leave',
        'pin',
        'set-up',
      ].entries()) {
        const at = [0, 2, 4, 5, 6, 9, 10, 11][index] ?? 0;
        await page.locator('.a-action').nth(at).click();
        await page.locator('.a-dialog').waitFor();
        await expect(page.locator('.a-skeleton')).toHaveCount(0);
        await judge(name(`dialog ${what}`));
        await page.keyboard.press('Escape');
        await expect(page.locator('.a-dialog')).toHaveCount(0);
      }
      await show({ view: 'set-up' });
      await page.locator('.a-welcome').waitFor();
      await judge(name('set-up welcome'));
      await page.locator('.a-welcome-buttons .a-button').first().click();
      await page.locator('.a-input').first().click();
      await page.locator('.a-keyboard').waitFor();
      await judge(name('set-up keyboard'));
    });
  }
}
