import { join } from 'node:path';
import type { Log } from '../../shared/log';
import type { PlayerFact } from '../playback/player-fact';
import { writeWholeFileNow } from '../whole-file';

/**
 * Writes to `playing` in the unit's runtime folder, which is removed after each run: "playing" once something was
 * drawn, "safe" instead during a safe start, "held" while nothing may play. `/usr/lib/endcap/updates` judges a new
 * version by this file, and it may be of a later version itself: do not change name and words.
 *
 * @param folder null: no service manager made one
 * @param safeStartEnded resolves at the end of a safe start, at once in an ordinary start
 */
export function markPlaying(
  folder: string | null,
  log: Log,
  safeStartEnded: Promise<void>,
): (fact: PlayerFact) => void {
  let isHeld = false;
  let wasDrawn = false;
  let isSafe = true;
  let marked = '';
  const write = () => {
    const drawn = isSafe ? 'safe' : 'playing';
    const mark = isHeld ? 'held' : wasDrawn ? drawn : '';
    if (folder === null || mark === marked) return;
    marked = mark;
    try {
      // Written synchronously: a few bytes, to a folder in memory.
      writeWholeFileNow(join(folder, 'playing'), `${mark}\n`, 0o644);
    } catch (error) {
      log.error('the playing mark could not be written; an update may be taken back because of it', {
        error,
      });
    }
  };
  void safeStartEnded.then(() => {
    isSafe = false;
    write();
  });
  return (fact) => {
    if (fact.kind === 'held') isHeld = fact.reason !== null;
    else if (fact.kind === 'showing') wasDrawn = true;
    else return;
    write();
  };
}
