import { Dexie } from 'dexie';
import type { Beacon, BeaconState } from '../../shared/beacon';
import type { RecordsCommands } from './commands';
import type { CondensedPlays } from './condensed-plays';
import type { RecordsDatabase } from './database';

type ReportCommands = Pick<RecordsCommands, 'provePlays' | 'condensePlays' | 'reportPlays' | 'listBeacons'>;

/** Open beacons of a state that are looked at for a page. */
const OPEN_LOOKED_AT = 2_000;
const OPEN: readonly BeaconState[] = ['waiting', 'sending'];

/** The commands that people read: proof of play and the outbox. They change nothing but what was counted. */
export function reportCommandsOn(database: RecordsDatabase, condensed: CondensedPlays): ReportCommands {
  const { beacons } = database;
  return {
    provePlays: (query) => condensed.listing(query),
    condensePlays: ({ environment, now, limit }) => condensed.condense(environment, now, limit),
    reportPlays: ({ environment, from, to }) => condensed.report(environment, from, to),
    async listBeacons({ states, limit }) {
      const open: Beacon[] = [];
      for (const state of states.filter((wanted) => OPEN.includes(wanted))) {
        open.push(
          ...(await beacons
            .where('[state+host+dueAt]')
            .between([state, Dexie.minKey], [state, Dexie.maxKey])
            .limit(OPEN_LOOKED_AT)
            .toArray()),
        );
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
  };
}
