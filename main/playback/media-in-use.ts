import type { HouseFolder } from '../media/house-folder';
import type { MediaCache } from '../media/media-cache';
import type { PlayerFact } from './player';

const HOUSE = 'media://house/';

/** Keeps the cache told what plays now and next, from what the player tells: those files stay (rule 13). */
export function keepMediaInUse(
  media: Pick<MediaCache, 'inUse'>,
  house: Pick<HouseFolder, 'inUse'> | null,
): (fact: PlayerFact) => void {
  let now: string | null = null;
  let next: string | null = null;
  return (fact) => {
    if (fact.kind === 'showing') now = fact.facts.mediaUrl;
    else if (fact.kind === 'nothing-showing') now = null;
    else if (fact.kind === 'next') next = fact.facts?.mediaUrl ?? null;
    else return;
    const urls = [now, next].filter((url) => url !== null);
    media.inUse(urls);
    house?.inUse(urls.filter((url) => url.startsWith(HOUSE)).map((url) => url.slice(HOUSE.length)));
  };
}
