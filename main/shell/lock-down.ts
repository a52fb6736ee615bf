import { app, type Session, type WebContents, type WebPreferences } from 'electron';
import type { Log } from '../../shared/log';
import { attemptedAddress } from '../status/shown-text';
import { isAllowedKey } from './allowed-keys';

/** Preferences of every page that comes from an ad: a guest or the link view (rule 21). Without the partition. */
export const UNTRUSTED_PAGE = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webviewTag: false,
  devTools: false,
  disableDialogs: true,
  spellcheck: false,
  navigateOnDragDrop: false,
  // These features open pickers and windows of the system without a permission request. Without `WebAuth` pages are told
  // that there are no passkeys.
  disableBlinkFeatures:
    'FileSystemAccess,FileSystemAccessLocal,DocumentPictureInPictureAPI,EyeDropperAPI,WebAuth',
} as const satisfies WebPreferences;

/**
 * Denies every permission, on request and on check (rule 21), and every download. Keeps Chromium from downloading a
 * dictionary, which it does for every new session, even when no window checks spelling. Call it when the session is
 * created; a moment later is too late for that.
 */
export function lockDownSession(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => event.preventDefault());
  session.setSpellCheckerLanguages([]);
  session.setSpellCheckerEnabled(false);
}

/** Log lines for the attempts of one page: a loop must not push everything else out of the log. */
const MAX_LINES = 10;

/** A guest that the kiosk page is to attach. */
interface AdmittedGuest {
  /** Whether these are the contents that may attach it. */
  readonly owns: (contents: WebContents) => boolean;
  readonly url: string;
  readonly visit: { readonly partition: string; readonly session: Session };
  /** More preferences than those of every page that comes from an ad. */
  readonly preferences?: WebPreferences;
  /** Called before the guest is loaded. */
  readonly onAttached: (contents: WebContents) => void;
}

export type LockDown = ReturnType<typeof lockDownContents>;

/**
 * Blocks for every web contents what the kiosk does not need: navigation, new windows,
 * guests that are not admitted, dialogs that could stop a kiosk. Call it once,
 * before the first window.
 */
export function lockDownContents(log: Log) {
  const admitted = new Set<AdmittedGuest>();
  const browsing = new WeakSet<WebContents>();
  const framing = new WeakSet<WebContents>();
  app.on('web-contents-created', (_event, contents) => {
    let lines = 0;
    const tell = (what: string, url: string | null) => {
      lines += 1;
      if (lines > MAX_LINES) return;
      log.warn(`a page tried to ${what}; it was blocked`, { url: url && attemptedAddress(url) });
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
      const { src, partition } = params;
      const guest = [...admitted].find(
        ({ url, visit, owns }) => url === src && visit.partition === partition && owns(contents),
      );
      if (guest === undefined) return refuse('attach a guest')(event);
      // Removes all preferences that the surrounding page asked for.
      for (const name of Object.keys(preferences)) delete (preferences as Record<string, unknown>)[name];
      Object.assign(preferences, { ...UNTRUSTED_PAGE, ...guest.preferences, partition });
      // Electron would load it before its size is known; `loadSized` loads it.
      delete params.src;
    });
    contents.on('did-attach-webview', (_event, attached) => {
      const guest = [...admitted].find(({ visit }) => visit.session === attached.session);
      // It was closed after it was admitted.
      if (guest === undefined) return attached.close();
      admitted.delete(guest);
      guest.onAttached(attached);
      void loadSized(guest.url, attached);
    });
    contents.on('before-input-event', (event, input) => {
      if (!isAllowedKey(input)) event.preventDefault();
    });
    // No zoom by Ctrl and the wheel, nor by two fingers.
    contents.on('zoom-changed', () => contents.setZoomFactor(1));
    contents.on('dom-ready', () => {
      contents.setZoomFactor(1);
      contents.setVisualZoomLevelLimits(1, 1).catch(() => {}); // The contents are gone.
    });
    for (const dialog of DIALOGS)
      contents.on(dialog as 'will-prevent-unload', (event) => event.preventDefault());
    contents.setWindowOpenHandler(({ url }) => {
      tell('open a window', url);
      return { action: 'deny' };
    });
  });
  return {
    /** Lets a guest be attached, once. Returns a function that takes this back. */
    admitGuest(guest: AdmittedGuest) {
      admitted.add(guest);
      return () => void admitted.delete(guest);
    },
    /** Lets these contents (the link view) navigate on the web. */
    letBrowse: (contents: WebContents) => void browsing.add(contents),
    /** Lets frames inside these contents (a guest) navigate on the web, but not the page itself. */
    letFramesBrowse: (contents: WebContents) => void framing.add(contents),
  };
}

/** Loads a guest once the kiosk page, which may be busy, has given it its size: until then its scripts measure 0 px. */
async function loadSized(url: string, contents: WebContents): Promise<void> {
  await contents.hostWebContents?.executeJavaScript('document.body.offsetWidth').catch(() => {});
  if (!contents.isDestroyed()) contents.loadURL(url).catch(() => {}); // `did-fail-load` reports it.
}

/**
 * Events before a dialog, which nobody could answer: to stay on a page, for a device or a certificate. Not `login`: by
 * default Electron cancels it without a dialog, but if it is prevented, the request waits for ever.
 */
const DIALOGS = ['will-prevent-unload', 'select-bluetooth-device', 'select-client-certificate'];

interface Leaving {
  preventDefault(): void;
  readonly url?: string;
  readonly isMainFrame?: boolean;
}

const isWebAddress = (url: string) => /^https?:\/\//i.test(url);

/** Whether it is an address of the web, or a document that the page around the frame made. */
const isFrameAddress = (url: string) => isWebAddress(url) || /^(?:about|data|blob):/i.test(url);
