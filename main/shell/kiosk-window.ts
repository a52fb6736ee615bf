import { app, type BrowserWindow, screen, type WebContents } from 'electron';
import { STAGE_CHANNEL } from '../../shared/channels';
import type { GuestCommand } from '../../shared/guests';
import type { LinkCommand, LinkEvent } from '../../shared/link';
import type { Log } from '../../shared/log';
import { createRpcClient } from '../../shared/rpc';
import { type StageCommand, type StageEvent, stageContract } from '../../shared/stage';
import { cover, isCovering } from './cover-display';
import { logPageErrors } from './page-errors';
import { openPagePort } from './page-port';

export interface KioskWindow {
  readonly window: BrowserWindow;
  /** Sends a command to the stage; it is checked against the contract first. */
  command(command: StageCommand): void;
  readonly contents: WebContents;
  guest(command: GuestCommand): void;
  link(command: LinkCommand): void;
  /** The page as it is on the screen, as PNG bytes. */
  screenshot(): Promise<Uint8Array>;
  close(): void;
}

/** Talks with the page of the window that shoppers see, and in kiosk mode holds that window to the display. */
export function openKioskWindow(options: {
  /** Made in this very turn, so that nothing it tells is missed. */
  readonly window: BrowserWindow;
  readonly kiosk: boolean;
  readonly log: Log;
  onEvent(event: StageEvent): void;
  onLost(reason: string): void;
  onGuest(contents: WebContents): void;
  onLink(event: LinkEvent): void;
  /** An input event that the browser itself delivered to the page (rule 18). */
  onInput(type: string): void;
  /** It was hidden, minimised, or shown again (rule 14). */
  onVisible(visible: boolean): void;
}): KioskWindow {
  const { log, window } = options;
  // The page itself would not know: without throttling it counts as visible wherever it is. Told before
  // `keepCovering` undoes it: what was away for a moment only was not seen without a break either.
  const tellVisible = () => options.onVisible(window.isVisible() && !window.isMinimized());
  window.on('hide', () => options.onVisible(false));
  window.on('minimize', () => options.onVisible(false));
  window.on('show', tellVisible);
  window.on('restore', tellVisible);
  const { webContents } = window;
  let isClosing = false;
  if (options.kiosk) keepCovering(window);
  else window.on('close', () => app.quit());

  const port = openPagePort(STAGE_CHANNEL, (contents) => contents === webContents, log, webContents);
  const { connect, tell } = createRpcClient(stageContract, {
    received: { stage: options.onEvent, link: options.onLink },
    onInvalid: (problem) =>
      log.error('a page sent what the contract does not know', { channel: STAGE_CHANNEL, problem }),
  });
  connect(port);
  logPageErrors(webContents, 'kiosk', log);
  webContents.on('render-process-gone', (_event, details) => options.onLost(details.reason));
  webContents.on('did-attach-webview', (_event, contents) => options.onGuest(contents));
  webContents.on('preload-error', (_event, path, fault) => log.error('a preload failed', { path, fault }));
  window.on('closed', () => {
    port.close();
    // Not by us: something outside has destroyed it.
    if (!isClosing) options.onLost('closed');
  });
  webContents.on('input-event', (_event, { type }) => options.onInput(type));

  return {
    window,
    contents: webContents,
    command: (command) => tell('stage', command),
    guest: (command) => tell('guest', command),
    link: (command) => tell('link', command),
    screenshot: async () => new Uint8Array((await webContents.capturePage()).toPNG()),
    close() {
      isClosing = true;
      if (!window.isDestroyed()) window.destroy();
    },
  };
}

/** A display that changes tells so several times; and whoever else moves the window is not fought without a pause; ms. */
const SETTLED_MS = 300;

/**
 * Holds a window that covers the whole display to it, whatever a shopper's keys, a window manager,
 * another program or the display itself do: it is not closed, minimised, moved,
 * resized or left, and goes along when the display's size changes or another takes
 * its place (rules 21 and 25). On X11 Chromium does not notice a window that another
 * program unmaps, covers or destroys; nothing is done about that.
 */
function keepCovering(window: BrowserWindow): void {
  let timer: NodeJS.Timeout | undefined;
  let coveredAt = Number.NEGATIVE_INFINITY;
  const coverDisplay = () => {
    coveredAt = performance.now();
    if (!window.isDestroyed()) cover(window, screen.getPrimaryDisplay().bounds);
  };
  const coverSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(coverDisplay, SETTLED_MS);
  };
  const uncovered = () => {
    if (isCovering(window.getBounds(), screen.getPrimaryDisplay().bounds)) return;
    if (performance.now() - coveredAt > SETTLED_MS) coverDisplay();
    else coverSoon();
  };
  const changes = ['display-added', 'display-removed', 'display-metrics-changed'] as const;
  for (const change of changes) screen.on(change as 'display-added', coverSoon);
  window.on('close', (event) => event.preventDefault());
  window.on('minimize', () => window.restore());
  window.on('hide', () => window.show());
  window.on('move', uncovered);
  window.on('resize', uncovered);
  window.on('leave-full-screen', () => {
    // Once it has left: what it is asked for before that is lost, and a Wayland compositor gives it no other size.
    setImmediate(() => {
      if (window.isDestroyed()) return;
      window.setKiosk(true);
      window.setFullScreen(true);
    });
    coverSoon();
  });
  window.on('closed', () => {
    clearTimeout(timer);
    for (const change of changes) screen.off(change as 'display-added', coverSoon);
  });
}
