import { isManaged } from './service-manager';

/** The unit knows this code and does not start the kiosk over: `RestartPreventExitStatus`. */
export const LEFT_EXIT_CODE = 90;

/**
 * What the process ends with when staff leave to the desktop. A service manager
 * starts a kiosk over that ended with 0, which is what a restart wants; to
 * everybody else leaving is an end in order.
 */
export function exitCodeOfLeaving(environment: Readonly<Record<string, string | undefined>>): number {
  return isManaged(environment) ? LEFT_EXIT_CODE : 0;
}
