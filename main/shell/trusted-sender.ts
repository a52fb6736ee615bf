import type { IpcMainEvent, WebContents } from 'electron';

/**
 * Whether a message came from the top frame of exactly this window, showing
 * exactly this origin (rule 21). A guest or a frame inside the window fails it,
 * and so does the window after it was led elsewhere.
 */
export function isTrustedSender(event: IpcMainEvent, contents: WebContents, origin: string): boolean {
  const frame = event.senderFrame;
  return (
    event.sender === contents &&
    frame !== null &&
    frame === contents.mainFrame &&
    originOf(frame.url) === origin
  );
}

/** `URL.origin` is "null" for schemes the platform does not know, so it is put together here. */
function originOf(address: string): string {
  const url = URL.parse(address);
  return url ? `${url.protocol}//${url.host}` : '';
}
