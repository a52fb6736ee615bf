import { expect, it } from 'vitest';
import type { Log } from '../shared/log';
import { limitedLog } from './limited-log';

it('takes some lines of each event at once and in an hour, whatever other events do', () => {
  let now = 0;
  const lines: string[] = [];
  const line =
    (level: string): Log[keyof Log] =>
    (event, details) =>
      void lines.push(`${level} ${event} ${details?.number}`);
  const all = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  const log = limitedLog({ log: all, clock: { monotonic: () => now } }, 2);
  for (let number = 1; number <= 4; number += 1) log.error('the disk is full', { number });
  log.warn('no answer', { number: 5 });
  expect(lines.splice(0)).toEqual([
    'error the disk is full 1',
    'error the disk is full 2',
    'warn no answer 5',
  ]);
  now += 1_800_000;
  for (let number = 6; number <= 7; number += 1) log.error('the disk is full', { number });
  expect(lines).toEqual(['error the disk is full 6']);
});
