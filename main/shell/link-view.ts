import { type Session, session as sessions, type View, WebContentsView } from 'electron';
import type { LinkCommand, LinkEvent, LinkFrame } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { LinkOpener } from '../beacons/clicks';
import type { Fence } from '../service/fence/fence';
import type { Schedule } from '../service/schedule';
import { fenceSession, fenceWebRtc } from './fenced-session';
import { denyPermissions, type LockDown, UNTRUSTED_PAGE } from './lock-down';
import { forbidChoosers } from './no-choosers';
import { endTheLoud } from './noise';

const PARTITION = 'link-view';
/** Without a touch for so long, the way back is taken by itself (rule 18). */
const IDLE_SECONDS = 60;
/** How long redirects of a hidden page are followed, ms. */
const REDIRECT_MS = 8_000;
/** A page that stays this long has arrived, ms. */
const SETTLED_MS = 1_500;

export interface LinkView extends LinkOpener {
  onEvent(event: LinkEvent): void;
  /** An input event on what surrounds the page: somebody is there. */
  touched(type: string): void;
  /** Ends it without a word, for shutdown. */
  close(): void;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type FrameContent = DistributiveOmit<LinkFrame, 'secondsLeft' | 'seconds' | 'language'>;

/**
 * The shopper's throw-away browser for what an ad links to (rule 18): a partition
 * in memory behind the fence (rule 22), a way back, and an end by itself. Nothing
 * of a visit outlives it.
 *
 * The page is a view of its own over the window, which Electron can place and size
 * but not turn: `playback.rotation` turns only what surrounds it, and says so.
 */
export function createLinkView(parts: {
  /** The kiosk window's view, which the page is laid over. */
  readonly host: () => View;
  readonly send: (command: LinkCommand) => void;
  readonly lockDown: LockDown;
  readonly fence: Fence;
  readonly schedule: Schedule;
  readonly language: string;
  readonly log: Log;
  readonly onOpened: () => void;
  /** `wayBack`: the shopper took it; else nobody touched anything for a minute. */
  readonly onClosed: (wayBack: boolean) => void;
}): LinkView {
  const { send, schedule, log } = parts;
  let preparing: Promise<void> | null = null;
  let view: WebContentsView | null = null;
  let content: FrameContent | null = null;
  let secondsLeft = IDLE_SECONDS;
  let cancelTick = (): void => {};
  let bounds = { x: 0, y: 0, width: 0, height: 0 };

  async function prepareSession(): Promise<void> {
    const session = sessions.fromPartition(PARTITION);
    denyPermissions(session);
    holdDocuments(session);
    const { startFenceProxy } = await import('../service/fence/fence-proxy');
    const proxy = await startFenceProxy({ fence: parts.fence, purpose: 'link', schedule, log });
    await fenceSession(session, proxy.port);
  }

  function newContents(): WebContentsView {
    const made = new WebContentsView({
      webPreferences: {
        partition: PARTITION,
        ...UNTRUSTED_PAGE,
      },
    });
    const { webContents } = made;
    fenceWebRtc(webContents);
    webContents.setAudioMuted(true);
    forbidChoosers(webContents, log);
    endTheLoud(webContents, schedule, log);
    parts.lockDown.letBrowse(webContents);
    return made;
  }

  function show(next: FrameContent): void {
    const first = content === null;
    content = next;
    sendFrame();
    if (!first) return;
    secondsLeft = IDLE_SECONDS;
    parts.onOpened();
    tick();
  }

  function sendFrame(): void {
    if (content)
      send({ frame: { ...content, secondsLeft, seconds: IDLE_SECONDS, language: parts.language } });
  }

  function tick(): void {
    cancelTick = schedule(1_000, () => {
      secondsLeft -= 1;
      if (secondsLeft <= 0) {
        leave(false);
        return;
      }
      sendFrame();
      tick();
    });
  }

  function destroyView(): void {
    if (!view) return;
    parts.host().removeChildView(view);
    view.webContents.close();
    view = null;
  }

  function leave(wayBack: boolean): void {
    if (content === null) return;
    cancelTick();
    content = null;
    destroyView();
    send({ frame: null });
    const session = sessions.fromPartition(PARTITION);
    Promise.all([session.clearStorageData(), session.clearCache()]).catch((fault: unknown) =>
      log.warn('the link view left something behind', { fault }),
    );
    parts.onClosed(wayBack);
  }

  function touched(type: string): void {
    if (!type.startsWith('mouse') || type === 'mouseDown' || type === 'mouseWheel')
      secondsLeft = IDLE_SECONDS;
  }

  async function openPage(url: string): Promise<void> {
    show({ kind: 'page', url, state: 'loading' });
    preparing ??= prepareSession();
    await preparing;
    if (content?.kind !== 'page' || content.url !== url) return; // Left meanwhile.
    destroyView();
    const made = newContents();
    view = made;
    const { webContents } = made;
    webContents.on('input-event', (_event, { type }) => touched(type));
    const isCurrent = () => view === made && content?.kind === 'page';
    webContents.on('did-navigate', (_event, at) => {
      if (isCurrent()) show({ kind: 'page', url: at, state: 'open' });
    });
    webContents.on('dom-ready', () => {
      if (!isCurrent()) return;
      made.setBounds(bounds);
      parts.host().addChildView(made);
    });
    const failed = () => {
      if (!isCurrent()) return;
      parts.host().removeChildView(made);
      show({ kind: 'page', url, state: 'failed' });
    };
    webContents.on('did-fail-load', (_event, code, _description, _at, isMainFrame) => {
      if (isMainFrame && code !== ABORTED) failed();
    });
    webContents.on('render-process-gone', failed);
    // A page may close itself, and its view with it: that is a way back.
    webContents.once('destroyed', () => {
      if (view !== made) return;
      parts.host().removeChildView(made);
      view = null;
      leave(true);
    });
    webContents.loadURL(url).catch(() => {}); // `did-fail-load` tells.
  }

  /** Follows an address unseen, to where a phone should go: a page that stays, or another scheme. */
  async function finalAddress(url: string): Promise<string> {
    preparing ??= prepareSession();
    await preparing;
    const hidden = newContents();
    const { webContents } = hidden;
    try {
      return await new Promise<string>((resolve) => {
        let cancelSettled = (): void => {};
        const deadline = schedule(REDIRECT_MS, () => resolve(webContents.getURL() || url));
        const end = (address: string) => {
          deadline();
          cancelSettled();
          resolve(address);
        };
        const beyond = (event: { url: string }) => {
          if (!/^https?:/i.test(event.url)) end(event.url);
        };
        webContents.on('will-navigate', beyond);
        webContents.on('will-redirect', beyond);
        webContents.on('did-stop-loading', () => {
          cancelSettled();
          cancelSettled = schedule(SETTLED_MS, () => end(webContents.getURL() || url));
        });
        webContents.loadURL(url).catch(() => {}); // A page that fails still has an address.
      });
    } finally {
      webContents.close();
    }
  }

  return {
    open(url) {
      openPage(url).catch((fault: unknown) => {
        log.error('the link view could not be opened', { fault });
        leave(false);
      });
    },
    continueOnPhone(url, title) {
      show({ kind: 'page', url, state: 'loading' });
      finalAddress(url)
        .catch(() => url)
        .then(async (address) => {
          const rows = await codeOf(address);
          if (content !== null) show({ kind: 'code', rows, target: address, title });
        })
        .catch((fault: unknown) => {
          log.error('no code could be made of an address', { fault });
          leave(false);
        });
    },
    showCode(text, title) {
      codeOf(text)
        .then((rows) => show({ kind: 'code', rows, target: text, title }))
        .catch((fault: unknown) => log.error('no code could be made of a text', { fault }));
    },
    onEvent(event) {
      if (event.type === 'back') {
        leave(true);
        return;
      }
      const { x, y, width, height } = event;
      bounds = { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
      view?.setBounds(bounds);
    },
    touched,
    close: () => leave(false),
  };
}

/** A QR code of a text, `1` for dark, row by row. Rejects where the text is too long for one. */
async function codeOf(text: string): Promise<string[]> {
  // Seldom needed, and never by the first picture.
  const { create } = await import('qrcode');
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  return Array.from({ length: modules.size }, (_, y) =>
    Array.from({ length: modules.size }, (_, x) => (modules.get(y, x) ? '1' : '0')).join(''),
  );
}

/**
 * What a document of the web may do here: be a page. Printing and dialogs, which
 * are windows of the system, downloads, plug-ins and other programs are none of it.
 * What it opens is shown in its place, under the same sandbox.
 */
const SANDBOX = [
  'sandbox allow-scripts allow-same-origin allow-forms allow-popups',
  'allow-popups-to-escape-sandbox allow-top-navigation',
].join(' ');

/** A video in a window of its own would float above the kiosk, by script or by the video's own buttons. */
const NO_WINDOWS = 'picture-in-picture=()';

/** Puts every document of a session under `SANDBOX` and `NO_WINDOWS`, frames included, and lets no service worker make others. */
function holdDocuments(session: Session): void {
  session.webRequest.onBeforeSendHeaders(({ requestHeaders }, proceed) => {
    const isWorker = Object.keys(requestHeaders).some((name) => name.toLowerCase() === 'service-worker');
    proceed(isWorker ? { cancel: true } : { requestHeaders });
  });
  session.webRequest.onHeadersReceived(({ resourceType, responseHeaders = {} }, proceed) => {
    if (resourceType !== 'mainFrame' && resourceType !== 'subFrame') {
      proceed({ responseHeaders });
      return;
    }
    const own = (name: string) =>
      Object.entries(responseHeaders).flatMap(([header, values]) =>
        header.toLowerCase() === name ? values : [],
      );
    const others = Object.entries(responseHeaders).filter(
      ([header]) => !/^(?:content-security|permissions)-policy$/i.test(header),
    );
    proceed({
      responseHeaders: {
        ...Object.fromEntries(others),
        'Content-Security-Policy': [...own('content-security-policy'), SANDBOX],
        // What is said last of a feature counts.
        'Permissions-Policy': [...own('permissions-policy'), NO_WINDOWS],
      },
    });
  });
}

/** Chromium's code for a load that another one replaced. */
const ABORTED = -3;
