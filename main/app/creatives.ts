import { join } from 'node:path';
import { createHouseFolder } from '../media/house-folder';
import { keepQuarantine } from '../media/kept-quarantine';
import { createMediaCache } from '../media/media-cache';
import type { Core } from './core';
import type { Network } from './network';

export type Creatives = Awaited<ReturnType<typeof openCreatives>>;

/** Creatives on disk, those of the house included, and which of them did harm. */
export async function openCreatives(
  { settings, windows, dataDirectory, clock, schedule, random, reading, log }: Core,
  { fencedFetch }: Network,
) {
  const quarantine = keepQuarantine(join(dataDirectory, 'quarantine.json'), clock, log);
  const media = createMediaCache({
    directory: join(dataDirectory, 'media'),
    ...settings.media,
    fetch: fencedFetch('media'),
    ...{ quarantine, clock, log, schedule, random, reading },
  });
  const { houseDir } = settings.playback;
  const house = houseDir
    ? createHouseFolder({
        folder: houseDir,
        copies: join(dataDirectory, 'house'),
        minFreeBytes: settings.media.minFreeBytes,
        ...{ quarantine, clock, log, schedule, reading },
      })
    : null;
  windows.showMedia(house ? { cache: media, house } : { cache: media });
  await Promise.all([media.open(), house?.open()]);
  return {
    quarantine,
    media,
    /** Null: the store has no creatives of its own. */
    house,
    async dispose() {
      await media.close();
      await house?.close();
    },
  };
}
