import { app, type Session, type WebContents, type WebPreferences } from 'electron';
import type { Log } from '../../shared/log';
import { isAllowedKey } from './allowed-keys';

/** Preferences of every page that an ad brought: a guest, or the link view (rule 21). Its partition is added to them. */
export const UNTRUSTED_PAGE = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webviewTag: false,
  devTools: false,
  disableDialogs: true,
  spellcheck: false,
  navigateOnDragDrop: false,
  // Pickers and windows of the system, which no permission is asked for.
  disableBlinkFeatures: 'FileSystemAccess,FileSystemAccessLocal,DocumentPictureInPictureAPI,EyeDropperAPI',
} as const satisfies WebPreferences;

/** Denies every permission, on request and on check (rule 21), and every download. */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => event.preventDefault());
}

/**
 * Keeps Chromium from fetching a dictionary: it does so as soon as a session is
 * there, whether or not any window checks spelling. Call it when the session is
 * created; a moment later the download is on its way.
 */
export function forgoSpelling(session: Session): void {
  session.setSpellCheckerLanguages([]);
  session.setSpellCheckerEnabled(false);
}

/** What one page tries is told so often: a loop of it must not wash everything else out of the log. */
const MOST_LINES = 10;

/** Decides about a guest that a page wants to attach, and sets its preferences; see `GuestPartition.admit`. */
export type AdmitGuest = (
  owner: WebContents,
  preferences: WebPreferences,
  params: Record<string, string>,
) => boolean;

export interface LockDown {
  /** Until it is called, no guest is admitted. */
  admitGuests(policy: AdmitGuest): void;
  /** These contents may go from page to page of the web: the link view. */
  letBrowse(contents: WebContents): void;
  /** Frames inside these contents may go anywhere on the web, the page itself nowhere: a guest. */
  letFramesBrowse(contents: WebContents): void;
}

/**
 * Holds every web contents to what it was created for: no navigation, no new
 * windows, no guests but those that a policy admits, no dialogs that could stop a
 * kiosk. Call once, before the first window.
 */
export function lockDownContents(log: Log): LockDown {
  let admitGuest: AdmitGuest = () => false;
  const browsing = new WeakSet<WebContents>();
  const framing = new WeakSet<WebContents>();
  app.on('web-contents-created', (_event, contents) => {
    let lines = 0;
    const tell = (what: string, url: string | null) => {
      lines += 1;
      if (lines <= MOST_LINES) log.warn(`a page tried to ${what}; it was held`, { url });
    };
    const refuse = (what: string) => (event: Leaving) => {
      event.preventDefault();
      tell(what, event.url ?? null);
    };
    const hold = (what: string) => (event: Leaving) => {
      if (browsing.has(contents) && isWebAddress(event.url ?? '')) return;
      if (framing.has(contents) && event.isMainFrame === false && isFrameAddress(event.url ?? '')) return;
      refuse(what)(event);
    };
    contents.on('will-navigate', hold('navigate'));
    contents.on('will-frame-navigate', hold('navigate a frame'));
    contents.on('will-redirect', hold('redirect'));
    contents.on('will-attach-webview', (event, preferences, params) => {
      if (!admitGuest(contents, preferences, params)) refuse('attach a guest')(event);
    });
    contents.on('will-prevent-unload', (event) => event.preventDefault());
    contents.on('before-input-event', (event, input) => {
      if (!isAllowedKey(input)) event.preventDefault();
    });
    // Neither Ctrl and the wheel nor two fingers.
    contents.on('zoom-changed', () => contents.setZoomFactor(1));
    contents.on('dom-ready', () => {
      contents.setZoomFactor(1);
      contents.setVisualZoomLevelLimits(1, 1).catch(() => {}); // It is gone again.
    });
    // A certificate, a password or a device is never asked for: there is nobody to answer.
    contents.on('login', (event) => event.preventDefault());
    contents.on('select-bluetooth-device', (event) => event.preventDefault());
    contents.on('select-client-certificate', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      tell('open a window', url);
      return { action: 'deny' };
    });
  });
  return {
    admitGuests(policy) {
      admitGuest = policy;
    },
    letBrowse: (contents) => void browsing.add(contents),
    letFramesBrowse: (contents) => void framing.add(contents),
  };
}

interface Leaving {
  preventDefault(): void;
  readonly url?: string;
  readonly isMainFrame?: boolean;
}

/** Of the web, or made by the page around it. */
function isFrameAddress(url: string): boolean {
  return isWebAddress(url) || /^(?:about|data|blob):/i.test(url);
}

function isWebAddress(url: string): boolean {
  return /^https?:\/\//i.test(url);
}
