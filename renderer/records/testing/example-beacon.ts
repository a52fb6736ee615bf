import type { Beacon } from '../../../shared/beacon';

/** A beacon that waits and was never tried; `change` replaces fields. */
export const exampleBeacon = ({ eventAt = 0, ...change }: Partial<Beacon> = {}): Beacon => ({
  id: 'beacon',
  environment: 'store',
  policy: 'at-least-once',
  url: 'http://127.0.0.1/b',
  host: 'http://127.0.0.1',
  event: 'impression',
  eventAt,
  expiresAt: eventAt + 1e9,
  playId: 'play',
  instance: null,
  position: 0,
  state: 'waiting',
  attempts: 0,
  dueAt: eventAt,
  lastError: null,
  finishedAt: null,
  ...change,
});
