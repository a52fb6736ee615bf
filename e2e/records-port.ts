import type { RecordsCommand, RecordsInput } from '../shared/records';
import { type Kiosk, pageAt } from './kiosk';

/** The reply of the records window; `error` of a rejected command shows whether it was a conflict. */
export interface RecordsReply {
  readonly ok: boolean;
  readonly error?: unknown;
}

/** Globals of main once the port is open. */
export type MainAsking = typeof globalThis & {
  askRecords?: (command: RecordsCommand, input: unknown) => Promise<RecordsReply>;
};

/** Opens a second port from main to the records window and sends commands over it as main's client does. */
export async function openRecordsPort(kiosk: Kiosk): Promise<void> {
  await pageAt(kiosk.app, 'endcap://records/');
  await kiosk.app.evaluate(({ BrowserWindow, MessageChannelMain }) => {
    const records = BrowserWindow.getAllWindows().find(
      (window) => window.webContents.getURL() === 'endcap://records/',
    );
    if (!records) throw new Error('the records window is gone');
    const { port1, port2 } = new MessageChannelMain();
    records.webContents.postMessage('endcap:records-port', null, [port1]);
    let call = 0;
    const waiting = new Map<number, (reply: RecordsReply) => void>();
    port2.on('message', ({ data }) => waiting.get(data.call)?.(data));
    port2.start();
    (globalThis as MainAsking).askRecords = (command, input) =>
      new Promise((resolve) => {
        call += 1;
        waiting.set(call, resolve);
        port2.postMessage({ call, command, input });
      });
  });
}

/** Sends one command over that port. */
export function askRecords<C extends RecordsCommand>(
  kiosk: Kiosk,
  command: C,
  input: RecordsInput<C>,
): Promise<RecordsReply | undefined> {
  return kiosk.app.evaluate(
    (_electron, asked) => (globalThis as MainAsking).askRecords?.(asked.command, asked.input),
    { command, input },
  );
}
