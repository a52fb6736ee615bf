import type { WebContents } from 'electron';
import type { Schedule } from '../schedule';

/** How long redirects of a hidden page are followed, ms. */
const REDIRECT_MS = 8_000;
/** A page that loads nothing else for this long is the final one, ms. */
const SETTLED_MS = 1_500;

/**
 * Follows an address in hidden contents until a page stays, another scheme (of an app) is reached, or `REDIRECT_MS`
 * have passed. Resolves to the address there, for a phone. Closes the contents.
 */
export async function finalAddress(
  webContents: WebContents,
  url: string,
  schedule: Schedule,
): Promise<string> {
  const address = () => (webContents.isDestroyed() ? url : webContents.getURL() || url);
  try {
    return await new Promise<string>((resolve) => {
      let cancelSettled = (): void => {};
      const deadline = schedule(REDIRECT_MS, () => resolve(address()));
      const end = (address: string) => {
        deadline();
        cancelSettled();
        resolve(address);
      };
      const beyond = (event: { url: string }) => {
        if (!/^https?:/i.test(event.url)) end(event.url);
      };
      webContents.on('will-navigate', beyond);
      webContents.on('will-redirect', beyond);
      webContents.on('did-stop-loading', () => {
        cancelSettled();
        cancelSettled = schedule(SETTLED_MS, () => end(address()));
      });
      webContents.loadURL(url).catch(() => {}); // A page that fails still has an address.
    });
  } finally {
    if (!webContents.isDestroyed()) webContents.close();
  }
}
