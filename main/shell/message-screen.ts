import { app } from 'electron';
import type { Log } from '../../shared/log';
import { timers } from '../service/schedule';
import { createDecidedClock } from './decided-clock';
import { keepWell } from './healing';
import { keepServiceManager, systemdNotify } from './service-manager';
import { keepKioskWindow } from './supervised-windows';

/** Fills the screen with a message, for a kiosk that cannot work as it is set up. */
export function showMessage(
  message: { readonly title: string; readonly text: string },
  options: { readonly preload: string; readonly kiosk: boolean; readonly log: Log },
): void {
  const { log } = options;
  const clock = createDecidedClock();
  const isEnding = () => false;
  const giveUp = () => app.exit(1);
  const healing = keepWell({
    clock,
    schedule: timers,
    log,
    isEnding,
    giveUp,
    help: { picture: (attempt) => void screen.revive(attempt), records() {}, service() {} },
  });
  const screen = keepKioskWindow({
    ...options,
    clock,
    isEnding,
    giveUp,
    vitals: healing,
    devTools: false,
    rotation: 0,
    language: 'en',
  });
  screen.listen({
    onEvent(event) {
      if (event.type === 'ready') screen.command({ type: 'message', ...message });
    },
    onLost() {},
    onGuest() {},
    onLink() {},
    onInput() {},
    onVisible() {},
    onDisplay() {},
  });
  keepServiceManager({
    environment: process.env,
    isWell: healing.isWell,
    schedule: timers,
    send: systemdNotify(log),
  }).describe(() => message.title);
}
