import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import { test } from 'playwright/test';
import { EXAMPLE_NOW, exampleHome } from '../renderer/admin/testing/example-home';
import { type AdminHome, OVERLAY_PAGES, type OverlayPageName } from '../shared/admin';
import type * as PretendMainModule from './admin-gallery/pretend-main';
import { atRest, axeViolations } from './axe';
import { expect } from './expect';
import { speedUpPageTimers } from './kiosk';
import { layoutErrors } from './layout-errors';
import { type Gallery, openGallery, PICTURES, SMALL } from './native-gallery/open-gallery';
import { fingerOn } from './touch';

const SCREENS = {
  'small-landscape': { width: 1280, height: 720 },
  portrait: { width: 1080, height: 1920 },
  landscape: { width: 1920, height: 1080 },
};
type Screen = keyof typeof SCREENS;
/**
 * The larger landscape is only judged when pictures are stored: it is the small one, half as large again. Larger displays
 * have the same layout too, because only the least sizes of text, borders and what is pressed are in px.
 */
const JUDGED = (Object.keys(SCREENS) as Screen[]).filter(
  (screen) => PICTURES !== undefined || screen !== 'landscape',
);

declare global {
  interface Window {
    main: PretendMainModule.PretendMain;
    covers: string[];
    /** Ends what makes the overlay throw. */
    mend: () => void;
  }
}

let gallery: Gallery;
let page: Page;
let complaints: string[] = [];

test.beforeAll(async () => {
  test.slow();
  gallery = await openGallery('admin-gallery');
  ({ page } = gallery);
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy/i.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
});
test.beforeEach(async () => {
  await page.reload();
  await page.waitForFunction(() => window.main !== undefined);
  complaints = [];
});
test.afterEach(() => {
  expect(complaints).toEqual([]);
});
test.afterAll(() => gallery?.[Symbol.asyncDispose]());

/** Scale at which the current layout is drawn: software rendering is slow. */
let drawn = 1;

