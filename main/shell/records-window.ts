import { type BrowserWindow, MessageChannelMain } from 'electron';
import { RECORDS_ORIGIN, RECORDS_PORT } from '../../shared/channels';
import type { Log } from '../../shared/log';
import type { RpcPort } from '../../shared/rpc';
import { isTrustedSender, logPageErrors } from './page-port';
import { killByMain } from './page-processes';

export interface RecordsWindow {
  close(): void;
  /** Kills its process, even if it hangs; then `onLost` is called. */
  kill(): void;
}

/**
 * Connects to the hidden window that hosts Dexie: IndexedDB exists only in a renderer. The window is sandboxed, has
 * no network, and communicates with main over one message port only.
 */
export function openRecordsWindow(options: {
  /** Must have been created in the same turn, so that none of its events is missed. */
  readonly window: BrowserWindow;
  readonly log: Log;
  onPort(port: RpcPort): void;
  onLost(reason: string): void;
}): RecordsWindow {
  const { window } = options;
  const { webContents } = window;
  logPageErrors(webContents, 'records', options.log);
  webContents.on('render-process-gone', (_event, details) => options.onLost(details.reason));
  webContents.ipc.on(RECORDS_PORT, (event) => {
    if (!isTrustedSender(event, webContents, RECORDS_ORIGIN)) {
      options.log.warn('the records port was requested by an untrusted page', {
        from: event.senderFrame?.url ?? null,
      });
      return;
    }
    const { port1, port2 } = new MessageChannelMain();
    webContents.postMessage(RECORDS_PORT, null, [port1]);
    options.onPort({
      send: (message) => port2.postMessage(message),
      onMessage(listener) {
        port2.on('message', ({ data }) => listener(data));
        port2.start();
      },
    });
  });
  return {
    close() {
      if (!window.isDestroyed()) window.destroy();
    },
    kill: () => killByMain(webContents),
  };
}
