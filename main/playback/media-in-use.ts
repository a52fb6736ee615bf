import type { HouseFolder } from '../media/house-folder';
import type { MediaCache } from '../media/media-cache';
import type { PlayerFact } from './player';

const HOUSE = 'media://house/';

/** Keeps the cache told what plays now and next, from what the player tells: those files stay (rule 13). */
export function keepMediaInUse(
  media: Pick<MediaCache, 'inUse'>,
  house: Pick<HouseFolder, 'inUse'> | null,
): (fact: PlayerFact) => void {
  let now: readonly string[] = [];
  let next: readonly string[] = [];
  return (fact) => {
    if (fact.kind === 'showing') now = fact.files;
    else if (fact.kind === 'nothing-showing') now = [];
    else if (fact.kind === 'next') next = fact.files;
    else return;
    const urls = [...now, ...next];
    media.inUse(urls);
    house?.inUse(urls.filter((url) => url.startsWith(HOUSE)).map((url) => url.slice(HOUSE.length)));
  };
}
