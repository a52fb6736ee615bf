import type { MediaCache } from '../media/media-cache';
import type { PlayerFact } from './player';

/** Keeps the cache told what plays now and next, from what the player tells: those files stay (rule 13). */
export function keepMediaInUse(media: Pick<MediaCache, 'inUse'>): (fact: PlayerFact) => void {
  let now: readonly string[] = [];
  let next: readonly string[] = [];
  return (fact) => {
    if (fact.kind === 'showing') now = fact.files;
    else if (fact.kind === 'next') next = fact.files;
    else return;
    media.inUse([...now, ...next]);
  };
}
