import { MessageChannelMain, session, type WebContents } from 'electron';
import { RECORDS_ORIGIN, RECORDS_PORT } from '../../shared/channels';
import type { Log } from '../../shared/log';
import type { RpcPort } from '../../shared/rpc';
import { isTrustedSender } from './page-port';

/** Gives a message port to the page of the records window when that asks for one, and the other end to `connect`. */
export type OpenRecordsPort = (contents: WebContents, log: Log, connect: (port: RpcPort) => void) => void;

export const openRecordsPort: OpenRecordsPort = (contents, log, connect) => {
  contents.ipc.on(RECORDS_PORT, (event) => {
    if (!isTrustedSender(event, RECORDS_ORIGIN)) {
      const from = event.senderFrame?.url ?? null;
      log.warn('the records port was requested by an untrusted page', { from });
      return;
    }
    const { port1, port2 } = new MessageChannelMain();
    contents.postMessage(RECORDS_PORT, null, [port1]);
    connect({
      send: (message) => port2.postMessage(message),
      onMessage(listener) {
        port2.on('message', ({ data }) => listener(data));
        port2.start();
      },
    });
  });
};

export const deleteRecordsDatabase = (): Promise<void> =>
  session.defaultSession.clearStorageData({ origin: RECORDS_ORIGIN, storages: ['indexdb'] });
