import { Dexie } from 'dexie';
import {
  type Beacon,
  type BeaconState,
  beaconBytes,
  MAX_PLAY_SCRIPTS,
  type PlayBeacons,
} from '../../shared/beacon';
import { MAX_HOSTS_AT_ONCE, type RecordsCommands } from '../../shared/records';
import { beginningWith, type RecordsDatabase, withKeys } from './database';
import { beaconsToDrop } from './drop-surplus';
import type { HourTotalsStore } from './hour-totals';
import { noResults } from './play-totals';
import { type BeaconRow, NO_PLAY, type OutboxSizeRow } from './rows';
import type { Sequence } from './sequence';

/** The column of a play's results that a beacon in this state counts in. */
const COLUMN: Readonly<Record<BeaconState, 'sent' | 'unknown' | 'failed' | 'pending'>> = {
  waiting: 'pending',
  sending: 'pending',
  sent: 'sent',
  unknown: 'unknown',
  refused: 'failed',
  expired: 'failed',
};

/** Characters kept of the URL of an ended beacon, so that ended beacons need no budget in bytes. */
const ENDED_URL_CHARACTERS = 2_048;

/** Most open beacons of a state that are read for a page of the overlay. */
const OPEN_LOOKED_AT = 2_000;

/** Beacons that expire within this time are sent first, ms; so many of the earliest are read each time. */
const ENDS_SOON_MS = 3_600_000;
const MAX_ENDING_READ = 200;

/** A beacon that is new, or was pending before. */
interface Change {
  readonly beacon: Beacon;
  readonly isNew: boolean;
}

/** By how many bytes a change increases what pending beacons take up. */
function heldBytes({ beacon, isNew }: Change): number {
  return (Number(isPending(beacon.state)) - Number(!isNew)) * beaconBytes(beacon.url);
}

