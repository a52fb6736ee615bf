import { type IpcMainEvent, ipcMain, type WebContents } from 'electron';
import { KIOSK_ORIGIN } from '../../shared/channels';
import type { Log } from '../../shared/log';
import type { RpcPort } from '../../shared/rpc';
import { isTrustedSender } from './trusted-sender';

/**
 * Messages with the kiosk window's page on a channel: what comes from any other window, frame or origin is
 * dropped (rule 21). They go to the page that sent last, or to `first` before any did.
 *
 * @param isPage whether these are the kiosk window's own contents, and no guest's
 */
export function openPagePort(
  channel: string,
  isPage: (contents: WebContents) => boolean,
  log: Log,
  first: WebContents | null = null,
): RpcPort & { close(): void } {
  let page = first;
  let hear = (_message: unknown): void => {};
  const listen = (event: IpcMainEvent, message: unknown) => {
    if (!isPage(event.sender) || !isTrustedSender(event, event.sender, KIOSK_ORIGIN)) {
      const from = event.senderFrame?.url ?? null;
      log.warn('a message came from elsewhere and was dropped', { channel, from });
      return;
    }
    page = event.sender;
    hear(message);
  };
  ipcMain.on(channel, listen);
  return {
    send(message) {
      if (page && !page.isDestroyed()) page.send(channel, message);
    },
    onMessage(listener) {
      hear = listener;
    },
    close: () => ipcMain.off(channel, listen),
  };
}
