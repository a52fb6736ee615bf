import { join } from 'node:path';
import type { Page } from 'playwright';
import { test } from 'playwright/test';
import { StaffCorner } from '../shared/stage';
import { atRest, axeViolations } from './axe';
import { expect } from './expect';
import { layoutErrors } from './layout-errors';
import { ANNOUNCEMENTS, HOSTILE_ANNOUNCEMENTS } from './native-gallery/announcements';
import { type Gallery, openGallery, PICTURES, SMALL } from './native-gallery/open-gallery';
import { SCENES, type Scene } from './native-gallery/scenes';
import { repeating } from './repeating';
import { solidImage } from './solid-image';
import { fingerOn } from './touch';
import { faintTexts } from './touch-pages/drawn-contrast';
import { drawReachLine, outOfReach, REACH_LINE, smallTexts } from './touch-pages/reach';

/** Stage sizes of kiosks, CSS px. */
const STAGES = {
  landscape: { width: 1920, height: 1080 },
  portrait: { width: 1080, height: 1920 },
  'small landscape': { width: 1280, height: 720 },
  'small portrait': { width: 720, height: 1280 },
  square: { width: 1080, height: 1080 },
  'shelf edge': { width: 2560, height: 720 },
  'old monitor': { width: 1280, height: 1024 },
  tablet: { width: 768, height: 1024 },
} as const;
type Stage = keyof typeof STAGES;

/** A white picture, the hardest background for text; it is not one of the gallery's creatives. */
const WHITE = '/creatives/white.png';

let gallery: Gallery;
let page: Page;
let refused: string[] = [];

test.beforeAll(async () => {
  test.slow();
  gallery = await openGallery('native-gallery');
  ({ page } = gallery);
  page.on('console', (message) => {
    if (/Content Security Policy/i.test(message.text())) refused.push(message.text());
  });
  await page.route(`**${WHITE}`, (route) =>
    route.fulfill({ contentType: 'image/png', body: solidImage([255, 255, 255], 1200, 627) }),
  );
  await page.waitForFunction(() => typeof window.show === 'function');
});
test.beforeEach(() => {
  refused = [];
});
test.afterAll(() => gallery?.[Symbol.asyncDispose]());

const enter = (stage: Stage, scale?: number) => gallery.resize(STAGES[stage], scale);

const show = (scene: Scene, rotation: 0 | 90 = 0) =>
  page.evaluate(([shown, turned]) => window.show(shown, turned), [scene, rotation] as const);

function scene(name: string): Scene {
  const found = SCENES[name];
  if (found === undefined) throw new Error(`no scene ${name}`);
  return found;
}

/**
 * Runs in the page. Returns the text size as a share of the shorter side, and the number of words that are
 * broken across lines.
 */
function wordsOfAnnouncement(): { size: number; broken: number } {
  const text = document.querySelector('.announcement-text');
  const node = text?.firstChild;
  if (!text || !node) throw new Error('no announcement');
  const size = Number.parseFloat(getComputedStyle(text).fontSize) / Math.min(innerWidth, innerHeight);
  const range = document.createRange();
  const isBroken = ({ index, 0: word }: RegExpExecArray) => {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
  };
  return { size, broken: [...(node.nodeValue ?? '').matchAll(/[\p{L}\p{N}]+/gu)].filter(isBroken).length };
}

for (const stage of Object.keys(STAGES) as Stage[]) {
  test(`every shape of a native ad keeps its place: ${stage}`, async () => {
    test.slow();
    await enter(stage, SMALL);
    for (const [name, shown] of Object.entries(SCENES)) {
      await show(shown);
      expect(await page.evaluate(layoutErrors), name).toEqual([]);
      if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${stage} ${name}.png`) });
    }
    // Only missing pictures fail to load; no style, script or font was blocked.
    expect(refused).toEqual([]);
  });

  test(`an announcement of any text keeps its place, and its words are whole: ${stage}`, async () => {
    await enter(stage, SMALL);
    const all = { ...ANNOUNCEMENTS, ...HOSTILE_ANNOUNCEMENTS };
    for (const [name, announcement] of Object.entries(all)) {
      await show({ kind: 'announcement', announcement });
      expect(await page.evaluate(layoutErrors), name).toEqual([]);
      const { size, broken } = await page.evaluate(wordsOfAnnouncement);
      // Legible at arm's length from a shelf display and two metres from a large display.
      if (!(name in ANNOUNCEMENTS)) continue;
      expect({ name, broken, isLarge: size >= 0.028 }).toEqual({ name, broken: 0, isLarge: true });
      if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${stage}-${name}.png`) });
    }
  });
}

