import { app, type WebContents, webContents } from 'electron';
import { OVERLAY_CHANNEL } from '../../shared/channels';
import type { Log } from '../../shared/log';
import { holdPort } from '../../shared/rpc';
import type { AdminChannel } from '../admin/admin-parts';
import type { PressedKey } from '../admin/gesture';
import { openPagePort } from './page-port';

/** Most messages that are buffered until main's half of the overlay listens; further ones are dropped. */
const MAX_EARLY = 32;

/**
 * Opens the channel for the overlay's messages and for keys; it stays valid when the window is replaced. Keys on guests
 * and on pages over the window count too: the shortcut must work over a link. Open it before the window loads its page,
 * or the page's first calls are lost.
 *
 * @param owns whether these are the kiosk window's own contents, not those of a guest
 */
export function openAdminChannel(owns: (contents: WebContents) => boolean, log: Log): AdminChannel {
  let onKey: (key: PressedKey) => boolean = () => false;

  function watch(contents: WebContents): void {
    contents.on('before-input-event', (event, input) => {
      if (input.type === 'keyDown' && onKey(input)) event.preventDefault();
    });
  }
  for (const contents of webContents.getAllWebContents()) watch(contents);
  app.on('web-contents-created', (_event, contents) => watch(contents));

  return {
    ...holdPort(openPagePort(OVERLAY_CHANNEL, owns, log), MAX_EARLY),
    onKey(listener) {
      onKey = listener;
    },
  };
}