async function enter(screen: Screen, scale = 1): Promise<void> {
  drawn = scale;
  await gallery.resize(SCREENS[screen], scale);
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
const OPEN: View = { view: 'open', mayAct: true };
const SET_UP: View = { view: 'set-up' };
const open = (preferences: Preferences = {}) => show(OPEN, preferences);
const LOCKED: View = { view: 'locked', attemptsLeft: 5, waitMs: 0 };

/** Opens the overlay on a screen, dark and in English by default, on the home page or the one of this name. */
async function openOn(screen: Screen, name?: OverlayPageName, preferences: Preferences = {}) {
  await enter(screen);
  await open(preferences);
  if (name !== undefined) await goTo(name);
}

/** Changes what main tells of the kiosk. */
const tellHome = (change: Partial<AdminHome>) => page.evaluate((told) => window.main.tellHome(told), change);

/** Closes the dialog by a key. */
async function escapeDialog(): Promise<void> {
  await page.keyboard.press('Escape');
  await expect(page.locator('.a-dialog')).toHaveCount(0);
}

/** Clicks the middle of an element, at the scale at which it is drawn. */
async function press(target: Locator): Promise<void> {
  await expect(page.locator('[data-settling]')).toHaveCount(0);
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error(`${target} is not on the screen`);
  await page.mouse.click((box.x + box.width / 2) * drawn, (box.y + box.height / 2) * drawn);
}

async function goTo(name: OverlayPageName): Promise<void> {
  const item = page.locator('.a-nav-item').nth(OVERLAY_PAGES.indexOf(name));
  await press(item);
  await expect(item).toHaveAttribute('aria-current', 'page');
  await expect(page.locator('.a-loading')).toHaveCount(0);
}

/** Takes a picture of the screen, and checks its layout. */
async function judgeLayout(name: string): Promise<void> {
  await atRest(page);
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
  expect.soft(await page.evaluate(layoutErrors), name).toEqual([]);
}

/** The same, and checks axe's rules. */
async function judge(name: string): Promise<void> {
  // Colours are checked after their transitions.
  await judgeLayout(name);
  expect.soft(await axeViolations(page), name).toEqual([]);
}

const LOOKS = [
  { theme: 'light', language: 'de' },
  { theme: 'dark', language: 'en' },
] as const;

/**
 * Judges a view in both themes and languages, what is open in it included; by axe on the small screen, where most pages
 * scroll: the page and its colours are the same on all.
 */
async function judgeLooks(screen: Screen, view: View, what: string): Promise<void> {
  const judged = screen === 'small-landscape' ? judge : judgeLayout;
  for (const look of LOOKS) {
    await show(view, look);
    await judged(`${screen}-${look.theme}-${what.replace(' ', '-')}`);
  }
}

/** In both languages, none of our own text may be cut in any table of the page. */
async function judgeWords(name: string): Promise<void> {
  const tables = page.locator(':is(.a-report, [data-page="beacons"]) .a-choice-option');
  for (const { language } of LOOKS) {
    await open({ language });
    expect.soft(await page.evaluate(layoutErrors), `${name} ${language}`).toEqual([]);
    for (const table of await tables.all()) {
      await press(table);
      await page.locator('.a-table thead').waitFor();
      expect
        .soft(await page.evaluate(layoutErrors), `${name} ${language} ${await table.textContent()}`)
        .toEqual([]);
    }
  }
}

const refuse = (command: string, message: string | null) =>
  page.evaluate(([name, said]) => window.main.refuse(name, said), [command, message] as const);
const asked = (command: string) =>
  page.evaluate((name) => window.main.asked.filter((call) => call.command === name), command);

/** What opens a dialog, and its place among the buttons of the actions. */
const DIALOGS = {
  pause: 0,
  sound: 2,
  display: 3,
  clear: 5,
  test: 6,
  export: 7,
  leave: 10,
  pin: 11,
  'set-up': 12,
};

for (const screen of JUDGED) {
  test(`every page keeps its place: ${screen}`, async () => {
    test.slow();
    await enter(screen, SMALL);
    await judgeLooks(screen, LOCKED, 'pin');
    await open();
    for (const pageName of OVERLAY_PAGES) {
      await goTo(pageName);
      await judgeLooks(screen, OPEN, pageName);
      await judgeWords(`${screen} ${pageName}`);
    }
  });

  test(`dialogs and the set-up keep their place: ${screen}`, async () => {
    test.slow();
    await enter(screen, SMALL);
    await open();
    await goTo('actions');
    for (const [what, at] of Object.entries(DIALOGS)) {
      await press(page.locator('.a-action').nth(at));
      await page.locator('.a-dialog').waitFor();
      await expect(page.locator('.a-loading')).toHaveCount(0);
      await judgeLooks(screen, OPEN, `dialog ${what}`);
      await expect(page.locator('.a-dialog')).toHaveCount(1);
      await escapeDialog();
    }
    await show(SET_UP);
    await page.locator('.a-input').first().waitFor();
    await judgeLooks(screen, SET_UP, 'set-up');
    await press(page.locator('.a-input').first());
    await page.locator('.a-keyboard').waitFor();
    await judgeLooks(screen, SET_UP, 'set-up keyboard');
    await expect(page.locator('.a-keyboard')).toHaveCount(1);
  });
}

test('the home page shows one state with its reason', async () => {
  await enter('small-landscape', SMALL);
  await open({ theme: 'dark', language: 'en' });
  const states: ReadonlyArray<[AdminHome['state'], RegExp]> = [
    ['starting', /Starting/],
    ['playing-from-store', /Playing stored ads[\s\S]*no answer from the service since/],
    ['no-content', /Nothing to play/],
    ['paused', /Paused for maintenance/],
    ['attention', /Needs attention[\s\S]*The disk is full[\s\S]*Replace the disk/],
  ];
  const advice = 'Replace the disk, or free some of it.';
  const diskFull = { code: 'disk-full', message: 'The disk is full.', advice };
  for (const [state, words] of states) {
    await tellHome({ state, now: null, attention: state === 'attention' ? [diskFull] : [] });
    await expect(page.locator('.a-hero')).toHaveText(words);
    await judge(`state ${state}`);
  }
});

test('the home page says every problem, not only the first ones', async () => {
  await openOn('small-landscape');
  const codes = ['fleet-link', 'proof-waiting', 'house-folder', 'system-clock-wrong', 'books-failing'];
  const attention = codes.map((code) => ({ code, message: `This is ${code}.`, advice: null }));
  await tellHome({ state: 'attention', attention });
  await expect(page.locator('.a-hero')).toContainText('The kiosk cannot record what plays');
  await expect(page.locator('.a-hero li')).toHaveCount(5);
  // Beside a list that fills several screens the facts still stand together.
  await tellHome({
    attention: Array.from({ length: 20 }, (_, index) => ({
      code: `unknown-${index}`,
      message: 'The disk does not answer. '.repeat(5),
      advice: null,
    })),
  });
  await expect(page.locator('.a-hero li')).toHaveCount(20);
  const facts = await page.locator('.a-page > .a-sides > .a-list').boundingBox();
  expect(facts?.height).toBeLessThan(SCREENS['small-landscape'].height);
});

test('a problem does not hide that no ad plays, and why', async () => {
  const ends = { code: 'certificate-ends', message: 'A certificate ends.', advice: null };
  const states: ReadonlyArray<[AdminHome['apartFromProblems'], string]> = [
    ['paused', 'Paused for maintenance · until '],
    ['closed', 'Closed · It is outside opening hours.'],
    ['held', 'Held · An announcement of the operator is shown instead of ads.'],
    ['no-content', 'Nothing to play · No ad may play now. The page “Ads” says why.'],
  ];
  for (const screen of ['landscape', 'portrait'] as const) {
    await enter(screen, SMALL);
    await open({ theme: 'dark', language: 'en' });
    const hero = page.locator('.a-hero');
    const problem: Partial<AdminHome> = {
      state: 'attention',
      attention: [ends],
      maintenanceUntil: EXAMPLE_NOW,
    };
    for (const [apartFromProblems, words] of states) {
      await tellHome({ ...problem, apartFromProblems });
      await expect(hero).toContainText(words);
      await expect(hero).toContainText('Needs attention');
      if (apartFromProblems === 'paused') await judge(`problem and pause ${screen}`);
    }
    await tellHome({ ...problem, apartFromProblems: 'playing' });
    await expect(hero).not.toContainText('Nothing to play');
    await expect(hero).not.toContainText('Playing');
  }
});

test('the home page says since when it knows of no contact: since the start', async () => {
  await openOn('small-landscape');
  await tellHome({
    lastContactAt: null,
    proof: { waiting: 3, lastSentAt: null, setAside: 0, failing: false },
  });
  const facts = page.locator('.a-list');
  await expect(facts).toContainText('Last contactnot since the start');
  await expect(facts).toContainText('3 waiting, none sent since the start');
});

test('with nothing to play the home page sends staff to where the reason is', async () => {
  await openOn('small-landscape');
  const hero = page.locator('.a-hero');
  await tellHome({ state: 'no-content' });
  await expect(hero).toContainText('The page “Ads” says why.');
  await expect(page.getByRole('navigation').getByRole('button', { name: 'Ads' })).toBeVisible();
  // That page is empty then.
  const ads = { operation: 'ads', lastSuccessAt: EXAMPLE_NOW, failing: false, lastError: null } as const;
  await tellHome({ state: 'no-content', playlist: null, service: [{ ...ads, failing: true }] });
  await expect(hero).toContainText('No playlist has arrived yet. “Connection test” says why.');
  await tellHome({ state: 'no-content', playlist: null, service: [{ ...ads, lastSuccessAt: null }] });
  await expect(hero).toContainText('No playlist has arrived yet. “Connection test” says why.');
  // A service that has no ad for this kiosk.
  await tellHome({ state: 'no-content', playlist: null, service: [ads] });
  await expect(hero).toContainText('The service answers, but without an ad');
  // A safe start has no network to test.
  const { actions } = exampleHome();
  await tellHome({
    state: 'attention',
    apartFromProblems: 'no-content',
    actions: { ...actions, 'connection-test': 'nothing-to-do' },
    playlist: null,
  });
  await expect(hero).toContainText('Nothing to play');
  await expect(hero).not.toContainText('Connection test');
});

test('in a safe start, which has no network to test, the set-up is stored without a test', async () => {
  await openOn('small-landscape');
  const { actions } = exampleHome();
  await tellHome({ actions: { ...actions, 'connection-test': 'nothing-to-do' } });
  await goTo('actions');
  await expect(page.getByRole('button', { name: /^Connection test/ })).toHaveCount(0);
  await page.getByRole('button', { name: /^Set-up/ }).click();
  await expect(page.getByRole('button', { name: 'Save and restart player' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Test the connection' })).toHaveCount(0);
  await judge('set-up in a safe start');
});

test('when more was played in the hour than the kiosk lists, the home page says from when it counts', async () => {
  for (const screen of ['small-landscape', 'portrait'] as const) {
    await openOn(screen, undefined, { language: 'de' });
    const hour = page.getByRole('region', { name: 'Die letzte Stunde' });
    const { timeline } = exampleHome();
    await tellHome({ timeline });
    await expect(hour).not.toContainText('gezählt ab');
    await tellHome({ timeline: { ...timeline, countedFrom: timeline.startedAt } });
    await expect(hour).toContainText(/gezählt ab \d\d:\d\d · gestartet/);
    await judge(`counted from ${screen}`);
  }
});

test('of each fact of the home page only the part that is bad is marked', async () => {
  await openOn('small-landscape');
  const marked = page.locator('.a-list .a-problem');
  await expect(page.locator('.a-list')).toContainText(/received \d+ min/);
  await expect(marked).toHaveCount(0);
  const { playlist, clock, storage, kiosk } = exampleHome();
  await tellHome({
    playlist: playlist && { ...playlist, eligible: 0 },
    clock: { ...clock, trusted: false },
    storage: { ...storage, problems: ['disk-low'] },
    kiosk: { ...kiosk, addresses: [] },
  });
  await expect(marked).toHaveText([
    'not confirmed by the service yet',
    '0 of 48 ads may play',
    'the disk is nearly full',
    'None: not connected',
  ]);
});

test('of a display whose power is not known, the home page says no time until when', async () => {
  await openOn('small-landscape');
  const line = page.locator('.a-list > div').filter({ hasText: 'Display' }).locator('dd > span').first();
  await expect(line).toHaveText('on until 14:07');
  const until = Date.UTC(2026, 10, 20, 14, 7);
  await tellHome({ display: { how: null, on: null, until, by: 'hours', failing: false } });
  await expect(line).toHaveText('not known');
});

test('a beacon that waits for its host says how long ago it was due', async () => {
  await openOn('small-landscape', 'beacons');
  const rows = page.locator('tbody tr');
  await expect(rows.first()).toContainText('3 h ago');
  await expect(rows.nth(1)).toContainText('in 7 min');
});

test('on an upright display the PIN pad, the ways out and questions are in its lower half', async () => {
  await enter('portrait');
  const { height } = SCREENS.portrait;
  const lowAll = async (places: string) => {
    await expect(page.locator(places).first()).toBeVisible();
    for (const one of await page.locator(places).all())
      expect.soft((await one.boundingBox())?.y, `${one}`).toBeGreaterThan(height / 2);
  };
  await show(LOCKED);
  await lowAll('.a-screen :is(button, input)');
  await open();
  await lowAll(':is(.a-head, .a-nav) button');
  await goTo('actions');
  await page.getByRole('button', { name: /^Clear media/ }).click();
  await lowAll('.a-dialog button');
  await page.keyboard.press('Escape');
  await press(page.locator('.a-action').nth(12));
  await press(page.locator('.a-dialog .a-input').first());
  // Above the keyboard it is low anyway, and its fields need the height.
  await page.locator('.a-keyboard').waitFor();
  const dialog = await page.locator('.a-dialog').boundingBox();
  const keys = await page.locator('.a-keyboard').boundingBox();
  if (!dialog || !keys) throw new Error('the dialog or the keyboard is not on the screen');
  expect(keys.y - dialog.y - dialog.height).toBeLessThan(50);
});

test('on a strip all of the PIN pad is on the screen', async () => {
  for (const [width, height] of [
    [1280, 400],
    [1920, 360],
    [3840, 160],
  ] as const) {
    await gallery.resize({ width, height });
    await show({ view: 'locked', attemptsLeft: 4, waitMs: 0 }, { theme: 'dark', language: 'de' });
    const parts = page.locator('.a-pin :is(.a-title, input, button)');
    await expect(parts).toHaveCount(14);
    const boxes = await parts.evaluateAll((all) => all.map((part) => part.getBoundingClientRect()));
    expect.soft(Math.min(...boxes.map(({ top }) => top)), `${height}`).toBeGreaterThanOrEqual(0);
    expect.soft(Math.max(...boxes.map(({ bottom }) => bottom)), `${height}`).toBeLessThanOrEqual(height);
  }
});

test('on a narrow display no key of the keyboard is beyond its edge, and all its words are in it', async () => {
  for (const [width, least] of [
    [480, 30],
    [320, 20],
  ] as const) {
    await gallery.resize({ width, height: 800 });
    for (const language of ['en', 'de'] as const) {
      await show(SET_UP, { language });
      await page.locator('.a-input').first().click();
      const keys = page.locator('.a-keyboard .key');
      await expect(keys.first()).toBeVisible();
      const edges = await keys.evaluateAll((all) => all.map((key) => key.getBoundingClientRect()));
      expect(Math.min(...edges.map(({ left }) => left))).toBeGreaterThanOrEqual(0);
      expect(Math.max(...edges.map(({ right }) => right))).toBeLessThanOrEqual(width);
      expect(Math.min(...edges.map((edge) => edge.width))).toBeGreaterThan(least);
      const cut = await keys.evaluateAll((all) =>
        all.filter((key) => key.scrollWidth > key.clientWidth).map((key) => key.textContent),
      );
      expect(cut, `${width} ${language}`).toEqual([]);
    }
  }
});

test('on an upright display 320 px wide all of the PIN pad, the navigation and the set-up can be pressed', async () => {
  await gallery.resize({ width: 320, height: 1280 });
  for (const language of ['en', 'de'] as const) {
    for (const view of [LOCKED, OPEN, SET_UP]) {
      await show(view, { language });
      await expect(page.locator('.a-loading')).toHaveCount(0);
      expect.soft(await page.evaluate(layoutErrors), `${view.view} ${language}`).toEqual([]);
    }
    await show(LOCKED, { language });
    const close = await page.locator('.a-corner').boundingBox();
    const enter = await page.locator('.a-pin .key[data-key="enter"]').boundingBox();
    if (!close || !enter) throw new Error('the way out or the last key is not on the screen');
    expect(close.y).toBeGreaterThanOrEqual(enter.y + enter.height);
  }
});

test('keys that arrive faster than frames all count', async () => {
  await enter('small-landscape');
  await show(LOCKED);
  await page.evaluate(() => {
    for (const key of ['4', '9', 'Backspace', '8', '2', '6', 'Enter']) {
      dispatchEvent(new KeyboardEvent('keydown', { key }));
      if (key === 'Backspace') document.execCommand('delete');
      else if (key !== 'Enter') document.execCommand('insertText', false, key);
    }
  });
  await expect(page.locator('.a-hero-state')).toHaveText('Playing');
});

test('digits that come with the first frame of the pad all count', async () => {
  await enter('small-landscape');
  await page.evaluate(
    (locked) =>
      new Promise<void>((done) => {
        const seen = new MutationObserver(() => {
          if (document.querySelector('.a-pin') === null) return;
          seen.disconnect();
          for (const key of ['4', '8', '2', '6']) {
            dispatchEvent(new KeyboardEvent('keydown', { key }));
            document.execCommand('insertText', false, key);
          }
          done();
        });
        seen.observe(document, { childList: true, subtree: true });
        window.main.show(locked);
      }),
    LOCKED,
  );
  await expect(page.locator('.a-pin input')).toHaveValue('4826');
  await page.keyboard.press('Enter');
  await expect(page.locator('.a-hero-state')).toHaveText('Playing');
});

test('the PIN takes digits only, from keys that can be seen', async () => {
  await enter('small-landscape');
  await show(LOCKED, { theme: 'light', language: 'en' });
  await page.keyboard.type('4a8 2-6 ');
  await expect(page.locator('.a-pin input')).toHaveValue('4826');
  await page.keyboard.press('Enter');
  await goTo('actions');
  await page.getByRole('button', { name: /^Change PIN/ }).click();
  // In a light dialog they have its colour, so they need an edge.
  const key = page.locator('.a-pin-keys .key').first();
  await expect(key).not.toHaveCSS('box-shadow', 'none');
});

test('Escape leads back: from a dialog, from a page, out', async () => {
  await openOn('small-landscape', 'actions');
  await page.getByRole('button', { name: /^Leave to desktop/ }).click();
  await escapeDialog();
  await expect(page.locator('.a-head-title')).toHaveText('Actions');
  // Also from a dialog whose focused button can no longer be pressed.
  await page.getByRole('button', { name: /^Change PIN/ }).click();
  await page.keyboard.type('1111');
  await page.getByRole('button', { name: 'Enter' }).click();
  await expect(page.getByRole('alert')).toContainText('no repeats');
  await escapeDialog();
  await expect(page.locator('.a-head-title')).toHaveText('Actions');
  await page.keyboard.press('Escape');
  await expect(page.locator('.a-head-title')).toHaveText('Home');
  await page.keyboard.press('Escape');
  await expect(page.locator('.a-screen')).toHaveCount(0);
  expect(await asked('act')).toEqual([]);
});

test('before it locks, the overlay says so, also above a dialog, until somebody touches it', async () => {
  await openOn('small-landscape', 'actions');
  await page.getByRole('button', { name: /^Pause/ }).click();
  await expect(page.locator('.a-dialog')).toBeVisible();
  await page.evaluate(() => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + 41_000;
  });
  const warning = page.getByRole('alert').filter({ hasText: /^Locks in 1[1-9] s\. Touch to stay\.$/ });
  await expect(warning).toBeVisible();
  expect(await warning.evaluate((words) => words.closest('[inert]'))).toBeNull();
  await judge('locking');
  await page.keyboard.press('Shift');
  await expect(warning).toHaveCount(0);
});

test('a double tap acts once, and a tap beside a question does nothing else', async () => {
  await openOn('landscape', 'actions');
  const finger = await fingerOn(page);
  const next = await page.getByRole('button', { name: /^Next ad/ }).boundingBox();
  const pause = page.getByRole('button', { name: /^Pause/ });
  const beside = { x: (next?.x ?? 0) + (next?.width ?? 0) - 20, y: (next?.y ?? 0) + 20 };
  // Extends the time in which the page ignores presses, so that the second touch comes in time even on a slow
  // machine.
  await speedUpPageTimers(page, 1 / 8);
  // A touch beside the dialog closes it, and must do nothing to the page beneath.
  await finger.tap(pause);
  await expect(page.locator('.a-dialog')).toBeVisible();
  await finger.tapAt(beside.x, beside.y);
  await expect(page.locator('.a-dialog')).toHaveCount(0);
  // A double touch on a choice: the second touch must not reach the page beneath.
  await finger.tap(pause);
  // The touch is answered before the click that follows it.
  await expect(page.locator('.a-dialog')).toBeVisible();
  const beneath = await page.evaluate(() =>
    [...document.querySelectorAll('.a-choices button')]
      .map((button) => button.getBoundingClientRect())
      .flatMap(({ x, y, width, height }) => {
        const inside = [0.5, 0.3, 0.7, 0.1, 0.9];
        return inside.flatMap((down) =>
          inside.map((across) => ({ x: x + across * width, y: y + down * height })),
        );
      })
      .find(({ x, y }) =>
        [...document.querySelectorAll('.a-action')].some((card) => {
          const box = card.getBoundingClientRect();
          return box.left < x && x < box.right && box.top < y && y < box.bottom;
        }),
      ),
  );
  if (!beneath) throw new Error('no choice lies above an action: nothing is tried here');
  // Once more: nothing waits for the end of this time, and the machine may stand still between the two touches.
  await speedUpPageTimers(page, 1 / 8);
  await finger.tapAt(beneath.x, beneath.y);
  await finger.tapAt(beneath.x, beneath.y);
  await expect(page.locator('.a-saying')).toContainText('Pause: done');
  await expect(page.locator('.a-dialog')).toHaveCount(0);
  expect((await asked('act')).map(({ input }) => (input as { action: string }).action)).toEqual(['pause']);
});

test('the page reports single plays that cannot be read, and tries again', async () => {
  await openOn('portrait', 'plays');
  const works = (plays: boolean) => refuse('plays', plays ? null : 'the books do not answer');
  const newest = page.locator('.a-table tbody tr').first();
  const error = page.getByRole('alert').filter({ hasText: 'the books do not answer' });
  await works(false);
  await page.locator('.a-report').getByRole('button', { name: 'Plays', exact: true }).click();
  await expect(error).toBeVisible();
  await works(true);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(error).toHaveCount(0);
  await expect(newest).toBeVisible();
  await works(false);
  await page.locator('.a-table').evaluate((list) => list.scrollTo(0, list.scrollHeight));
  await expect(error).toBeVisible();
  await judge('plays not read');
});

for (const [name, command, choice, shown] of [
  ['plays', 'report', 'Yesterday', '.a-report'],
  ['ads', 'ads', 'May not play', '.a-table'],
  ['log', 'log', 'Error', '.a-log-line'],
] as const) {
  test(`what was listed before another choice is not shown below an error: ${name}`, async () => {
    await openOn('small-landscape', name);
    await expect(page.locator(shown).first()).toBeVisible();
    await refuse(command, 'the books do not answer');
    await page.getByRole('button', { name: choice }).first().click();
    await expect(page.getByRole('alert').filter({ hasText: 'the books do not answer' })).toBeVisible();
    await expect(page.locator(shown)).toHaveCount(0);
    await refuse(command, null);
    await expect(page.locator(shown).first()).toBeVisible();
  });
}

test('totals of one period are not shown under another one', async () => {
  await openOn('small-landscape', 'plays');
  await expect(page.locator('.a-report')).toBeVisible();
  await page.evaluate(() => window.main.hold('report'));
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await expect(page.locator('.a-loading')).toBeVisible();
  await expect(page.locator('.a-report')).toHaveCount(0);
});

test('an upright display cuts no number and no word of ours, of totals and of a single play', async () => {
  await openOn('portrait', 'plays', { language: 'de' });
  const cutIn = (places: string) =>
    page
      .locator(places)
      .evaluateAll((all) =>
        all.filter((words) => words.scrollWidth > words.clientWidth).map((words) => words.textContent),
      );
  await expect(page.locator('.a-table tbody tr').first()).toBeVisible();
  await expect(page.locator('.a-table tbody tr').first()).toContainText('Unbekannt 2');
  expect(await cutIn('.a-table td:not(:first-child) *')).toEqual([]);
  // A number stays beside its word, and a heading is one word.
  const torn = page.locator('.a-table :is(td > .a-note > div, th span)').evaluateAll((all) =>
    all
      .filter((words) => {
        const range = document.createRange();
        range.selectNodeContents(words);
        return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
      })
      .map((words) => words.textContent),
  );
  expect(await torn).toEqual([]);
  await page.getByRole('button', { name: 'Einzeln', exact: true }).click();
  await expect(page.locator('.a-table .a-chip').first()).toBeVisible();
  expect(await cutIn('.a-table :is(td:first-child, td:nth-child(4), td:last-child) *')).toEqual([]);
  await judge('plays upright');
});

test('an action that failed says why until somebody closes it, one that worked for some seconds', async () => {
  await openOn('small-landscape', 'actions');
  // Slow enough that a busy machine still finds the message that goes by itself.
  await speedUpPageTimers(page, 3);
  const said = page.locator('.a-saying');
  await page.getByRole('button', { name: /^Next ad/ }).click();
  await expect(said).toContainText('Next ad: done');
  await expect(said).toHaveCount(0);
  await refuse('act', 'the service did not answer');
  await page.getByRole('button', { name: /^Next ad/ }).click();
  await expect(said).toContainText('Next ad: failed');
  // A timer that ends later than that of a message which goes by itself.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 7_000)));
  await expect(said).toContainText('Next ad: failed');
  await judge('action failed');
  // Who touches the words does not press what they hide.
  await said.locator('p').first().click();
  await press(said.getByRole('button', { name: 'Close' }));
  await expect(said).toHaveCount(0);
  // The next question is where the message would lie.
  await page.getByRole('button', { name: /^Next ad/ }).click();
  await expect(said).toContainText('Next ad: failed');
  await page.getByRole('button', { name: /^Sound/ }).click();
  await expect(page.locator('.a-dialog')).toBeVisible();
  await expect(said).toHaveCount(0);
});

test('an action says that it is under way until it has ended, and is not begun twice', async () => {
  for (const screen of ['small-landscape', 'portrait'] as const) {
    await openOn(screen, 'actions', { language: 'de' });
    await page.evaluate(() => window.main.hold('act'));
    await speedUpPageTimers(page, 3);
    const refresh = page.getByRole('button', { name: /^Inhalte erneuern/ });
    const said = page.locator('.a-saying');
    const before = (await asked('act')).length;
    await refresh.click();
    await expect(said).toHaveText('Inhalte erneuern: läuft');
    await refresh.click();
    // A timer that ends later than that of a message which goes by itself.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 7_000)));
    await expect(said).toHaveText('Inhalte erneuern: läuft');
    await judge(`under way ${screen}`);
    expect(await asked('act')).toHaveLength(before + 1);
    await page.evaluate(() => window.main.letGo());
    await expect(said).toContainText('Inhalte erneuern: fehlgeschlagen');
    await refresh.click();
    await expect.poll(async () => (await asked('act')).length).toBe(before + 2);
  }
});

test('an action that fails after the overlay was locked says nothing above the PIN pad', async () => {
  await openOn('portrait', 'actions');
  await refuse('act', 'the service did not answer');
  const button = await page.getByRole('button', { name: /^Next ad/ }).elementHandle();
  await page.evaluate(
    ([next, locked]) => {
      (next as HTMLElement).click();
      window.main.show(locked);
    },
    [button, LOCKED] as const,
  );
  await expect(page.locator('.a-pin')).toBeVisible();
  await atRest(page);
  await expect(page.locator('.a-saying')).toHaveCount(0);
});

test('the language is chosen in the overlay, and all texts use it', async () => {
  await openOn('portrait', 'settings');
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expect(page.locator('.a-head-title')).toHaveText('Optionen');
  await expect(page.locator('.a-screen')).toHaveAttribute('lang', 'de');
  expect(await asked('setPreferences')).toMatchObject([{ input: { language: 'de' } }]);
  await goTo('actions');
  await page.evaluate(() => window.main.failTest());
  await page.getByRole('button', { name: /^Verbindung testen/ }).click();
  const step = page.locator('.a-step').first();
  await expect(step).toContainText('Client-ID oder Client-Secret werden nicht angenommen.');
  await expect(step).toContainText('Beides Zeichen für Zeichen');
  // The program's own message is shown beneath, and marked as English.
  await expect(step.locator('[lang="en"]')).toHaveText(/refused the client id or secret \(401\)/);
  await judge('test failed');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Inhalte erneuern/ }).click();
  await expect(page.locator('.a-saying')).toContainText('Die Adresse ist nicht zu finden.');
  await expect(page.locator('.a-recorded')).toContainText('Das Laufwerk fehlt.');
});

test('of ten thousand ads the first are listed, and a search finds any other', async () => {
  await openOn('small-landscape', 'ads');
  const rows = page.locator('.a-table tbody tr');
  await expect(rows.first()).toContainText('Kiosko Cold Brew');
  await expect(rows).toHaveCount(100);
  await expect(page.locator('.a-table')).toContainText('9,900 more');
  await page.getByRole('searchbox').fill('basketry-list-9999');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('FL-12199');
  await rows.locator('.a-row-button').press('Enter');
  await expect(page.getByRole('dialog', { name: 'basketry-list-9999' })).toContainText(
    'May not play: Audience',
  );
});

test('the details of an ad are its own, even if another ad has the same id', async () => {
  await openOn('small-landscape', 'ads');
  await page.locator('.a-row-button').nth(5).press('Enter');
  await expect(page.getByRole('dialog', { name: 'Kiosko Cold Brew' })).toContainText('FL-2205');
});

test('the notice that recorded actions cannot be read has room for its words', async () => {
  await refuse('recordedActions', 'the record cannot be read');
  await openOn('landscape', 'actions', { language: 'de' });
  const words = page.locator('.a-recorded [role="alert"] > .a-grow');
  await expect(words).toContainText('the record cannot be read');
  expect((await words.boundingBox())?.width).toBeGreaterThan(200);
  await judge('no recorded actions');
});

test('the language is chosen even if the kiosk does not answer', async () => {
  await page.evaluate(() => window.main.hold('home'));
  await openOn('small-landscape');
  await page.locator('.a-nav-item').nth(6).click();
  await page.getByRole('button', { name: 'Deutsch' }).click();
  await expect(page.locator('.a-head-title')).toHaveText('Optionen');
  await judge('settings without an answer');
});

test('a kiosk that cannot report its state says so, lets staff restart the player, and recovers by itself', async () => {
  await refuse('home', 'the status could not be read');
  await openOn('portrait', undefined, { theme: 'light' });
  const notice = page.getByRole('alert').filter({ hasText: 'The kiosk does not report its state.' });
  await expect(notice).toContainText('If this stays, restart the player.');
  await expect(notice).toContainText('the status could not be read');
  await expect(page.locator('.a-loading')).toHaveCount(0);
  await judge('no state');
  // Nothing says which actions there are, so all of them can be tried.
  await goTo('actions');
  await expect(notice).toBeVisible();
  await page.getByRole('button', { name: /^Restart kiosk/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restart kiosk' }).click();
  await notice.getByRole('button', { name: 'Restart player' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restart player' }).click();
  await expect.poll(() => asked('act')).toHaveLength(2);
  for (const name of ['plays', 'settings'] as const) {
    await goTo(name);
    await judge(`no state ${name}`);
  }
  await refuse('home', null);
  await expect(notice).toHaveCount(0);
  await goTo('home');
  await expect(page.locator('.a-hero-state')).toHaveText('Playing');
  // Later, the last state stays in sight.
  await refuse('home', 'the status could not be read');
  await expect(notice).toContainText('its last known state is shown');
  await expect(page.locator('.a-hero-state')).toHaveText('Playing');
});

test('a page whose answer is late says so, and can ask again; the others open', async () => {
  await openOn('small-landscape');
  await page.evaluate(() => window.main.hold('ads'));
  await speedUpPageTimers(page, 8);
  await page.locator('.a-nav-item').nth(1).click();
  await expect(page.locator('.a-loading')).toBeVisible();
  await judge('waiting');
  const late = page.getByRole('alert').filter({ hasText: 'The kiosk has not answered yet.' });
  await expect(late).toBeVisible();
  await judge('late answer');
  const before = (await asked('ads')).length;
  await late.getByRole('button', { name: 'Try again' }).click();
  // Main limits how many calls it answers at once, so the next press has to wait as long.
  await expect(late).toHaveCount(0);
  await expect.poll(async () => (await asked('ads')).length).toBe(before + 1);
  await expect(late).toBeVisible();
  await goTo('log');
  await expect(page.locator('.a-log-line').first()).toBeVisible();
});

test('the on-screen keyboard types into the field that opened it, and searches', async () => {
  await openOn('portrait', 'ads', { language: 'de' });
  await page.getByRole('searchbox').click();
  for (const key of ['v', 'o', 't', 'Zeichen nach links', 'l', 'Zeichen nach rechts', 'x'])
    await page.locator('.a-keyboard').getByRole('button', { name: key, exact: true }).click();
  await page.locator('.a-keyboard').getByRole('button', { name: 'Löschen' }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('volt');
  await expect(page.locator('.a-foot')).toContainText('2.000 von 10.000');
  // Clearing the search leaves the keyboard open; with a key it puts the focus back into the field.
  const clear = page.getByRole('button', { name: 'Suche löschen' });
  await clear.click();
  await expect(page.locator('.a-foot')).toContainText('10.000 von 10.000');
  await page.locator('.a-keyboard').getByRole('button', { name: 'v', exact: true }).click();
  await expect(page.getByRole('searchbox')).toHaveValue('v');
  await page.locator('.a-keyboard').getByRole('button', { name: 'Tastatur ausblenden' }).click();
  await expect(page.locator('.a-keyboard')).toHaveCount(0);
  await clear.press('Enter');
  await expect(page.getByRole('searchbox')).toHaveValue('');
  await expect(page.getByRole('searchbox')).toBeFocused();
});

test('a button pressed while the keyboard is open works at once, by finger and by mouse, and the keyboard goes', async () => {
  await enter('portrait');
  await show(SET_UP);
  const finger = await fingerOn(page);
  const keyboard = page.locator('.a-keyboard');
  for (const tap of [finger.tap, (target: Locator) => target.click()]) {
    await page.getByLabel('Sign-in address').fill('https://login.example');
    await page.getByLabel('Client secret').fill('s3cret');
    await tap(page.getByLabel('Client secret'));
    await expect(keyboard).toBeVisible();
    await tap(page.getByRole('button', { name: 'Show' }));
    await expect(page.getByRole('button', { name: 'Hide', exact: true })).toBeVisible();
    await expect(keyboard).toHaveCount(0);
    // A press beside everything hides it as well.
    await tap(page.getByLabel('Service address'));
    await expect(keyboard).toBeVisible();
    await tap(page.getByText('Welcome'));
    await expect(keyboard).toHaveCount(0);
    await tap(page.getByRole('button', { name: 'Hide', exact: true }));
  }
});

test('the page takes the place of the navigation while somebody types', async () => {
  await openOn('small-landscape', 'ads');
  await page.getByRole('searchbox').click();
  await expect(page.locator('.a-keyboard')).toBeVisible();
  await expect(page.locator('.a-nav')).toBeHidden();
  for (const part of ['.a-head', '.a-page'])
    expect(await page.locator(part).boundingBox()).toMatchObject({ x: 0, width: 1280 });
});

test('an interrupted export says why, above a page that cannot be pressed, and is started again', async () => {
  await openOn('small-landscape', 'plays');
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const target = { id: 'usb:KINGSTON', kind: 'usb', label: 'KINGSTON', freeBytes: null } as const;
  await page.evaluate(
    (drive) =>
      window.main.tellExport({
        state: 'interrupted',
        file: 'plays.ndjson',
        target: drive,
        rows: 4_000,
        done: 0.4,
        code: 'target-gone',
        message: '',
      }),
    target,
  );
  await expect(page.getByRole('dialog', { name: 'Export proof of play' })).toContainText('Plug it in again');
  await judge('export interrupted');
  // Nothing below a dialog can be focused or pressed.
  await expect(page.locator('.a-page-ground')).toHaveAttribute('inert');
  await page.getByRole('button', { name: 'Start export' }).dblclick();
  await expect(page.locator('.a-export-state')).toContainText('Exporting');
  expect(await asked('startExport')).toHaveLength(1);
  // The pressed button is disabled: the dialog has the focus, and Escape closes it.
  await expect(page.getByRole('dialog', { name: 'Export proof of play' })).toBeFocused();
  await escapeDialog();
});

test('the field of a set-up that somebody types into stays in sight, whatever other entries are wrong', async () => {
  await enter('small-landscape');
  await show(SET_UP);
  await page.getByRole('button', { name: 'Save and restart player' }).click();
  await expect(page.getByLabel('Service address')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByLabel('Service address')).toBeInViewport();
  await page.getByText('Advanced').click();
  const field = page.getByLabel('Proxy', { exact: true });
  await field.click();
  await page.locator('.a-keyboard').waitFor();
  await expect(field).toBeInViewport();
  for (const key of 'http') await page.getByRole('button', { name: key, exact: true }).click();
  await expect(field).toHaveValue('http');
  await atRest(page);
  await expect(field).toBeInViewport();
  await expect(page.getByLabel('Proxy password')).toBeVisible();
  await judge('set-up advanced');
});

test('a wrong entry that main finds is shown at its field, which comes into sight, advanced or not', async () => {
  await enter('small-landscape');
  await show(SET_UP);
  const test = page.getByRole('button', { name: 'Test the connection' });
  await page.getByLabel('Service address').fill('ads.example');
  await test.click();
  await expect(page.getByText('Expected an http(s) address.')).toBeInViewport();
  await page.getByLabel('Service address').fill('https://ads.example');
  const advanced = page.getByText('Advanced');
  await advanced.click();
  await page.getByLabel('CA file').fill('/nothing/here.pem');
  await advanced.click();
  await test.click();
  await expect(page.getByText('There is no such file.')).toBeInViewport();
  expect(await asked('testSetUp')).toHaveLength(2);
});

test('a press beside the set-up keeps what was typed into it; a press beside a question is a no', async () => {
  await openOn('small-landscape', 'actions');
  await page.getByRole('button', { name: /^Set-up/ }).click();
  await page.getByLabel('Zone').fill('12');
  await page.getByLabel('Zone').click();
  await expect(page.locator('.a-keyboard')).toBeVisible();
  // As people hide a keyboard.
  await page.locator('.a-dialog-ground').click({ position: { x: 5, y: 5 } });
  await expect(page.locator('.a-keyboard')).toHaveCount(0);
  await expect(page.getByLabel('Zone')).toHaveValue('12');
  await escapeDialog();
  await press(page.getByRole('button', { name: /^Leave to desktop/ }));
  await page.locator('.a-dialog-ground').click({ position: { x: 5, y: 5 } });
  await expect(page.locator('.a-dialog')).toHaveCount(0);
  expect(await asked('act')).toEqual([]);
});

test('a test of the set-up that could not begin shows no steps of the one before it; the next shows its own', async () => {
  await enter('small-landscape');
  await show(SET_UP);
  await page.getByLabel('Service address').fill('https://ads.example');
  await page.getByLabel('Sign-in address').fill('https://login.example');
  await page.getByLabel('Client id').fill('kiosk');
  await page.getByLabel('Client secret').fill('s3cret');
  await refuse('testSetUp', 'A connection test is under way.');
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await expect(page.getByRole('status')).toContainText('Test the connection: failed');
  // The steps of the test under way still come.
  await page.evaluate(() => window.main.bridge.send({ call: 1_000, command: 'testConnection', input: null }));
  await expect.poll(() => asked('testConnection')).toHaveLength(1);
  await atRest(page);
  await expect(page.locator('.a-step')).toHaveCount(0);
  await refuse('testSetUp', null);
  await page.getByRole('button', { name: 'Test the connection' }).click();
  await expect(page.locator('.a-step[data-state="ok"]')).toHaveCount(4);
  await judge('set-up tested');
  await page.getByRole('button', { name: 'Save and restart player' }).click();
  await page.locator('.a-pin').waitFor();
  await judge('set-up pin');
});

test('presses are reported while shoppers see a creative or the pause card, but not while the overlay is open', async () => {
  await enter('small-landscape');
  // Staff chose German for themselves.
  await page.evaluate(() => window.main.show({ view: 'closed' }, { language: 'de' }));
  await page.evaluate(() => window.main.maintain(4_102_444_800_000));
  await expect(page.locator('.a-maintenance')).toContainText('Back in a moment.');
  expect(await page.evaluate(layoutErrors)).toEqual([]);
  await page.evaluate(() => window.turn(0, 'de'));
  await expect(page.locator('.a-maintenance')).toContainText('Gleich geht es weiter.');
  expect(await page.evaluate(layoutErrors)).toEqual([]);
  await page.mouse.click(20, 30);
  expect(await asked('tap')).toEqual([{ command: 'tap', input: { x: 20, y: 30, width: 1280, height: 720 } }]);
  await open({ theme: 'dark', language: 'en' });
  await page.mouse.click(640, 30);
  expect(await asked('tap')).toHaveLength(1);
  expect(await page.evaluate(() => window.covers.filter((cover) => cover !== 'nothing'))).toEqual([
    'card',
    'overlay',
  ]);
});

// Where `admin.gesture.corner` is the corner of a way out, the last press of the gesture lies on it.
for (const [screen, view] of [
  ['small-landscape', { view: 'locked', attemptsLeft: 5, waitMs: 0 }],
  ['small-landscape', { view: 'open', mayAct: false }],
  ['portrait', { view: 'locked', attemptsLeft: 5, waitMs: 0 }],
] as const)
  test(`the touches that open the overlay do not close it: ${view.view}, ${screen}`, async () => {
    await enter(screen);
    const { width, height } = SCREENS[screen];
    const finger = await fingerOn(page);
    const corner = [width - 50, screen === 'portrait' ? height - 50 : 50] as const;
    await finger.tapAt(...corner);
    // Extends the time in which the overlay ignores presses, for a slow machine.
    await speedUpPageTimers(page, 1 / 4);
    await finger.holdAt(...corner, () => show(view));
    // Who is not sure to have counted right goes on.
    for (let more = 0; more < 2; more += 1) await finger.tapAt(...corner);
    await expect(page.locator('[data-settling]')).toHaveCount(0);
    expect(await asked('close')).toEqual([]);
    await finger.tapAt(...corner);
    await expect(page.locator('.a-screen')).toHaveCount(0);
  });

test('an overlay that throws uncovers the stage, and comes back with a press, once for each', async () => {
  await openOn('small-landscape');
  const cover = () => page.evaluate(() => window.covers.at(-1));
  await expect.poll(cover).toBe('overlay');
  await expect(page.locator('.a-hero-state')).toBeVisible();
  await page.evaluate(() => {
    const { prototype } = Intl.DateTimeFormat;
    const whole = Object.getOwnPropertyDescriptor(prototype, 'format');
    if (whole === undefined) throw new Error('there is no format');
    Object.defineProperty(prototype, 'format', { ...whole, get: () => undefined });
    window.mend = () => Object.defineProperty(prototype, 'format', whole);
  });
  await expect.poll(cover).toBe('nothing');
  await expect(page.locator('.a-screen')).toHaveCount(0);

  const loads = (await asked('overlay')).length;
  await page.mouse.click(640, 300);
  await expect.poll(async () => (await asked('overlay')).length).toBe(loads + 1);
  await expect.poll(() => complaints.length).toBeGreaterThan(1);
  await expect.poll(cover).toBe('nothing');
  await page.evaluate(() => window.mend());
  await expect(page.locator('.a-screen')).toHaveCount(0);
  expect(await asked('overlay')).toHaveLength(loads + 1);

  await page.mouse.click(640, 300);
  await expect(page.locator('.a-hero-state')).toBeVisible();
  await expect.poll(cover).toBe('overlay');
  expect(complaints.filter((complaint) => !complaint.includes('format is not a function'))).toEqual([]);
  complaints = [];
});

test('the overlay rotates with the picture, and works', async () => {
  await openOn('small-landscape');
  await page.evaluate(() => window.turn(90));
  await goTo('actions');
  await page.getByRole('button', { name: /^Pause/ }).click();
  await expect(page.locator('.a-dialog')).toBeVisible();
  const frame = await page.locator('.a-frame').boundingBox();
  expect(frame).toMatchObject({ width: 1280, height: 720 });
  if (PICTURES !== undefined) await page.screenshot({ path: join(PICTURES, 'turned.png') });
});
