import { join } from 'node:path';
import type { Page } from 'playwright';
import { test } from 'playwright/test';
import { atRest, axeViolations } from './axe';
import { expect } from './expect';
import { type Gallery, openGallery, PICTURES } from './native-gallery/open-gallery';
import { overflows } from './native-gallery/overflows';
import { SCENES, type Scene } from './native-gallery/scenes';
import { solidImage } from './solid-image';
import { faintTexts } from './touch-pages/drawn-contrast';
import { drawReachLine, outOfReach, REACH_LINE, smallTexts } from './touch-pages/reach';

const STAGES = {
  portrait: { width: 1080, height: 1920 },
  landscape: { width: 1920, height: 1080 },
} as const;
type Stage = keyof typeof STAGES;
const STAGE_NAMES = Object.keys(STAGES) as Stage[];

/** Smallest contrast between a text and its background (EN 301 549, 11.1.4.3). */
const LEAST_CONTRAST = 4.5;
/** Smallest text size, in hundredths of the stage's shorter side (docs/accessibility.md). */
const LEAST_TEXT = 2.4;

/** A white picture, the hardest background for text; it is not one of the gallery's creatives. */
const WHITE = '/creatives/white.png';
const named = (name: string): Scene => {
  const found = SCENES[name];
  if (found === undefined) throw new Error(`no scene ${name}`);
  return found;
};
const onWhite = (name: string): Scene => {
  const scene = named(name);
  if (scene.kind !== 'card') throw new Error(`${name} is no card`);
  const picture = { kind: 'image', url: WHITE, width: 1200, height: 627 } as const;
  return { ...scene, content: { ...scene.content, picture } };
};

/** Every page that shoppers touch. */
const PAGES: Readonly<Record<string, Scene>> = {
  'card-full': named('full'),
  'card-german': named('german'),
  'card-arabic': named('arabic'),
  'card-long': named('long'),
  'card-white': onWhite('full'),
  'card-banner': named('banner'),
  'card-square': named('square'),
  'card-tall': named('tall'),
  'card-strip': named('strip'),
  'card-video': named('video'),
  'card-words': named('words-only'),
  'card-words-long': named('words-long'),
  'card-icon': named('icon-only'),
  'card-sentence': named('description-only'),
  'link-loading': named('link-loading'),
  'link-countdown': named('link-open'),
  'link-keyboard': named('link-keyboard'),
  'link-email': named('link-email'),
  'link-digits': named('link-digits'),
  'link-failed': named('link-failed'),
  'code-countdown': named('qr'),
};

let gallery: Gallery;
let page: Page;

test.beforeAll(async () => {
  test.slow();
  gallery = await openGallery();
  ({ page } = gallery);
  await page.route(`**${WHITE}`, (route) =>
    route.fulfill({ contentType: 'image/png', body: solidImage([255, 255, 255], 1200, 627) }),
  );
  await page.waitForFunction(() => typeof window.show === 'function');
});
test.afterAll(() => gallery?.[Symbol.asyncDispose]());

const enter = (stage: Stage) => gallery.resize(STAGES[stage]);

for (const stage of STAGE_NAMES) {
  for (const [name, scene] of Object.entries(PAGES)) {
    test(`can be read and reached: ${name}, ${stage}`, async () => {
      await enter(stage);
      await page.evaluate((shown) => window.show(shown, true), scene);
      await atRest(page);
      expect.soft(await page.evaluate(overflows), 'layout').toEqual([]);
      expect.soft(await axeViolations(page, gallery.devTools), 'axe').toEqual([]);
      expect.soft(await page.evaluate(smallTexts, LEAST_TEXT), 'text sizes').toEqual([]);
      const faint = await faintTexts(gallery.app, page, LEAST_CONTRAST);
      expect.soft(faint, 'contrast').toEqual([]);
      // On a low stage, a person who reaches the lower edge reaches all of it.
      if (stage === 'portrait') expect.soft(await page.evaluate(outOfReach, REACH_LINE), 'reach').toEqual([]);
      if (PICTURES === undefined) return;
      await page.evaluate(drawReachLine, REACH_LINE);
      await page.screenshot({ path: join(PICTURES, `${stage}-${name}.png`) });
      await page.evaluate(drawReachLine, null);
    });
  }
}

test('the button for more time is beside the countdown, works by a tap, and is hidden without a countdown', async () => {
  for (const stage of STAGE_NAMES) {
    await enter(stage);
    for (const name of ['link-open', 'qr']) {
      await page.evaluate((shown) => window.show(shown, true), named(name));
      await page.locator('.more-time').dispatchEvent('click');
      expect(await page.evaluate(() => window.taps)).toEqual(['more time']);
    }
    await page.evaluate((shown) => window.show(shown, true), named('link-loading'));
    await expect(page.locator('.more-time')).toBeHidden();
  }
});
