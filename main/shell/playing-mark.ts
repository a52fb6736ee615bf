import { join } from 'node:path';
import type { Log } from '../../shared/log';
import type { PlayerFact } from '../playback/player-fact';
import { writeWholeFileNow } from '../whole-file';

/**
 * Says in `playing` of the unit's own runtime folder, which goes with each run, that something
 * was drawn ("playing") or that nothing may play now ("held"). `/usr/lib/endcap/updates` judges
 * a new version by it, also one that was written later: keep name and words.
 *
 * @param folder null: no service manager made one
 */
export function markPlaying(folder: string | null, log: Log): (fact: PlayerFact) => void {
  let isHeld = false;
  let wasDrawn = false;
  let marked = '';
  return (fact) => {
    if (fact.kind === 'held') isHeld = fact.reason !== null;
    else if (fact.kind === 'showing') wasDrawn = true;
    else return;
    const mark = isHeld ? 'held' : wasDrawn ? 'playing' : '';
    if (folder === null || mark === '' || mark === marked) return;
    marked = mark;
    try {
      // In memory, and a few bytes.
      writeWholeFileNow(join(folder, 'playing'), `${mark}\n`, 0o644);
    } catch (error) {
      log.error('that the kiosk plays could not be noted; an update may be taken back for it', { error });
    }
  };
}
