import { join } from 'node:path';
import { BrowserWindow, type WebPreferences } from 'electron';
import { KIOSK_ORIGIN, RECORDS_ORIGIN } from '../../shared/channels';
import { cover } from './cover-display';
import type { KioskDisplay } from './kiosk-display';

/** The windows of a kiosk just after they were made, without listeners. */
export interface NewWindows {
  readonly kiosk: BrowserWindow;
  readonly records: BrowserWindow;
}

/** Options that are the same each time a window is made. */
export interface WindowMaking {
  /** Folder of the built preloads. */
  readonly preloads: string;
  /** Whether the kiosk window covers the display, without a frame. */
  readonly kiosk: boolean;
  readonly display: KioskDisplay;
  readonly devTools: boolean;
}

/** Preferences that both windows share (rule 21). */
const OWN_PAGE = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  spellcheck: false,
  backgroundThrottling: false,
} as const satisfies WebPreferences;

/**
 * The window that shoppers see. In kiosk mode it covers the display whether or
 * not a window manager obeys `kiosk: true` (a bare X server has none).
 */
export function newKioskWindow({ preloads, kiosk, display, devTools }: WindowMaking): BrowserWindow {
  const { bounds } = display();
  const window = new BrowserWindow({
    ...(kiosk ? bounds : { width: 1280, height: 720, center: true }),
    kiosk,
    frame: !kiosk,
    autoHideMenuBar: true,
    backgroundColor: '#000000',
    title: 'Endcap',
    webPreferences: {
      ...OWN_PAGE,
      preload: join(preloads, 'kiosk.js'),
      // For guests; which ones may attach is decided in main.
      webviewTag: true,
      devTools,
      autoplayPolicy: 'no-user-gesture-required',
    },
  });
  window.removeMenu();
  if (kiosk) cover(window, bounds);
  loadPage(window, KIOSK_ORIGIN);
  return window;
}

/** The hidden window of the books. */
export function newRecordsWindow({ preloads }: Pick<WindowMaking, 'preloads'>): BrowserWindow {
  const window = new BrowserWindow({
    show: false,
    width: 1,
    height: 1,
    skipTaskbar: true,
    paintWhenInitiallyHidden: false,
    title: 'Endcap records',
    webPreferences: { ...OWN_PAGE, preload: join(preloads, 'records.js'), devTools: false },
  });
  // Another program may try to close it.
  window.on('close', (event) => event.preventDefault());
  loadPage(window, RECORDS_ORIGIN);
  return window;
}

function loadPage(window: BrowserWindow, origin: string): void {
  // The liveness monitor notices a page that does not load.
  window.loadURL(`${origin}/`).catch(() => {});
}
