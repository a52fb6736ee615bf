import { join } from 'node:path';
import { realDisk } from '../media/disk';
import { fetchHouseFile } from '../media/house-file';
import { createHouseFolder } from '../media/house-folder';
import { createMediaCache } from '../media/media-cache';
import { openQuarantine } from '../media/quarantine-store';
import type { Core } from './core';
import type { Network } from './network';

export type Creatives = Awaited<ReturnType<typeof openCreatives>>;

/** Creatives on disk, house creatives included, and their quarantine. */
export async function openCreatives(core: Core, { adFetch }: Network) {
  const { settings, windows, dataDirectory, clock, schedule, log } = core;
  const quarantine = openQuarantine(join(dataDirectory, 'quarantine.json'), clock, log);
  const { houseDir } = settings.playback;
  const fetchAdFile = adFetch('media');
  const fetchOwnFile = houseDir === null ? () => null : fetchHouseFile(houseDir, realDisk);
  const media = createMediaCache({
    ...core,
    ...settings.media,
    directory: join(dataDirectory, 'media'),
    fetch: async (url, init) => fetchOwnFile(url, init) ?? fetchAdFile(url, init),
    quarantine,
  });
  const house = houseDir ? createHouseFolder({ folder: houseDir, cache: media, log, schedule }) : null;
  windows.showMedia(media);
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
