import { Dexie, type Transaction } from 'dexie';
import { beaconBytes } from '../../shared/beacon';
import { type BeaconRow, NO_PLAY, type PlayBeaconsRow } from './database';

/** The upgrade to version 5: pending beacons name their holder, and each play knows what it holds. */
export async function noteHolders(transaction: Transaction): Promise<void> {
  const held = new Map<string, { bytes: number; at: number }>();
  for (const state of ['waiting', 'sending']) {
    await transaction
      .table<BeaconRow>('beacons')
      .where('[state+expiresAt]')
      .between([state, Dexie.minKey], [state, Dexie.maxKey])
      .modify((row) => {
        row.holder = row.playId ?? NO_PLAY;
        const { bytes, at } = held.get(row.holder) ?? { bytes: 0, at: 0 };
        held.set(row.holder, { bytes: bytes + beaconBytes(row.url), at: Math.max(at, row.eventAt) });
      });
  }
  const results = transaction.table<PlayBeaconsRow>('playBeacons');
  for (const [playId, { bytes, at }] of held) {
    const none = { playId, at, sent: 0, unknown: 0, failed: 0, pending: 0 };
    await results.put({ ...((await results.get(playId)) ?? none), pendingBytes: bytes });
  }
}
