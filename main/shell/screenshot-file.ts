import { rename, writeFile } from 'node:fs/promises';
import type { Log } from '../../shared/log';

/** Long enough for the first frame to be composited, short enough to be fresh, ms. */
const SETTLE_MS = 500;

/**
 * Keeps a picture of the screen in a file, for whoever runs the kiosk without a
 * display: a new one a moment after every change. Written whole or not at all.
 *
 * @returns to be called when something else is on the screen
 */
export function keepScreenshot(file: string, take: () => Promise<Uint8Array>, log: Log): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      take()
        .then(async (png) => {
          await writeFile(`${file}.part`, png);
          await rename(`${file}.part`, file);
        })
        .catch((fault: unknown) => log.debug('no screenshot was taken', { fault }));
    }, SETTLE_MS);
  };
}
