import { type Display, screen } from 'electron';
import type { Log } from '../../shared/log';
import type { DisplayChoice } from '../settings/locate-settings';
import { type Covered, chooseAgain, chooseDisplay } from './choose-display';

/** Returns the display that the kiosk covers now. Displays come and go while it runs. */
export type KioskDisplay = () => Display;

/**
 * The display of `playback.display`; the primary one if there has been no such display in this run, which the log says
 * once. While one that was there is gone, it is returned as it was, so that the kiosk covers no other (decision 96).
 */
export function kioskDisplay(choice: DisplayChoice, log: Log): KioskDisplay {
  let last: Covered<Display> | null = null;
  let wasMissing = false;
  return () => {
    const displays = screen.getAllDisplays();
    const chosen = last ? chooseAgain(displays, choice, last) : chooseDisplay(displays, choice);
    const isMissing = choice !== null && chosen === null;
    if (isMissing && !wasMissing) {
      const found = displays.map(({ label, bounds }) => ({ label, ...bounds }));
      const then = last ? 'nothing plays until it is back' : 'the primary one is used';
      log.warn(`there is no display as playback.display says; ${then}`, { choice, found });
    }
    wasMissing = isMissing;
    if (chosen) {
      const others = displays.map(({ id }) => id).filter((id) => id !== chosen.id);
      last = { display: chosen, others: new Set(others) };
    }
    return last?.display ?? screen.getPrimaryDisplay();
  };
}

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
