import { checkValues } from '../find-settings';
import { inForce } from '../settings';

/** Checks settings at once; files that they name are not read, and their contents are no values of these settings. */
export function readSettings(raw: unknown, file: string) {
  const checked = checkValues(raw, file);
  if (checked.kind === 'error') return checked;
  const settings = inForce(checked.parsed as Parameters<typeof inForce>[0]);
  return { kind: 'settings', settings } as const;
}
