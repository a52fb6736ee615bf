import type { StoredBooks } from '../../shared/records';
import type { RecordsDatabase } from './database';
import type { HourTotalsStore } from './hour-totals';
import type { EnvironmentRow } from './rows';
import type { Sequence } from './sequence';

/** Plays moved in one transaction, up to a second on a busy kiosk (decision 75). */
const MOVED_AT_ONCE = 1_000;

/**
 * Names the moves of plays so far and each of their steps; part of a transaction. Null: plays of the open books are left
 * in the middle of a move. One that was left in other books never goes on, so it does not count.
 */
export async function movesSoFar(
  { environments }: Pick<RecordsDatabase, 'environments'>,
  open: string | null,
): Promise<string | null> {
  const rows = await environments.toArray();
  if (rows.some((row) => row.key === open && moveLeft(row, null).moving !== undefined)) return null;
  return rows.map(({ lastMove = '', moving }) => `${lastMove}/${moving?.reached ?? ''}`).join(' ');
}

/** The move that a row holds, if it can go on, and the time of the last play, which is `latest` now, after it. */
export function moveLeft(
  { moving, lastMove, playCount }: EnvironmentRow,
  latest: number | null,
): Pick<StoredBooks, 'moving' | 'lastPlayAt'> {
  if (moving === undefined || lastMove === undefined || moving.playCount !== playCount)
    return { lastPlayAt: latest };
  const { after, by, reached } = moving;
  const isLeft = latest !== null && by < 0 && latest > reached;
  return { moving: { id: lastMove, after, by }, lastPlayAt: isLeft ? latest + by : latest };
}

/**
 * Moves some plays of the move that an environment's row holds, and stores the row; part of a transaction. Begins at the
 * end of the range towards which plays move, so that no moved play is in the range that is left. Returns whether plays are
 * left.
 */
export async function moveSome(
  { plays, environments }: RecordsDatabase,
  totals: Pick<HourTotalsStore, 'forget'>,
  sequence: Pick<Sequence, 'playsMoved'>,
  row: EnvironmentRow,
): Promise<boolean> {
  const { moving, ...moved } = row;
  if (moving === undefined) return false;
  const { key } = row;
  const { after, by, reached } = moving;
  const [low, high] = by > 0 ? [after, reached] : [reached, Number.POSITIVE_INFINITY];
  const byTime = plays.where('[environment+at]');
  const left = byTime.between([key, low], [key, high], false, false);
  const some = await (by > 0 ? left.reverse() : left).limit(MOVED_AT_ONCE).toArray();
  const end = some.at(-1)?.at;
  if (end !== undefined) {
    // All plays of one time move together, because only times say how far the move came.
    const together = await byTime.equals([key, end]).toArray();
    const found = [...new Map([...some, ...together].map((play) => [play.id, play])).values()];
    const times = [some[0]?.at ?? end, end];
    const [first, last] = [Math.min(...times), Math.max(...times)];
    await plays.bulkPut(
      found.map((play) => ({
        ...play,
        at: play.at + by,
        shownAt: play.shownAt === null ? null : play.shownAt + by,
      })),
    );
    await totals.forget(key, first, last);
    await totals.forget(key, first + by, last + by);
    const ids = found.map(({ id }) => id);
    await sequence.playsMoved(ids, by, Math.min(first, first + by));
  }
  const isLeft = end !== undefined && some.length === MOVED_AT_ONCE;
  await environments.put(isLeft ? { ...row, moving: { ...moving, reached: end } } : moved);
  return isLeft;
}
