// A separate file, because the code that opens the windows does not need it.
import { app } from 'electron';
import { exitCodeOfLeaving, isStartedOver, isSupervised, RESTART_EXIT_CODE } from './service-manager';

/**
 * Exits in order and starts over. A service manager or `npm start` does the start itself, because it would not know a
 * process that we start.
 */
export function restart(): void {
  if (isSupervised(process.env)) process.exitCode = RESTART_EXIT_CODE;
  if (!isStartedOver(process.env)) app.relaunch();
  app.quit();
}

/** Exits in order; the exit code tells the service manager not to start the kiosk over. */
export function leave(): void {
  process.exitCode = exitCodeOfLeaving(process.env);
  app.quit();
}
