import { BrowserWindow, type IpcMainEvent, ipcMain, screen, type WebContents } from 'electron';
import { GUEST_COMMAND, KIOSK_ORIGIN, STAGE_COMMAND, STAGE_EVENT } from '../../shared/channels';
import { GuestCommand } from '../../shared/guests';
import type { Log } from '../../shared/log';
import { StageCommand, StageEvent } from '../../shared/stage';
import { isTrustedSender } from './trusted-sender';

export interface KioskWindow {
  readonly window: BrowserWindow;
  /** Sends a command to the stage; it is checked against the contract first. */
  command(command: StageCommand): void;
  readonly contents: WebContents;
  guest(command: GuestCommand): void;
  /** The page as it is on the screen, as PNG bytes. */
  screenshot(): Promise<Uint8Array>;
  close(): void;
}

/**
 * The window that shoppers see. In kiosk mode it covers the display whether or
 * not a window manager obeys `kiosk: true` (a bare X server has none).
 */
export function openKioskWindow(options: {
  readonly preload: string;
  readonly kiosk: boolean;
  readonly devTools: boolean;
  readonly log: Log;
  onEvent(event: StageEvent): void;
  onLost(reason: string): void;
  onGuest(contents: WebContents): void;
}): KioskWindow {
  const { log } = options;
  const display = screen.getPrimaryDisplay();
  const window = new BrowserWindow({
    ...(options.kiosk ? display.bounds : { width: 1280, height: 720, center: true }),
    kiosk: options.kiosk,
    frame: !options.kiosk,
    autoHideMenuBar: true,
    backgroundColor: '#000000',
    title: 'Endcap',
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      // For JavaScript beacons; which guests may attach is decided in main.
      webviewTag: true,
      devTools: options.devTools,
      spellcheck: false,
      backgroundThrottling: false,
      autoplayPolicy: 'no-user-gesture-required',
    },
  });
  window.removeMenu();
  if (options.kiosk) window.setBounds(display.bounds);

  const { webContents } = window;
  const listen = (event: IpcMainEvent, message: unknown) => {
    if (!isTrustedSender(event, webContents, KIOSK_ORIGIN)) {
      log.warn('a message on the stage channel came from elsewhere and was dropped', {
        from: event.senderFrame?.url ?? null,
      });
      return;
    }
    const parsed = StageEvent.safeParse(message);
    if (parsed.success) options.onEvent(parsed.data);
    else log.error('the stage sent what the contract does not know', { problem: parsed.error.message });
  };
  ipcMain.on(STAGE_EVENT, listen);
  webContents.on('render-process-gone', (_event, details) => options.onLost(details.reason));
  webContents.on('did-attach-webview', (_event, contents) => options.onGuest(contents));
  webContents.on('preload-error', (_event, path, fault) => log.error('a preload failed', { path, fault }));
  window.on('closed', () => ipcMain.off(STAGE_EVENT, listen));
  void window.loadURL(`${KIOSK_ORIGIN}/`);

  return {
    window,
    command(command) {
      if (!webContents.isDestroyed()) webContents.send(STAGE_COMMAND, StageCommand.parse(command));
    },
    contents: webContents,
    guest(command) {
      if (!webContents.isDestroyed()) webContents.send(GUEST_COMMAND, GuestCommand.parse(command));
    },
    screenshot: async () => new Uint8Array((await webContents.capturePage()).toPNG()),
    close: () => window.destroy(),
  };
}
