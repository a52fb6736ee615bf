import { type Display, screen } from 'electron';
import type { Log } from '../../shared/log';
import type { DisplayChoice } from '../settings/locate-settings';
import { chooseDisplay } from './choose-display';

/** Returns the display that the kiosk covers now. Displays come and go while it runs. */
export type KioskDisplay = () => Display;

/**
 * The display of `playback.display`; the primary one if there has been no such display in this run, which the log says
 * once. While one that was there is gone, it is returned as it was, so that the kiosk covers no other (decision 96).
 */
export function kioskDisplay(choice: DisplayChoice, log: Log): KioskDisplay {
  let last: Display | null = null;
  let wasMissing = false;
  return () => {
    const displays = screen.getAllDisplays();
    // It has another number while one beside it is gone.
    const chosen = chooseDisplay(displays, choice) ?? displays.find(({ id }) => id === last?.id) ?? null;
    const isMissing = choice !== null && chosen === null;
    if (isMissing && !wasMissing) {
      const found = displays.map(({ label, bounds }) => ({ label, ...bounds }));
      const then = last ? 'nothing plays until it is back' : 'the primary one is used';
      log.warn(`there is no display as playback.display says; ${then}`, { choice, found });
    }
    wasMissing = isMissing;
    last = chosen ?? last;
    return last ?? screen.getPrimaryDisplay();
  };
}

/** Whether the display that the kiosk covers is there. */
export function isThere(display: KioskDisplay): boolean {
  const { id } = display();
  return screen.getAllDisplays().some((one) => one.id === id);
}

const CHANGES = ['display-added', 'display-removed', 'display-metrics-changed'] as const;

/** Calls the listener when a display comes, goes or changes. Returns a function that stops this. */
export function onDisplayChange(listener: () => void): () => void {
  for (const change of CHANGES) screen.on(change as 'display-added', listener);
  return () => {
    for (const change of CHANGES) screen.off(change as 'display-added', listener);
  };
}
