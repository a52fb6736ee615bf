import { type View, type WebContents, WebContentsView } from 'electron';
import type { LinkCommand, LinkEvent, LinkFrame } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { LinkOpener } from '../beacons/clicks';
import type { Fence } from '../service/fence/fence';
import { LINK_BUDGET } from '../service/fence/request-budget';
import type { Schedule } from '../service/schedule';
import { watchMemory } from './guest-memory';
import { holdDocuments } from './held-documents';
import { type LockDown, UNTRUSTED_PAGE } from './lock-down';
import { type Excess, LINK_BOUNDS } from './memory-bounds';
import { forbidChoosers } from './no-choosers';
import { endTheLoud } from './noise';
import { createPartitionPool, type Visit } from './partition-pool';
import { MOST_QR_BYTES, qrRows } from './qr-code';

/** While one is cleared of its shopper, the next shopper has the other. */
const PARTITIONS = 2;
/** Windows of one visit, each over the one that opened it; the lowest goes when there are more. */
const MOST_WINDOWS = 4;
/** Windows that one visit may ever open: a page that opens them without end is no shop. */
const MOST_OPENED = 40;
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
  /** Ends a visit whose page may have harmed the kiosk (rule 11). Answers whether there was a page. */
  endSuspect(): boolean;
  /** Ends it without a word, for shutdown. */
  close(): void;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type FrameContent = DistributiveOmit<LinkFrame, 'secondsLeft' | 'seconds' | 'language'>;

