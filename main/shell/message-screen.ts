import type { Log } from '../../shared/log';
import { type KioskWindow, openKioskWindow } from './kiosk-window';

/** Fills the screen with a message, for a kiosk that cannot work as it is set up. */
export function showMessage(
  message: { readonly title: string; readonly text: string },
  options: { readonly preload: string; readonly kiosk: boolean; readonly log: Log },
): KioskWindow {
  const kiosk = openKioskWindow({
    ...options,
    devTools: false,
    onEvent(event) {
      if (event.type === 'ready') kiosk.command({ type: 'message', ...message });
    },
    onGuest() {},
    onLink() {},
    onInput() {},
    onVisible() {},
    onLost: (reason) => options.log.error('the window with the message ended', { reason }),
  });
  return kiosk;
}
