import type { Locator, Page } from 'playwright';
import { expect } from 'playwright/test';

export interface Finger {
  /** One short press of a point of the screen, CSS px. */
  tapAt(x: number, y: number): Promise<void>;
  /** One short press of the middle of what is there, once it is there and lies still. */
  tap(target: Locator): Promise<void>;
  /** Presses a button by what it says. */
  press(name: string | RegExp): Promise<void>;
  /** Brings the on-screen keyboard to a field, types by its keys and puts it away. */
  type(field: Locator, text: string): Promise<void>;
  /** The pad's digits, and its OK. */
  pin(digits: string): Promise<void>;
}

/** A finger on the kiosk's screen: real touches through the browser's own pipeline, no mouse, no keyboard. */
export async function fingerOn(page: Page): Promise<Finger> {
  const devTools = await page.context().newCDPSession(page);

  async function tapAt(x: number, y: number): Promise<void> {
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await devTools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  async function tap(target: Locator): Promise<void> {
    await expect(target).toBeEnabled();
    await expect(page.locator('[data-settling]')).toHaveCount(0);
    await target.scrollIntoViewIfNeeded();
    // What slides in is pressed where it comes to rest.
    await target.evaluate((element) =>
      Promise.all(
        document
          .getAnimations()
          .filter(
            (animation) => animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY,
          )
          .filter(
            (animation) => (animation.effect as KeyframeEffect | null)?.target?.contains(element) ?? false,
          )
          .map((animation) => animation.finished.catch(() => undefined)),
      ),
    );
    const box = await target.boundingBox();
    if (!box) throw new Error(`${target} is not on the screen`);
    await tapAt(box.x + box.width / 2, box.y + box.height / 2);
  }

  const keys = page.locator('.a-keyboard');
  /** Presses a key of the keyboard as it lies now; false: it has no such key. */
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

  /** Only the letters have it. */
  const shift = keys.locator('[data-key="shift"]');
  /** From the letters to the digits and signs, or back. */
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
    if (await key({ label: character })) return;
    await turnOver();
    if (!(await key({ label: character }))) throw new Error(`the keyboard has no ${character}`);
  }

  return {
    tapAt,
    tap,
    press: (name) => tap(page.getByRole('button', { name, exact: typeof name === 'string' })),
    async type(field, text) {
      await tap(field);
      await expect(keys).toBeVisible();
      for (const character of text) await typeOne(character);
      await expect(field).toHaveValue(text);
      await key({ kind: 'hide' });
      await expect(keys).toHaveCount(0);
    },
    async pin(digits) {
      for (const digit of digits) await tap(page.getByRole('button', { name: digit, exact: true }));
      await tap(page.locator('.a-pin-key[data-kind="main"]'));
    },
  };
}