/**
 * The shopper's throw-away browser for what an ad links to (rule 18): a partition
 * in memory behind the fence (rule 22), a way back, and an end by itself. Nothing
 * of a visit outlives it. A window that a page opens lies over that page until it
 * closes itself: so a sign-in in a window of its own can tell the page that opened it,
 * and requests keep who caused them (SameSite).
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
  /** That of the ad whose link is followed (rule 19). */
  readonly userAgent: string;
  readonly schedule: Schedule;
  readonly language: string;
  readonly log: Log;
  readonly onOpened: () => void;
  /** `wayBack`: the shopper took it; else nobody touched anything for a minute. */
  readonly onClosed: (wayBack: boolean) => void;
}): LinkView {
  const { send, schedule, log } = parts;
  const pool = createPartitionPool({
    name: 'link',
    size: PARTITIONS,
    userAgent: parts.userAgent,
    leaves: 'nothing',
    prepare: holdDocuments,
    schedule,
    log,
  });
  let visit: Promise<Visit> | null = null;
  /** The visit that was entered last, which may have been left. */
  let entered: Visit | null = null;
  /** All contents of the visit. */
  let opened: WebContents[] = [];
  /** The windows, lowest first. */
  let windows: WebContentsView[] = [];
  let content: FrameContent | null = null;
  let secondsLeft = IDLE_SECONDS;
  let cancelTick = (): void => {};
  let bounds = { x: 0, y: 0, width: 0, height: 0 };

  /** The visit under way, or a new one. */
  function enter(): Promise<Visit> {
    visit ??= pool.enter(async (password) => {
      const { startFenceProxy } = await import('../service/fence/fence-proxy');
      return startFenceProxy({
        fence: parts.fence,
        purpose: 'link',
        password,
        budget: LINK_BUDGET,
        onFlood() {
          log.warn('a page of the link view flooded the network; it was ended');
          for (const contents of opened) if (!contents.isDestroyed()) contents.forcefullyCrashRenderer();
        },
        schedule,
        log,
      });
    });
    return visit;
  }

  function* watched() {
    if (content === null || entered === null || opened.length === 0) return;
    yield {
      processes: entered.processes,
      end(excess: Excess) {
        log.warn('a page of the link view took too much memory; the visit was ended', { ...excess });
        leave(false);
      },
    };
  }
  const lookAtMemory = watchMemory(watched, LINK_BOUNDS, schedule);

  /** @param given contents that Chromium made for a window that a page opens */
  function newContents(into: Visit, given?: WebContents): WebContentsView {
    const { partition, hold } = into;
    const made = new WebContentsView({
      ...(given && { webContents: given }),
      webPreferences: { partition, ...UNTRUSTED_PAGE },
    });
    const { webContents } = made;
    hold(webContents);
    opened.push(webContents);
    entered = into;
    lookAtMemory();
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

  /** Ends every window, and what is followed unseen. */
  function closeAll(): void {
    for (const window of windows) parts.host().removeChildView(window);
    windows = [];
    for (const contents of opened) if (!contents.isDestroyed()) contents.close();
    opened = [];
  }

  function leave(wayBack: boolean): void {
    if (content === null) return;
    cancelTick();
    content = null;
    closeAll();
    send({ frame: null });
    const ended = visit;
    visit = null;
    ended?.then(
      ({ leave: end }) => end(),
      () => {}, // It never began, and whoever waited for it has heard of that.
    );
    parts.onClosed(wayBack);
  }

  function touched(type: string): void {
    if (!type.startsWith('mouse') || type === 'mouseDown' || type === 'mouseWheel')
      secondsLeft = IDLE_SECONDS;
  }

  async function openPage(url: string): Promise<void> {
    show({ kind: 'page', url, state: 'loading' });
    const entering = enter();
    const here = await entering;
    if (visit !== entering || content?.kind !== 'page' || content.url !== url) return; // Left meanwhile.
    closeAll();
    openWindow(here, newContents(here), url);
    windows[0]?.webContents.loadURL(url).catch(() => {}); // `did-fail-load` tells.
  }

  /** Puts a window over those that are there, once it has something to show. */
  function openWindow(here: Visit, made: WebContentsView, url: string): void {
    windows.push(made);
    const { webContents } = made;
    const isCurrent = () => windows.at(-1) === made && content?.kind === 'page';
    webContents.on('input-event', (_event, { type }) => touched(type));
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
      for (const window of windows) parts.host().removeChildView(window);
      show({ kind: 'page', url: webContents.getURL() || url, state: 'failed' });
    };
    webContents.on('did-fail-load', (_event, code, _description, _at, isMainFrame) => {
      if (isMainFrame && code !== ABORTED) failed();
    });
    webContents.on('render-process-gone', failed);
    webContents.setWindowOpenHandler(({ url: wanted }) => {
      // An empty one is for the page that opens it to fill.
      const isPage = /^(?:https?:\/\/|about:blank)/i.test(wanted);
      if (!isPage || opened.length >= MOST_OPENED) return { action: 'deny' };
      return {
        action: 'allow',
        overrideBrowserWindowOptions: { webPreferences: UNTRUSTED_PAGE },
        createWindow(options) {
          const child = newContents(here, (options as { webContents?: WebContents }).webContents);
          openWindow(here, child, wanted);
          return child.webContents;
        },
      };
    });
    webContents.once('destroyed', () => closed(made));
    if (windows.length > MOST_WINDOWS) windows[0]?.webContents.close();
  }

  /** A page may close itself: its opener is there again, and behind the last one is the way back. */
  function closed(window: WebContentsView): void {
    if (!windows.includes(window)) return;
    parts.host().removeChildView(window);
    windows = windows.filter((each) => each !== window);
    const below = windows.at(-1);
    if (!below) leave(true);
    else if (content?.kind === 'page') show({ kind: 'page', url: below.webContents.getURL(), state: 'open' });
  }

  /** Follows an address unseen, to where a phone should go: a page that stays, or another scheme. */
  async function finalAddress(url: string): Promise<string> {
    const entering = enter();
    const here = await entering;
    if (visit !== entering) return url; // Left meanwhile.
    const { webContents } = newContents(here);
    const address = () => (webContents.isDestroyed() ? url : webContents.getURL() || url);
    try {
      return await new Promise<string>((resolve) => {
        let cancelSettled = (): void => {};
        const deadline = schedule(REDIRECT_MS, () => resolve(address()));
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
          cancelSettled = schedule(SETTLED_MS, () => end(address()));
        });
        webContents.loadURL(url).catch(() => {}); // A page that fails still has an address.
      });
    } finally {
      if (!webContents.isDestroyed()) webContents.close();
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
      const entering = enter();
      finalAddress(url)
        .catch(() => url)
        .then(async (address) => {
          // A phone follows redirects by itself.
          const target = Buffer.byteLength(address) > MOST_QR_BYTES ? url : address;
          const rows = await qrRows(target);
          // Another shopper may be there by now.
          if (content === null || visit !== entering) return;
          if (rows !== null) show({ kind: 'code', rows, target, title });
          else {
            log.warn('an address is too long for a code', { length: target.length });
            leave(false);
          }
        })
        .catch((fault: unknown) => {
          log.error('no code could be made of an address', { fault });
          leave(false);
        });
    },
    showCode(text, title) {
      qrRows(text)
        .then((rows) => {
          if (rows !== null) show({ kind: 'code', rows, target: text, title });
          else log.warn('a text is too long for a code', { length: text.length });
        })
        .catch((fault: unknown) => log.error('no code could be made of a text', { fault }));
    },
    onEvent(event) {
      if (event.type === 'back') {
        leave(true);
        return;
      }
      const { x, y, width, height } = event;
      bounds = { x: Math.round(x), y: Math.round(y), width: Math.round(width), height: Math.round(height) };
      for (const window of windows) window.setBounds(bounds);
    },
    touched,
    endSuspect() {
      if (content === null || opened.length === 0) return false;
      log.warn('a page of the link view may have harmed the kiosk; the visit was ended');
      leave(false);
      return true;
    },
    close: () => leave(false),
  };
}

/** Chromium's code for a load that another one replaced. */
const ABORTED = -3;
