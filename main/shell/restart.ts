import { app } from 'electron';
import { exitCodeOfLeaving } from './leaving';
import { isManaged } from './service-manager';

/**
 * Ends in order and starts over. Under a service manager that one does the
 * starting: a process of our own making would be none of its.
 */
export function restart(): void {
  if (!isManaged(process.env)) app.relaunch();
  app.quit();
}

/** Ends in order and stays away: whoever started the kiosk is told so by its exit code. */
export function leave(): void {
  process.exitCode = exitCodeOfLeaving(process.env);
  app.quit();
}
