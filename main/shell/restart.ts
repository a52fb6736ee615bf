import { app } from 'electron';
import { exitCodeOfLeaving } from './leaving';
import { isStartedOver, isSupervised, RESTART_EXIT_CODE } from './service-manager';

/**
 * Ends in order and starts over. Under a service manager or `npm start` that one does
 * the starting: a process of our own making would be none of its.
 */
export function restart(): void {
  if (isSupervised(process.env)) process.exitCode = RESTART_EXIT_CODE;
  if (!isStartedOver(process.env)) app.relaunch();
  app.quit();
}

/** Ends in order and stays away: whoever started the kiosk is told so by its exit code. */
export function leave(): void {
  process.exitCode = exitCodeOfLeaving(process.env);
  app.quit();
}
