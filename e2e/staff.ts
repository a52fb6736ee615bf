import { DEMO_PIN } from '../shared/staff';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import type { Finger } from './touch';

/** A staff member at a kiosk: opens the PIN pad and enters the overlay. */
export interface Staff {
  /** Resolves when the pad is on the screen. */
  openPad(): Promise<void>;
  /** Enters a PIN on the pad; does not wait for the result. */
  pin(digits: string): Promise<void>;
  /** Opens the pad and enters the PIN, until the overlay's pages are open. */
  enter(pin?: string): Promise<void>;
}

/** Uses only touch: five taps in the corner, then the pad's own keys. */
export function staffByTouch({ screen }: Pick<Kiosk, 'screen'>, finger: Finger): Staff {
  return staff({ screen }, finger.pin, {
    knock: async () => {
      for (let tap = 0; tap < 5; tap += 1) await finger.tapAt(10, 10);
    },
    // Taps expire after three seconds; some of the first five may have come before the page was ready.
    againAfterMs: 3_500,
  });
}

/** Uses only the keyboard. */
export function staffByKeys({ app, screen }: Kiosk): Staff {
  const pin = async (digits: string) => {
    for (const digit of digits) await screen.keyboard.press(digit);
    await screen.keyboard.press('Enter');
  };
  return staff({ screen }, pin, {
    // Sent as keyboard input: a debugger's key events bypass the browser's own key handling.
    knock: () =>
      app.evaluate(({ webContents }) => {
        webContents
          .getAllWebContents()
          .find((contents) => contents.getURL() === 'endcap://kiosk/')
          ?.sendInputEvent({ type: 'keyDown', keyCode: 'F12', modifiers: ['control', 'shift'] });
      }),
    againAfterMs: 500,
  });
}

function staff(
  { screen }: Pick<Kiosk, 'screen'>,
  pin: Staff['pin'],
  { knock, againAfterMs }: { readonly knock: () => Promise<void>; readonly againAfterMs: number },
): Staff {
  const pad = screen.locator('.a-pin');
  const openPad = () =>
    expect
      .poll(
        async () => {
          await knock();
          await pad.waitFor({ timeout: againAfterMs }).catch(() => undefined);
          return pad.count();
        },
        { intervals: [0] },
      )
      .toBe(1);
  return {
    openPad,
    pin,
    async enter(digits = DEMO_PIN) {
      await openPad();
      await pin(digits);
      await expect(screen.getByRole('navigation')).toBeVisible();
    },
  };
}
