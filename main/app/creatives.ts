import { join } from 'node:path';
import { realDisk } from '../media/disk';
import { fetchHouseFile } from '../media/house-file';
import { createHouseFolder } from '../media/house-folder';
import { keepQuarantine } from '../media/kept-quarantine';
import { createMediaCache } from '../media/media-cache';
import { removeOldHouseCopies } from '../media/old-house-copies';
import type { Core } from './core';
import type { Network } from './network';

export type Creatives = Awaited<ReturnType<typeof openCreatives>>;

/** Creatives on disk, those of the house included, and which of them did harm. */
export async function openCreatives(
  { settings, windows, dataDirectory, clock, schedule, random, reading, log }: Core,
  { fencedFetch }: Network,
) {
  const quarantine = keepQuarantine(join(dataDirectory, 'quarantine.json'), clock, log);
  const { houseDir } = settings.playback;
  const fetchAdFile = fencedFetch('media');
  const fetchOwnFile = houseDir === null ? () => null : fetchHouseFile(houseDir, realDisk);
  const media = createMediaCache({
    directory: join(dataDirectory, 'media'),
    ...settings.media,
    fetch: async (url, init) => fetchOwnFile(url, init) ?? fetchAdFile(url, init),
    ...{ quarantine, clock, log, schedule, random, reading },
  });
  const house = houseDir ? createHouseFolder({ folder: houseDir, cache: media, clock, log, schedule }) : null;
  removeOldHouseCopies(join(dataDirectory, 'house')).catch((error: unknown) =>
    log.warn('old copies of house creatives could not be removed', { error }),
  );
  windows.showMedia({ cache: media });
  await media.open();
  house?.open();
  return {
    quarantine,
    media,
    /** Null: the store has no creatives of its own. */
    house,
    async dispose() {
      await house?.close();
      await media.close();
    },
  };
}
