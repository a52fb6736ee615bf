import { expect, test } from 'vitest';
import { silentLog } from '../../shared/log';
import type { Records } from '../records/records-client';
import { tidyOutbox } from './outbox-housekeeping';
import type { OutboxLedger } from './outbox-ledger';

test('beacons beyond the bound are dropped until none is left, however few go at once', async () => {
  const counted: number[] = [];
  let surplus = 300;
  const records = {
    async run(command: string) {
      if (command !== 'expireBeacons') return 0;
      const dropped = Math.min(64, surplus);
      surplus -= dropped;
      return dropped;
    },
  } as Records;
  const ledger = {
    idsInHand: [] as string[],
    ended: (_outcome: string, count: number) => void counted.push(count),
  } as unknown as OutboxLedger;
  await tidyOutbox({ records, ledger, log: silentLog }, 0, true);
  expect(surplus).toBe(0);
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(300);
});
