import { type Display, screen } from 'electron';
import type { Log } from '../../shared/log';
import type { DisplayChoice } from '../settings/locate-settings';
import { chooseDisplay } from './choose-display';

/** Returns the display that the kiosk covers now. Displays come and go while it runs. */
export type KioskDisplay = () => Display;

/** The display of `playback.display`; the primary one while there is no such display, which the log says once. */
export function kioskDisplay(choice: DisplayChoice, log: Log): KioskDisplay {
  let wasMissing = false;
  return () => {
    const displays = screen.getAllDisplays();
    const chosen = chooseDisplay(displays, choice);
    const isMissing = choice !== null && chosen === null;
    if (isMissing && !wasMissing) {
      const found = displays.map(({ label, bounds }) => ({ label, ...bounds }));
      log.warn('there is no display as playback.display says; the primary one is used', { choice, found });
    }
    wasMissing = isMissing;
    return chosen ?? screen.getPrimaryDisplay();
  };
}

const CHANGES = ['display-added', 'display-removed', 'display-metrics-changed'] as const;

/** Calls the listener when a display comes, goes or changes. Returns a function that stops this. */
export function onDisplayChange(listener: () => void): () => void {
  for (const change of CHANGES) screen.on(change as 'display-added', listener);
  return () => {
    for (const change of CHANGES) screen.off(change as 'display-added', listener);
  };
}
