import { DEMO_PIN } from '../shared/staff';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import type { Finger } from './touch';

/** Somebody of the staff before a kiosk: the way to its PIN pad, and in. */
export interface Staff {
  /** Resolves when the pad is on the screen. */
  openPad(): Promise<void>;
  /** Enters a PIN on the pad; what comes of it is for the test to see. */
  pin(digits: string): Promise<void>;
  /** From the loop to the pages. */
  enter(pin?: string): Promise<void>;
}

/** By touch alone: five taps in the corner, the pad's own keys. */
export function staffByTouch({ screen }: Pick<Kiosk, 'screen'>, finger: Finger): Staff {
  return staff({ screen }, finger.pin, {
    knock: async () => {
      for (let tap = 0; tap < 5; tap += 1) await finger.tapAt(10, 10);
    },
    // Taps are forgotten after three seconds; some of the first five may have met a page that was not there yet.
    againAfterMs: 3_500,
  });
}

/** By keyboard alone. */
export function staffByKeys({ app, screen }: Kiosk): Staff {
  const pin = async (digits: string) => {
    for (const digit of digits) await screen.keyboard.press(digit);
    await screen.keyboard.press('Enter');
  };
  return staff({ screen }, pin, {
    // As the keyboard sends it: what a page is told by a debugger does not pass the browser's own keys.
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
