import type { WebContents } from 'electron';
import type { Schedule } from '../../schedule';

// What a QR code takes to a phone: the address that a link leads to, as a code.

/** UTF-8 bytes. A code for more has modules too small for a phone's camera at a kiosk, and takes long to make. */
export const MAX_QR_BYTES = 300;

/** A QR code of a text, `1` for dark, row by row; null where the text is longer than `MAX_QR_BYTES`. */
export async function qrRows(text: string): Promise<string[] | null> {
  if (Buffer.byteLength(text) > MAX_QR_BYTES) return null;
  // Loaded here because it is rarely needed.
  const { create } = await import('qrcode');
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  return Array.from({ length: modules.size }, (_, y) =>
    Array.from({ length: modules.size }, (_, x) => (modules.get(y, x) ? '1' : '0')).join(''),
  );
}

/** How long redirects of a hidden page are followed, ms. */
const REDIRECT_MS = 8_000;
/** A page that loads nothing else for this long is the final one, ms. */
const SETTLED_MS = 1_500;

/**
 * Follows an address in hidden contents until a page stays, another scheme (of an app) is reached, or `REDIRECT_MS`
 * have passed. Resolves to the address there. Closes the contents.
 */
export async function finalAddress(
  webContents: WebContents,
  url: string,
  schedule: Schedule,
): Promise<string> {
  const address = () => (webContents.isDestroyed() ? url : webContents.getURL() || url);
  const { promise, resolve } = Promise.withResolvers<string>();
  const cancelDeadline = schedule(REDIRECT_MS, () => resolve(address()));
  let cancelSettled = (): void => {};
  // Only of the page itself: its frames redirect, too.
  const beyond = ({ url, isMainFrame }: { url: string; isMainFrame: boolean }) => {
    if (isMainFrame && !/^https?:/i.test(url)) resolve(url);
  };
  try {
    webContents.on('will-navigate', beyond);
    webContents.on('will-redirect', beyond);
    webContents.on('did-start-loading', () => cancelSettled());
    webContents.on('did-stop-loading', () => {
      cancelSettled();
      cancelSettled = schedule(SETTLED_MS, () => resolve(address()));
    });
    webContents.loadURL(url).catch(() => {}); // A page that fails still has an address.
    return await promise;
  } finally {
    cancelDeadline();
    cancelSettled();
    if (!webContents.isDestroyed()) webContents.close();
  }
}
