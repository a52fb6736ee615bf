import type { Ad } from '../../../shared/ad';
import { onlyMedia } from '../../decisions/testing/ads-for-tests';
import type { AdFiles } from '../ad-files';

/** `AdFiles` for ads of one file each, which can play once `isOnDisk` returns true for it. */
export function oneFileEach(isOnDisk: (url: string) => boolean = () => true): AdFiles {
  const urls = (ad: Ad) => [onlyMedia(ad)].filter((url) => url !== null);
  return {
    lookAt: async () => {},
    key: onlyMedia,
    urls,
    playable: (ad) => urls(ad).find(isOnDisk) ?? null,
    wanted: (ads) => ads.flatMap(urls).map((url) => ({ url })),
    wantedInTurns: async (ads) => ads.flatMap(urls).map((url) => ({ url })),
  };
}
