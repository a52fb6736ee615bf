// A file of its own: what opens the windows needs none of it.
import { app } from 'electron';
import { exitCodeOfLeaving, isStartedOver, isSupervised, RESTART_EXIT_CODE } from './service-manager';

/**
 * Ends in order and starts over. A service manager or `npm start` does the starting
 * itself: it would not know a process that we start.
 */
export function restart(): void {
  if (isSupervised(process.env)) process.exitCode = RESTART_EXIT_CODE;
  if (!isStartedOver(process.env)) app.relaunch();
  app.quit();
}

/** Ends in order and is not started over: the exit code says so. */
export function leave(): void {
  process.exitCode = exitCodeOfLeaving(process.env);
  app.quit();
}
