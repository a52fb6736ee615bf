import { EventEmitter } from 'node:events';
import type { WebContents } from 'electron';
import { expect, it } from 'vitest';
import { silentLog } from '../../shared/log';
import { logPageErrors } from './page-errors';

const HOUR_MS = 3_600_000;

it('logs the errors of a page in each hour, however many there were in the months before', () => {
  const contents = new EventEmitter();
  const logged: unknown[] = [];
  let now = 0;
  const log = { ...silentLog, error: (_event: string, details?: object) => logged.push(details) };
  logPageErrors(contents as unknown as WebContents, 'kiosk', log, () => now);
  const failed = (message: string) =>
    contents.emit('console-message', { level: 'error', message, sourceId: 'kiosk.js', lineNumber: 1 });
  for (let error = 0; error < 1_000; error += 1) failed('a loop');
  expect(logged).toHaveLength(20);
  now += 30 * 24 * HOUR_MS;
  failed('in another month');
  expect(logged.at(-1)).toEqual({ page: 'kiosk', error: 'in another month', at: 'kiosk.js:1' });
});
