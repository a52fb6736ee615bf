import { app, type BrowserWindow, type WebContents } from 'electron';
import { STAGE_CHANNEL } from '../../shared/channels';
import type { LinkEvent } from '../../shared/link';
import type { Log } from '../../shared/log';
import { createRpcClient } from '../../shared/rpc';
import { type StageEvent, stageContract } from '../../shared/stage';
import { coverWhenMoved } from './cover-display';
import type { KioskDisplay } from './kiosk-display';
import { logPageErrors, openPagePort } from './page-port';

export type KioskWindow = ReturnType<typeof openKioskWindow>;

/** What the kiosk window reports. */
export interface KioskListener {
  onEvent(event: StageEvent): void;
  onLost(reason: string): void;
  onGuest(contents: WebContents): void;
  onLink(event: LinkEvent): void;
  /** An input event that the browser itself delivered to the page (rule 18). */
  onInput(type: string): void;
  /** It was hidden, minimised, or shown again (rule 14). */
  onVisible(visible: boolean): void;
}

/** Connects to the page of the window that shoppers see, and in kiosk mode keeps that window over the display. */
export function openKioskWindow(
  options: KioskListener & {
    /** Must have been created in the same turn, so that none of its events is missed. */
    readonly window: BrowserWindow;
    readonly kiosk: boolean;
    readonly display: KioskDisplay;
    readonly log: Log;
  },
) {
  const { log, window } = options;
  // Without background throttling the page always counts as visible, so the window's state is used. Registered before
  // `coverWhenMoved` shows it again: even a moment hidden breaks a continuous second of visibility.
  const tellVisible = () => options.onVisible(window.isVisible() && !window.isMinimized());
  window.on('hide', () => options.onVisible(false));
  window.on('minimize', () => options.onVisible(false));
  window.on('show', tellVisible);
  window.on('restore', tellVisible);
  const { webContents } = window;
  let isClosing = false;
  if (options.kiosk) coverWhenMoved(window, options.display);
  else window.on('close', () => app.quit());

  const port = openPagePort(STAGE_CHANNEL, (contents) => contents === webContents, log, webContents);
  const { connect, tell } = createRpcClient(stageContract, {
    received: { stage: options.onEvent, link: options.onLink },
    onInvalid: (problem) =>
      log.error('a page sent a message that breaks the contract', { channel: STAGE_CHANNEL, problem }),
  });
  connect(port);
  logPageErrors(webContents, 'kiosk', log);
  webContents.on('render-process-gone', (_event, details) => options.onLost(details.reason));
  webContents.on('did-attach-webview', (_event, contents) => options.onGuest(contents));
  window.on('closed', () => {
    port.close();
    // Another program has destroyed it.
    if (!isClosing) options.onLost('closed');
  });
  webContents.on('input-event', (_event, { type }) => options.onInput(type));

  return {
    window,
    /** Sends a command to the page; it is checked against the contract first. */
    tell,
    close() {
      isClosing = true;
      if (!window.isDestroyed()) window.destroy();
    },
  };
}
