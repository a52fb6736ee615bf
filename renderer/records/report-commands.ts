import { Dexie } from 'dexie';
import type { Beacon, BeaconState } from '../../shared/beacon';
import type { RecordsCommands } from '../../shared/records';
import { beginningWith, type RecordsDatabase } from './database';
import type { HourTotals } from './hour-totals';
import type { PlayListing } from './play-listing';

/** Most open beacons of a state that are read for a page. */
const OPEN_LOOKED_AT = 2_000;
const OPEN: readonly BeaconState[] = ['waiting', 'sending'];

/** The commands for what people read: proof of play and the outbox. They write nothing but hour totals. */
export function reportCommandsOn(
  database: RecordsDatabase,
  listPlays: PlayListing,
  totals: Pick<HourTotals, 'report'>,
) {
  const { beacons } = database;
  return {
    provePlays: listPlays,
    reportPlays: totals.report,
    async listBeacons({ states, limit }) {
      const open: Beacon[] = [];
      for (const state of states.filter((wanted) => OPEN.includes(wanted))) {
        const due = beginningWith(beacons, '[state+host+dueAt]', state);
        open.push(...(await due.limit(OPEN_LOOKED_AT).toArray()));
      }
      open.sort((a, b) => a.dueAt - b.dueAt);
      if (states.every((state) => OPEN.includes(state))) return open.slice(0, limit);
      const ended = await beacons
        .where('finishedAt')
        .above(Dexie.minKey)
        .reverse()
        .filter(({ state }) => states.includes(state))
        .limit(limit)
        .toArray();
      return [...open, ...ended].slice(0, limit);
    },
  } satisfies Partial<RecordsCommands>;
}
