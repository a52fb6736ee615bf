import type { Locator, Page } from 'playwright';
import { expect } from './expect';
import { xdotool } from './xdotool';

export type Finger = Awaited<ReturnType<typeof fingerOn>>;

/** The middle of an element, CSS px, once it is visible and does not move. */
async function middleOf(target: Locator): Promise<{ x: number; y: number }> {
  await expect(target).toBeEnabled();
  await expect(target.page().locator('[data-settling]')).toHaveCount(0);
  await target.scrollIntoViewIfNeeded();
  // Waits for animations, so that the element is touched at its final place.
  await target.evaluate((element) =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .filter(
          (animation) => (animation.effect as KeyframeEffect | null)?.target?.contains(element) ?? false,
        )
        .map((animation) => animation.finished.catch(() => undefined)),
    ),
  );
  const box = await target.boundingBox();
  if (!box) throw new Error(`${target} is not on the screen`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/**
 * A finger on the kiosk's screen: real touch events through the browser's input pipeline, without mouse or
 * keyboard.
 */
export async function fingerOn(page: Page) {
  const devTools = await page.context().newCDPSession(page);

  /** One short press of a point of the screen, CSS px. */
  async function tapAt(x: number, y: number): Promise<void> {
    // Both at once: a touch whose end waits for a busy page would be a long press, which clicks nothing.
    await Promise.all([
      devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] }),
      devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }),
    ]);
  }

  /** A press of a point of the screen, CSS px, that ends when `meanwhile` has resolved. */
  async function holdAt(x: number, y: number, meanwhile: () => Promise<unknown>): Promise<void> {
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await meanwhile();
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  /** A short touch of the middle of an element, once it is visible and does not move. */
  async function tap(target: Locator): Promise<void> {
    const { x, y } = await middleOf(target);
    await tapAt(x, y);
  }

  /** Touches elements one after the other as two thumbs do: each touch begins before the one before it ends. */
  async function tapOverlapping(targets: readonly Locator[]): Promise<void> {
    let last: { x: number; y: number; id: number } | null = null;
    for (const [id, target] of targets.entries()) {
      const next = { ...(await middleOf(target)), id };
      const both = last === null ? [next] : [last, next];
      await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: both });
      // Without the one before: it is lifted.
      if (last !== null)
        await devTools.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [next] });
      last = next;
    }
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  const keys = page.locator('.a-keyboard');
  /** Taps a key of the visible keyboard layer; false when the layer does not have it. */
  async function key(find: { readonly label?: string; readonly kind?: string }): Promise<boolean> {
    const at = await keys.evaluate((keyboard, { label, kind }) => {
      const found = [...keyboard.querySelectorAll('button')].find((button) =>
        label === undefined ? button.dataset.key === kind : button.getAttribute('aria-label') === label,
      );
      const box = found?.getBoundingClientRect();
      return box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
    }, find);
    if (at) await tapAt(at.x, at.y);
    return at !== null;
  }

  /** Only the letters layer has this key. */
  const shift = keys.locator('[data-key="shift"]');
  /** Switches between the letters and the digits and signs. */
  async function turnOver(): Promise<void> {
    const letters = await shift.count();
    await key({ kind: 'layer' });
    await expect(shift).toHaveCount(1 - letters);
  }

  async function typeOne(character: string): Promise<void> {
    if (/[A-Z]/.test(character)) {
      if ((await shift.count()) === 0) await turnOver();
      await key({ kind: 'shift' });
      await expect(shift).toHaveAttribute('data-on', 'once');
    }
    if (await key({ label: character })) {
      // The next letter is a small one.
      await expect(shift.and(page.locator('[data-on="once"]'))).toHaveCount(0);
      return;
    }
    await turnOver();
    if (!(await key({ label: character }))) throw new Error(`the keyboard has no ${character}`);
  }

  return {
    tapAt,
    holdAt,
    tap,
    tapOverlapping,
    /** Taps a button by its name. */
    press: (name: string | RegExp) =>
      tap(page.getByRole('button', { name, exact: typeof name === 'string' })),
    /** Opens the on-screen keyboard for a field, types on its keys and closes it. */
    async type(field: Locator, text: string): Promise<void> {
      await tap(field);
      await expect(keys).toBeVisible();
      for (const character of text) await typeOne(character);
      await expect(field).toHaveValue(text);
      await key({ kind: 'hide' });
      await expect(keys).toHaveCount(0);
    },
    /** Taps the pad's digits, then OK. */
    async pin(digits: string): Promise<void> {
      for (const digit of digits) await tap(page.getByRole('button', { name: digit, exact: true }));
      await tap(page.locator('.a-pin .key[data-key="enter"]'));
    },
  };
}

/** A touch of the middle of an element that is too long for a click of Chromium's. */
export async function touchLong(target: Locator): Promise<void> {
  const page = target.page();
  const devTools = await page.context().newCDPSession(page);
  // Chromium makes touches of the mouse. For those of `Input.dispatchTouchEvent` it makes a click however long they are.
  const touch = (enabled: boolean) =>
    devTools.send('Emulation.setEmitTouchEventsForMouse', { enabled, configuration: 'desktop' });
  await touch(true);
  const { x, y } = await middleOf(target);
  const isOver = page.evaluate(
    () => new Promise<void>((done) => addEventListener('pointerup', () => done(), { once: true })),
  );
  const isLong = target.evaluate(
    (element) =>
      new Promise<void>((done) => element.addEventListener('contextmenu', () => done(), { once: true })),
  );
  xdotool('mousemove', Math.round(x), Math.round(y), 'mousedown', 1);
  await isLong;
  xdotool('mouseup', 1);
  await isOver;
  await touch(false);
}