test('on a strip a native ad keeps its place, and its texts can be read', async () => {
  test.slow();
  const cards = Object.entries(SCENES).filter(([, { kind }]) => kind === 'card');
  for (const [width, height, rotation] of [
    [3840, 160, 0],
    [1920, 200, 0],
    [200, 1920, 90],
  ] as const) {
    await gallery.resize({ width, height }, SMALL);
    for (const [name, shown] of cards) {
      await show(shown, rotation);
      expect(await page.evaluate(layoutErrors), `${height}: ${name}`).toEqual([]);
    }
    await show(scene('full'), rotation);
    const sizes = await page
      .locator(':is(.native-title, .native-description, .native-action-text, .native-rating)')
      .evaluateAll((all) => all.map((text) => Number.parseFloat(getComputedStyle(text).fontSize)));
    expect(sizes).toHaveLength(4);
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(14);
  }
});

/** Smallest contrast between a text and its background (EN 301 549, 11.1.4.3). */
const LEAST_CONTRAST = 4.5;
/** Smallest text size, in hundredths of the stage's shorter side (docs/accessibility.md). */
const LEAST_TEXT = 2.4;

const onWhite = (name: string): Scene => {
  const full = scene(name);
  if (full.kind !== 'card') throw new Error(`${name} is no card`);
  const picture = { kind: 'image', url: WHITE, width: 1200, height: 627 } as const;
  return { ...full, content: { ...full.content, picture } };
};

/** Every page that shoppers touch. */
const PAGES: Readonly<Record<string, Scene>> = {
  'card-full': scene('full'),
  'card-german': scene('german'),
  'card-arabic': scene('arabic'),
  'card-long': scene('long'),
  'card-white': onWhite('full'),
  'card-banner': scene('banner'),
  'card-square': scene('square'),
  'card-tall': scene('tall'),
  'card-strip': scene('strip'),
  'card-video': scene('video'),
  'card-words': scene('words-only'),
  'card-words-long': scene('words-long'),
  'card-sentence': scene('description-only'),
  'link-loading': scene('link-loading'),
  'link-countdown': scene('link-open'),
  'link-keyboard': scene('link-keyboard'),
  'link-email': scene('link-email'),
  'link-digits': scene('link-digits'),
  'link-failed': scene('link-failed'),
  'code-countdown': scene('qr'),
};

