import type { RecordsCommand } from '../../shared/records';

/**
 * Commands that store something now and then, one short transaction each. Those
 * that only read go beside them, and those that work in many steps, or while
 * nothing plays, take their turns in the database.
 */
const WAITING: ReadonlySet<RecordsCommand> = new Set<RecordsCommand>([
  'settlePlay',
  'storeBeacons',
  'confirmOnce',
  'startSending',
  'settleBeacons',
  'expireBeacons',
  'pruneBeacons',
  'prunePlays',
  'forgetRecency',
  'storeFlights',
  'storeAds',
  'storePlaylist',
  'renewPlaylist',
  'dropAds',
]);

/** Runs a command's work when it is its turn. */
export type WritingLine = <Result>(command: RecordsCommand, run: () => Promise<Result>) => Promise<Result>;

/**
 * Lets commands that store wait for each other here rather than in the database,
 * where writers go strictly in turn: so a reservation, which a slot waits for,
 * finds at most one of them before it.
 */
export function createWritingLine(): WritingLine {
  let last: Promise<unknown> = Promise.resolve();
  return (command, run) => {
    if (!WAITING.has(command)) return run();
    const turn = last.then(run);
    last = turn.catch(() => {});
    return turn;
  };
}
