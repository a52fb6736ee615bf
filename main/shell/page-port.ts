import { type IpcMainEvent, ipcMain, type WebContents } from 'electron';
import { KIOSK_ORIGIN } from '../../shared/channels';
import type { Log } from '../../shared/log';
import type { RpcPort } from '../../shared/rpc';

/**
 * Opens a port to the kiosk window's page on a channel. Messages from any other window, frame or origin are dropped
 * (rule 21). Messages go to the page that sent last, and are dropped before any has sent. It stays valid when the window is
 * replaced. Open it before the window loads its page, or the page's first messages are lost.
 *
 * @param isPage whether these are the kiosk window's own contents, not those of a guest
 */
export function openPagePort(channel: string, isPage: (contents: WebContents) => boolean, log: Log): RpcPort {
  let page: WebContents | null = null;
  let hear = (_message: unknown): void => {};
  ipcMain.on(channel, (event, message: unknown) => {
    if (!isPage(event.sender) || !isTrustedSender(event, KIOSK_ORIGIN)) {
      const from = event.senderFrame?.url ?? null;
      log.warn('a message from an untrusted page was dropped', { channel, from });
      return;
    }
    page = event.sender;
    hear(message);
  });
  return {
    send(message) {
      if (page && !page.isDestroyed()) page.send(channel, message);
    },
    onMessage(listener) {
      hear = listener;
    },
  };
}

/**
 * Whether a message came from the top frame of its window, showing exactly this origin (rule 21). False for a guest, a
 * frame inside the window, or the window on another page.
 */
export function isTrustedSender({ senderFrame: frame, sender }: IpcMainEvent, origin: string): boolean {
  return frame !== null && frame === sender.mainFrame && frame.origin === origin;
}