for (const stage of ['portrait', 'landscape'] as const) {
  for (const [name, shown] of Object.entries(PAGES)) {
    test(`can be read and reached: ${name}, ${stage}`, async () => {
      await enter(stage);
      await show(shown);
      await atRest(page);
      expect.soft(await page.evaluate(layoutErrors), 'layout').toEqual([]);
      expect.soft(await axeViolations(page), 'axe').toEqual([]);
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

test('all but the keyboard is within reach on every upright display', async () => {
  test.slow();
  for (const stage of ['small portrait', 'tablet', 'portrait'] as const) {
    await enter(stage, SMALL);
    for (const [name, shown] of Object.entries(SCENES)) {
      await show(shown);
      const found = await page.evaluate(outOfReach, REACH_LINE);
      expect(
        found.filter((button) => !button.startsWith('key ')),
        `${name}, ${stage}`,
      ).toEqual([]);
    }
  }
});

test('the button for more time is beside the countdown, works by a tap, and is hidden without a countdown', async () => {
  for (const stage of ['portrait', 'landscape'] as const) {
    await enter(stage);
    for (const name of ['link-open', 'qr']) {
      await show(scene(name));
      await page.locator('.more-time').dispatchEvent('click');
      expect(await page.evaluate(() => window.taps)).toEqual(['more time']);
    }
    await show(scene('link-loading'));
    await expect(page.locator('.more-time')).toBeHidden();
  }
});

test('text alone on an upright stage is centred, and the title is shown in full', async () => {
  await enter('portrait');
  for (const name of ['words-only', 'words-long', 'title-only']) {
    await show(scene(name));
    const { cut, offCentre } = await page.evaluate(() => {
      const title = document.querySelector('.native-title');
      if (title === null) throw new Error('no title');
      const range = document.createRange();
      range.selectNodeContents(title);
      return {
        cut: title.scrollHeight - title.clientHeight,
        offCentre: [...range.getClientRects()].map(({ left, right }) =>
          Math.abs((left + right) / 2 - innerWidth / 2),
        ),
      };
    });
    expect(cut, name).toBeLessThanOrEqual(1);
    for (const off of offCentre) expect(off, name).toBeLessThan(3);
  }
});

test('text uses the font of the package', async () => {
  await enter('portrait');
  await show(scene('words-only'));
  const fonts = await page.evaluate(() =>
    [...document.fonts]
      .filter(({ status }) => status === 'loaded')
      .map(({ family }) => family.replaceAll('"', '')),
  );
  expect(fonts).toContain('Inter Variable');
});

test('a broken picture leaves no gap', async () => {
  await enter('landscape');
  await show(scene('broken'));
  await expect(page.locator('.native-card img')).toHaveCount(0);
  await expect(page.locator('.native-card')).toHaveAttribute('data-shape', 'none');
  await expect(page.locator('.native-title')).toHaveText('Kiosko Cold Brew');
});

test('transparent parts of what is in the frame of a card are white, whatever it is', async () => {
  await enter('landscape', SMALL);
  for (const name of ['full', 'video', 'square', 'qr']) {
    await show(scene(name));
    await expect(page.locator('.native-frame'), name).toHaveCSS(
      'background-image',
      'linear-gradient(rgb(255, 255, 255), rgb(255, 255, 255))',
    );
  }
});

test('no white lies under an opaque video in the frame of a card: it would flash before its first frame', async () => {
  await enter('landscape', SMALL);
  await show(scene('video'));
  const grounds = await page.evaluate(() =>
    [true, false].map((isTransparent) => {
      const video = document.createElement('video');
      if (isTransparent) video.dataset.transparent = '';
      document.querySelector('.native-frame')?.append(video);
      return getComputedStyle(video).backgroundColor;
    }),
  );
  expect(grounds).toEqual(['rgba(0, 0, 0, 0)', 'rgb(0, 0, 0)']);
});

test('a tap belongs to the part under it', async () => {
  await enter('landscape');
  await show(scene('full'));
  await page.locator('.native-action').click();
  await page.locator('.native-frame').click();
  await page.locator('.native-title').click();
  await page.locator('.native-info').click();
  await page.mouse.click(5, 5);
  expect(await page.evaluate(() => window.taps)).toEqual([
    'call-to-action',
    'picture',
    'words',
    'content-info',
  ]);
});

test('a touch that began before the card was shown is no tap on it', async () => {
  await enter('landscape');
  await show(scene('full'));
  const box = await page.locator('.native-action').boundingBox();
  if (box === null) throw new Error('the card has no button');
  await page.evaluate(() => {
    const before = document.createElement('div');
    before.className = 'before';
    before.style.cssText = 'position: fixed; inset: 0; z-index: 9';
    document.body.append(before);
    const leave = () => before.style.setProperty('pointer-events', 'none');
    addEventListener('pointerdown', leave, { once: true });
    addEventListener('click', () => before.remove(), { once: true });
  });
  const finger = await fingerOn(page);
  const touch = () => finger.tapAt(box.x + box.width / 2, box.y + box.height / 2);
  await touch();
  await expect(page.locator('.before')).toHaveCount(0);
  expect(await page.evaluate(() => window.taps)).toEqual([]);
  await touch();
  await expect.poll(() => page.evaluate(() => window.taps)).toEqual(['call-to-action']);
});

test('a tap on the staff’s corner is theirs, also where a picture reaches it; the other corners are the ad’s', async () => {
  /** Which corners of the card take no tap. */
  const keptFree = ([width, height]: [number, number]) =>
    page.evaluate(
      ([w, h]) =>
        Object.entries({
          'top-left': [0, 0],
          'top-right': [1, 0],
          'bottom-left': [0, 1],
          'bottom-right': [1, 1],
        })
          .filter(([, [x = 0, y = 0]]) =>
            document.elementFromPoint(12 + x * (w - 24), 100 + y * (h - 200))?.matches('.native-card'),
          )
          .map(([corner]) => corner),
      [width, height] as const,
    );
  for (const stage of ['portrait', 'landscape'] as const) {
    await enter(stage);
    await show(scene('full'));
    const { width, height } = STAGES[stage];
    for (const corner of StaffCorner.options) {
      await page.evaluate((name) => {
        document.documentElement.dataset.corner = name;
      }, corner);
      expect(await keptFree([width, height]), stage).toEqual([corner]);
      const [x, y] = [
        corner.endsWith('left') ? 110 : width - 110,
        corner.startsWith('top') ? 100 : height - 100,
      ];
      await page.mouse.click(x, y);
    }
    expect(await page.evaluate(() => window.taps), stage).toEqual([]);
    await page.locator('.native-frame').click();
    expect(await page.evaluate(() => window.taps), stage).toEqual(['picture']);
  }
});

test('an empty frame for a guest or a video has the shape of its creative and is handed out', async () => {
  for (const [name, ratio] of [
    ['tall', 320 / 480],
    ['strip', 728 / 90],
    ['video', 1280 / 720],
  ] as const) {
    for (const stage of ['landscape', 'portrait'] as const) {
      await enter(stage);
      await show(scene(name));
      const box = await page.evaluate(() => {
        const { width, height } = window.slot?.getBoundingClientRect() ?? { width: 0, height: 1 };
        return { width, height };
      });
      expect(box.width / box.height).toBeCloseTo(ratio, 1);
    }
  }
  await show(scene('full'));
  expect(await page.evaluate(() => window.slot)).toBeNull();
});

test('right-to-left text mirrors the card and its stars', async () => {
  await enter('landscape');
  await show(scene('arabic'));
  const left = (selector: string) =>
    page.locator(selector).evaluate((element) => element.getBoundingClientRect().left);
  expect(await left('.native-frame')).toBeGreaterThan(await left('.native-title'));
  for (const drawn of ['.native-stars', '.native-arrow'])
    await expect(page.locator(drawn)).toHaveCSS('transform', 'matrix(-1, 0, 0, 1, 0, 0)');
  await show(scene('full'));
  expect(await left('.native-frame')).toBeLessThan(await left('.native-title'));
});

test('a card has the direction of the first letter of its text', async () => {
  await enter('landscape');
  const full = scene('full');
  if (full.kind !== 'card') throw new Error('no card');
  for (const [title, description, direction] of [
    ['Coffee', null, 'ltr'],
    ['50% عرض', null, 'rtl'],
    ['12 🎉 מבצע', 'Coffee', 'rtl'],
    ['Coffee عرض', null, 'ltr'],
    [null, 'عرض', 'rtl'],
    ['12 %', 'عرض', 'rtl'],
    [null, null, 'ltr'],
  ] as const) {
    await show({ ...full, content: { ...full.content, title, description } });
    await expect(page.locator('.native-card')).toHaveCSS('direction', direction);
  }
});

test('the link frame shows the host, its progress, and the Back button', async () => {
  await enter('portrait');
  await show(scene('link-open'));
  await expect(page.locator('.link-domain-name')).toContainText('oat-drinks-of-the-north.example');
  await expect(page.locator('.idle-countdown')).toBeVisible();
  const bar = await page.locator('.link-bar').boundingBox();
  const bounds = await page.evaluate(() => window.viewBounds);
  expect(bounds).toMatchObject({ x: 0, y: 0, width: 1080 });
  expect(bounds?.height).toBeLessThanOrEqual(bar?.y ?? 0);
  expect(bounds?.height).toBeGreaterThan(1080);
  const taps = repeating(
    () => page.locator('.back-button').click(),
    () => page.evaluate(() => window.taps),
    1_000,
  );
  await expect.poll(taps).toEqual(['back']);
  await show(scene('link-loading'));
  await expect(page.locator('.idle-countdown')).toBeHidden();
});

test('the second half of a double tap on an ad does not hit the Back button, which lies there now', async () => {
  await enter('portrait');
  for (const name of ['link-loading', 'qr']) {
    // From an ad, so that the bar is new.
    await show(scene('full'));
    const before = await page.evaluate(() => performance.now());
    await show(scene(name));
    const back = page.locator('.back-button');
    // A busy page hears of the tap only when it would count, or draws the bar long after it.
    await back.evaluate(
      (button, times) => {
        const end = performance.now() + 700;
        while (performance.now() < end);
        for (const at of times) {
          const tap = new MouseEvent('click', { bubbles: true });
          button.dispatchEvent(Object.defineProperty(tap, 'timeStamp', { value: at }));
        }
      },
      [before + 590, before - 700],
    );
    expect(await page.evaluate(() => window.taps), name).toEqual([]);
    await back.click();
    expect(await page.evaluate(() => window.taps), name).toEqual(['back']);
  }
});
