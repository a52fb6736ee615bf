import { app } from 'electron';
import { isManaged } from './service-manager';

/**
 * Ends in order and starts over. Under a service manager that one does the
 * starting: a process of our own making would be none of its.
 */
export function restart(): void {
  if (!isManaged(process.env)) app.relaunch();
  app.quit();
}