/** The commands of the outbox (rules 15 and 16), each one transaction. */
export function outboxCommandsOn(
  database: RecordsDatabase,
  totals: Pick<HourTotalsStore, 'beaconsChanged'>,
  sequence: Pick<Sequence, 'beaconsChanged'>,
) {
  const { beacons, confirmations, playBeacons, outboxSize } = database;

  /** All beacons of a state, host by host, the longest due first. */
  const inState = (state: BeaconState) => beginningWith(beacons, '[state+host+dueAt]', state);

  const byIds = (ids: readonly string[]) => withKeys(beacons, 'id', ids);

  const size = async (): Promise<OutboxSizeRow> =>
    (await outboxSize.get('outbox')) ?? { key: 'outbox', pending: 0, ended: 0 };

  /** Updates the plays' results and the outbox's size after their beacons changed state. */
  async function tally(changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const playIds = [...new Set(changes.map(({ beacon }) => beacon.playId ?? NO_PLAY))];
    const [total, stored] = await Promise.all([size(), playBeacons.bulkGet(playIds)]);
    const rows = new Map(stored.flatMap((row) => (row ? [[row.playId, row]] : [])));
    let bytes = total.pendingBytes ?? 0;
    for (const change of changes) {
      const { beacon, isNew } = change;
      const { eventAt, state: to } = beacon;
      if (!isNew) total.pending -= 1;
      total[isPending(to) ? 'pending' : 'ended'] += 1;
      bytes += heldBytes(change);
      const playId = beacon.playId ?? NO_PLAY;
      const row = rows.get(playId) ?? { playId, at: eventAt, ...noResults() };
      if (!isNew && row.pending > 0) row.pending -= 1;
      row[COLUMN[to]] += 1;
      const held = (row.pendingBytes ?? 0) + heldBytes(change);
      if (held > 0) row.pendingBytes = held;
      else delete row.pendingBytes;
      rows.set(playId, withScript(row, beacon));
    }
    const at = Math.max(...changes.map(({ beacon }) => beacon.finishedAt ?? beacon.eventAt));
    // In parallel, because a reservation may wait for all of it.
    await Promise.all([
      outboxSize.put({ ...total, pendingBytes: total.pending > 0 ? Math.max(0, bytes) : 0 }),
      playBeacons.bulkPut([...rows.values()]),
      totals.beaconsChanged(playIds),
      sequence.beaconsChanged([...rows.values()], at),
    ]);
  }

  /** Stores beacons that have changed, and counts their changes. */
  async function store(changes: ReadonlyArray<Change & { beacon: BeaconRow }>): Promise<void> {
    const rows = changes.map(({ beacon }) => (beacon.finishedAt === null ? beacon : shortened(beacon)));
    await beacons.bulkPut(rows);
    await tally(changes);
  }

  const end = (rows: readonly BeaconRow[], state: BeaconState, now: number, lastError: string) =>
    store(
      rows.map((row) => {
        const ended = { ...row, state, lastError, finishedAt: now };
        if (row.script) ended.script = { result: 'interrupted', detail: null };
        return { beacon: ended, isNew: false };
      }),
    );

  async function add(added: readonly Beacon[]): Promise<number> {
    const ids = added.map(({ id }) => id);
    const known = new Set((await byIds(ids)).map(({ id }) => id));
    const fresh = added.filter(({ id }) => !known.has(id));
    const rows = fresh.map((beacon) =>
      isPending(beacon.state) ? { ...beacon, holder: beacon.playId ?? NO_PLAY } : beacon,
    );
    await Promise.all([beacons.bulkAdd(rows), tally(fresh.map((beacon) => ({ beacon, isNew: true })))]);
    return fresh.length;
  }

  return {
    openOutbox: ({ now, stillSending }) =>
      database.write(async () => {
        const held = new Set(stillSending);
        const interrupted = await inState('sending')
          .filter(({ id }) => !held.has(id))
          .toArray();
        await end(interrupted, 'unknown', now, 'interrupted');
        const left = (await byIds(stillSending)).filter(({ state }) => isPending(state)).length;
        return { pending: (await size()).pending - left, interrupted: interrupted.length };
      }),

    // Skips from host to host, however many beacons wait there. Text that is no URL waits at a host without a name.
    waitingHosts: ({ after, now }) =>
      database.transaction('r', beacons, async () => {
        const found: Array<{ host: string; dueAt: number }> = [];
        const index = beacons.where('[state+host+dueAt]');
        let from = after === '' ? ['waiting', Dexie.minKey] : ['waiting', after, Dexie.maxKey];
        while (found.length < MAX_HOSTS_AT_ONCE) {
          const row = await index.between(from, ['waiting', Dexie.maxKey]).first();
          if (!row) break;
          found.push({ host: row.host, dueAt: dueTime(row, now) });
          from = ['waiting', row.host, Dexie.maxKey];
        }
        return found;
      }),

    storeBeacons: ({ beacons: added }) => database.write(() => add(added)),

    confirmOnce: ({ instance, kind, by, at, beacons: added }) =>
      database.write(async () => {
        const earlier = await confirmations.get([instance, kind]);
        if (earlier) return earlier.by === by;
        await confirmations.add({ instance, kind, by, at });
        await add(added);
        return true;
      }),

    startSending: ({ ids }) =>
      database.write(async () => {
        const rows = (await byIds(ids)).filter(({ state }) => state === 'waiting');
        await beacons.bulkPut(rows.map((row) => ({ ...row, state: 'sending' })));
        return rows.map(({ id }) => id);
      }),

    settleBeacons: ({ settled }) =>
      database.write(async () => {
        const ids = settled.map(({ id }) => id);
        const rows = new Map((await byIds(ids)).map((row) => [row.id, row]));
        await store(
          settled.flatMap((progress) => {
            const row = rows.get(progress.id);
            if (!row || row.finishedAt !== null) return [];
            return [{ beacon: { ...row, ...progress }, isNew: false }];
          }),
        );
        return null;
      }),

    dueBeacon: ({ host, now, farAhead, inHand, onlyRun }) =>
      database.transaction('r', beacons, async () => {
        const held = new Set(inHand);
        const isPassedOver = ({ policy, run, expiresAt }: Beacon) =>
          onlyRun !== undefined && policy === 'once' && run !== onlyRun && expiresAt > now;
        const isFree = (row: Beacon) => !held.has(row.id) && !isPassedOver(row);
        const isDue = (row: Beacon) => dueTime(row, now) <= now || row.dueAt > farAhead;
        const firstTwo = (from: number) =>
          beacons
            .where('[state+host+dueAt]')
            .between(['waiting', host, from], ['waiting', host, Dexie.maxKey])
            .filter(isFree)
            .limit(2)
            .toArray();
        const [first, second] = await firstTwo(Number.NEGATIVE_INFINITY);
        if (!first) return { due: null, nextDueAt: null };
        if (!isDue(first)) {
          const [stray, another] = await firstTwo(farAhead);
          return { due: stray ?? null, nextDueAt: another ? now : first.dueAt };
        }
        if (first.expiresAt > now + ENDS_SOON_MS) {
          const ending = await beacons
            .where('[state+expiresAt]')
            .between(['waiting', now], ['waiting', now + ENDS_SOON_MS])
            .limit(MAX_ENDING_READ)
            .toArray();
          const urgent = ending.find((row) => row.host === host && isDue(row) && isFree(row));
          if (urgent) return { due: urgent, nextDueAt: dueTime(first, now) };
        }
        return { due: first, nextDueAt: second ? dueTime(second, now) : null };
      }),

    expireBeacons: ({ now, keepsLate = false, keep, keepBytes, inHand, limit }) =>
      database.write(async () => {
        const held = new Set(inHand);
        const notInHand = ({ id }: Beacon) => !held.has(id);
        const late = await beacons
          .where('[state+expiresAt]')
          .between(['waiting', Dexie.minKey], ['waiting', keepsLate ? Dexie.minKey : now])
          .filter(notInHand)
          .limit(limit)
          .toArray();
        await end(late, 'expired', now, 'too-late');
        const { pending, pendingBytes = 0 } = await size();
        const surplus = { beacons: pending - keep, bytes: pendingBytes - keepBytes };
        const most = limit - late.length;
        if (most <= 0 || (surplus.beacons <= 0 && surplus.bytes <= 0)) return late.length;
        const isFree = (row: BeaconRow) => row.state === 'waiting' && notInHand(row);
        const dropped = await beaconsToDrop(database, surplus, isFree, most);
        await end(dropped, 'expired', now, 'too-many');
        return late.length + dropped.length;
      }),

    forgetBeacons: ({ now, before, limit }) =>
      database.write(async () => {
        const earlier = await inState('waiting')
          .filter(({ eventAt }) => eventAt < before)
          .limit(limit)
          .toArray();
        await end(earlier, 'unknown', now, 'other-machine');
        return earlier.length;
      }),

    endConfirmations: ({ now, lastMs, limit }) =>
      database.write(async () => {
        // By the stored events: weeks of proof of play may wait beside them, and the clock may still be hours behind.
        const ends = (await confirmations.orderBy('at').uniqueKeys()).map((at) => [
          'waiting',
          Number(at) + lastMs,
        ]);
        const waiting = await beacons
          .where('[state+expiresAt]')
          .anyOf(ends)
          .filter(({ policy }) => policy === 'once')
          .limit(limit)
          .toArray();
        await end(waiting, 'unknown', now, 'went-back');
        return waiting.length;
      }),

    pruneBeacons: ({ endedBefore, keepEnded, confirmedBefore, limit }) =>
      database.write(async () => {
        const old = await beacons.where('finishedAt').below(endedBefore).limit(limit).primaryKeys();
        await beacons.bulkDelete(old);
        const total = await size();
        const surplus = Math.min(total.ended - old.length - keepEnded, limit - old.length);
        const ended = beacons.where('finishedAt').above(Dexie.minKey);
        const most = surplus > 0 ? await ended.limit(surplus).primaryKeys() : [];
        await beacons.bulkDelete(most);
        await outboxSize.put({ ...total, ended: total.ended - old.length - most.length });
        const confirmed = await confirmations.where('at').below(confirmedBefore).limit(limit).primaryKeys();
        await confirmations.bulkDelete(confirmed);
        return old.length + most.length + confirmed.length;
      }),

    async listBeacons({ states, limit }) {
      if (states.every(isPending)) {
        const rows = states.map((state) => inState(state).limit(OPEN_LOOKED_AT).toArray());
        const open = (await Promise.all(rows)).flat();
        return open.sort((a, b) => a.dueAt - b.dueAt).slice(0, limit);
      }
      return beacons
        .where('finishedAt')
        .above(Dexie.minKey)
        .reverse()
        .filter(({ state }) => states.includes(state))
        .limit(limit)
        .toArray();
    },
  } satisfies Partial<RecordsCommands>;
}

/** The play's results with what is now known of a script among its beacons. */
function withScript<Row extends PlayBeacons>(row: Row, { script, position }: Beacon): Row {
  if (!script) return row;
  const others = (row.scripts ?? []).filter((known) => known.position !== position);
  const scripts = [...others, { position, ...script }].sort((a, b) => a.position - b.position);
  return { ...row, scripts: scripts.slice(0, MAX_PLAY_SCRIPTS) };
}

/** When a beacon is due; one that never stepped aside is due after its event, even if the clock went back since. */
function dueTime({ dueAt, eventAt }: Beacon, now: number): number {
  return dueAt === eventAt ? Math.min(dueAt, now) : dueAt;
}

function isPending(state: BeaconState): boolean {
  return COLUMN[state] === 'pending';
}

/** A beacon that has ended, as it is stored. */
function shortened({ holder: _, ...row }: BeaconRow): BeaconRow {
  return { ...row, url: row.url.slice(0, ENDED_URL_CHARACTERS) };
}
