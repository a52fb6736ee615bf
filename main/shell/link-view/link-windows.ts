import { type Rectangle, type WebContents, WebContentsView, type WindowOpenHandlerResponse } from 'electron';
import { evaluateIn } from '../guests/guest-paint';
import type { Visit } from '../guests/partition-pool';
import { answers } from '../liveness';
import { UNTRUSTED_PAGE } from '../lock-down';
import { PageFrames } from '../page-frames';
import type { LinkFrameSender, LinkViewParts } from './link-frame-sender';
import type { LinkKeyboard } from './link-keyboard';

/** Most windows of a visit at a time, each over its opener; if there are more, the lowest over the first is closed. */
const MAX_WINDOWS = 4;
/** Windows that one visit may ever open; no shop needs more. */
const MAX_OPENED = 40;
/** A page on a turned picture that has been touched and is silent for longer hangs, ms. */
const MAX_SILENT_MS = 7_000;

interface LinkWindowsParts extends LinkViewParts {
  readonly frame: LinkFrameSender;
  readonly keyboard: LinkKeyboard;
  /** Called when the last window closed itself. */
  readonly onLastClosed: () => void;
}

/** A window of a visit: a page, and the place where it is drawn. */
interface LinkWindow {
  readonly contents: WebContents;
  /** Shows it above the other windows. */
  show(): void;
  hide(): void;
  setBounds(bounds: Rectangle): void;
  /** Its page could not be loaded, or its process died. */
  hasFailed?: boolean;
  /** It is drawn, at most covered by windows above it. */
  isDrawn?: boolean;
  /** A document of it was ready. */
  wasReady?: boolean;
  /** Address of its document; null before the first, and of one that another page writes (about:blank). */
  address?: string | null;
}

/** The windows of a visit: a page, and the windows it opened, which lie over it until they close themselves. */
export class LinkWindows {
  /** The visit under way. */
  #here: Visit | null = null;
  /** All contents of the visit. */
  #opened: WebContents[] = [];
  /** Held here, because Electron destroys the contents of a view that nothing refers to. */
  #hidden: WebContentsView[] = [];
  /** The windows, lowest first. */
  #windows: LinkWindow[] = [];
  #bounds = { x: 0, y: 0, width: 0, height: 0 };
  /** Guests of the kiosk page so far. */
  #guests = 0;
  /** The kiosk page may not attach the last of them any more. */
  #takeGuestBack = (): void => {};

  constructor(private readonly parts: LinkWindowsParts) {}

  setBounds({ x, y, width, height }: Rectangle): void {
    this.#bounds = {
      x: Math.round(x),
      y: Math.round(y),
      width: Math.round(width),
      height: Math.round(height),
    };
    for (const window of this.#windows) window.setBounds(this.#bounds);
  }

  /** Closes all windows, then opens a page. */
  open(here: Visit, url: string): void {
    this.closeAll();
    this.#here = here;
    if (this.parts.settings.playback.rotation !== 0) {
      this.#openTurned(here, url);
      return;
    }
    const made = this.#newContents(here);
    this.#openWindow(here, this.#overWindow(made), url);
    made.webContents.loadURL(url).catch(() => {}); // `did-fail-load` reports it.
  }

  /**
   * Opens a page as a guest in the kiosk page, for a turned picture: it is drawn and tapped as turned. Its contents
   * exist once the kiosk page has attached them. Windows that the page opens are not turned.
   */
  #openTurned(here: Visit, url: string): void {
    const { frame, lockDown, stage, schedule } = this.parts;
    this.#guests += 1;
    const guest = { id: this.#guests, url, partition: here.partition };
    const show = (isShown: boolean) => frame.showGuest({ ...guest, isShown });
    this.#takeGuestBack = lockDown.admitGuest({
      owns: stage.owns,
      url,
      visit: here,
      onAttached: (contents) => {
        this.#enter(here, contents);
        // Chromium holds back touches on the kiosk page, those on the way back too, until a touched guest answers.
        contents.on('input-event', async (_event, { type }) => {
          if (type === 'touchStart' && !(await answers(contents, MAX_SILENT_MS, schedule))) here.kill();
        });
        // The kiosk page places it.
        const window = { contents, show: () => show(true), hide: () => show(false), setBounds() {} };
        this.#openWindow(here, window, url);
      },
    });
    show(false);
  }

  /** Contents without a window. */
  hidden(here: Visit): WebContents {
    this.#here = here;
    const view = this.#newContents(here);
    this.#hidden.push(view);
    return view.webContents;
  }

  /**
   * Closes all windows and hidden contents. Their processes are killed first: a page that goes on opening windows would
   * leave some behind and, on a turned picture, crash Electron 42 when its guest is destroyed.
   */
  closeAll(): void {
    this.#here?.kill();
    this.#here = null;
    for (const window of this.#windows) window.hide();
    this.#windows = [];
    this.#takeGuestBack();
    this.parts.frame.showGuest(undefined);
    const opened = this.#opened;
    this.#opened = [];
    this.#hidden = [];
    closeLater(opened);
  }

  /** @param given contents that Chromium made for a window that a page opens */
  #newContents(into: Visit, given?: WebContents): WebContentsView {
    const made = new WebContentsView({
      ...(given && { webContents: given }),
      webPreferences: { partition: into.partition, ...UNTRUSTED_PAGE },
    });
    this.#enter(into, made.webContents);
    return made;
  }

  /** A view of its own over the kiosk window: Electron can place and size it, but not turn it. */
  #overWindow(made: WebContentsView): LinkWindow {
    const { stage } = this.parts;
    let isShown = false;
    const setBounds = (bounds: Rectangle) => {
      // One pixel is in the window while it waits. A page outside would be laid out without a size: its scripts would
      // measure 0 px, and a field with the focus would scroll it away.
      const { width, height } = bounds;
      made.setBounds(isShown ? bounds : { width, height, x: 1 - width, y: 1 - height });
    };
    const add = () => {
      setBounds(this.#bounds);
      stage.view()?.addChildView(made);
    };
    add();
    return {
      contents: made.webContents,
      show() {
        isShown = true;
        add();
      },
      hide: () => stage.view()?.removeChildView(made),
      setBounds,
    };
  }

  /** Makes contents part of a visit, before their first page. */
  #enter(into: Visit, contents: WebContents): void {
    const { frame, keyboard, lockDown, onTouched, schedule, log } = this.parts;
    into.add(contents);
    this.#opened.push(contents);
    lockDown.letBrowse(contents);
    const frames = new PageFrames(contents, true, schedule, log);
    keyboard.watch(contents, frames);
    const touched = (type: string) => {
      frame.touched(type);
      onTouched(type);
      keyboard.touched(contents, type);
    };
    contents.on('input-event', (_event, { type }) => touched(type));
    frames.watchPresses(contents, () => touched('gestureTap'));
  }

  /** Shows a window above the others once its document is ready. */
  #openWindow(here: Visit, made: LinkWindow, url: string): void {
    this.#windows.push(made);
    const { contents: webContents } = made;
    const { frame, keyboard } = this.parts;
    const isCurrent = () => this.#windows.at(-1) === made && frame.content?.kind === 'page';
    /** Of the document in it. */
    let state = { status: 0, isReady: false };
    webContents.on('did-navigate', (_event, at, status) => {
      state = { status, isReady: false };
      made.hasFailed = false;
      made.address = /^about:/i.test(at) ? null : at;
      this.#nameWhatIsDrawn();
    });
    const ready = () => {
      state.isReady = true;
      made.wasReady = true;
      // The empty document of a window comes after a failure that Chromium knows at once.
      if (!isCurrent() || made.hasFailed) return;
      this.#draw(made);
      keyboard.onTop(webContents);
    };
    const failed = () => {
      made.hasFailed = true;
      if (!isCurrent()) {
        if (this.#windows.includes(made)) hide(made);
        return;
      }
      for (const window of this.#windows) hide(window);
      frame.show({ kind: 'page', url: webContents.getURL() || url, state: 'failed' });
    };
    /** `isEmpty` is a script that runs in the page. Its result is ignored if another document was loaded meanwhile. */
    const failIf = async (isEmpty: string) => {
      const judged = state;
      const found = await finds(isEmpty, webContents);
      if (judged !== state) return;
      if (found) failed();
      else ready();
    };
    webContents.on('dom-ready', () => {
      // Not only in `ready`: while its words are looked for, the page may stop loading.
      state.isReady = true;
      // Without words of the server, or of our proxy that did not reach it, only a white page would be seen.
      if (state.status >= 400) void failIf(IS_BLANK);
      else ready();
    });
    webContents.on('did-fail-load', (_event, code, _description, _at, isMainFrame) => {
      if (isMainFrame && code !== ABORTED) failed();
    });
    webContents.on('did-stop-loading', () => {
      // The page that opens about:blank fills it.
      if (/^about:/i.test(url)) return;
      if (webContents.getURL() !== '') {
        // Its script went to an app or a file, which is blocked, while it was read; `dom-ready` does not come any more.
        if (!state.isReady && !made.hasFailed) void failIf(IS_UNWRITTEN);
        return;
      }
      // A link to a file to download, or an answer without a document.
      if (this.#windows[0] === made) return failed();
      // As in a browser: only the window goes, and the page that opened it stays.
      closeLater([webContents]);
    });
    webContents.on('render-process-gone', failed);
    webContents.setWindowOpenHandler(({ url: wanted }) => this.#answerOpening(here, wanted));
    webContents.once('destroyed', () => this.#closed(made));
    if (this.#windows.length > MAX_WINDOWS) this.#closeLowest();
  }

  /**
   * It leaves the list now, so that a page that opens several windows at once cannot have more than the most. The first
   * stays: on a turned picture it is a guest, and Electron 42 crashes if one is destroyed while it opens windows.
   */
  #closeLowest(): void {
    const [lowest] = this.#windows.splice(1, 1);
    if (lowest === undefined) return;
    hide(lowest);
    this.#nameWhatIsDrawn();
    closeLater([lowest.contents]);
  }

  #draw(window: LinkWindow): void {
    window.isDrawn = true;
    window.show();
    this.#nameWhatIsDrawn();
  }

  /** The bar must not name a window that is not drawn yet: its opener, which a shopper sees, would pass for it. */
  #nameWhatIsDrawn(): void {
    const { frame } = this.parts;
    const [first] = this.#windows;
    // Nothing but white is under the first one until it is drawn.
    const top =
      this.#windows.findLast(({ isDrawn }) => isDrawn) ?? (this.#windows.length === 1 ? first : null);
    if (!top || frame.content?.kind !== 'page') return;
    frame.show({ kind: 'page', url: top.address ?? originOf(top.contents), state: 'open' });
  }

  /** A page may close itself: then its opener is shown again. After the last one the visit ends. */
  #closed(window: LinkWindow): void {
    if (!this.#windows.includes(window)) return;
    hide(window);
    const wasOnTop = this.#windows.at(-1) === window;
    this.#windows = this.#windows.filter((each) => each !== window);
    // A window that was never ready is not drawn: another page may have written into it.
    const below =
      this.#windows.findLast(({ wasReady, hasFailed }) => wasReady || hasFailed) ?? this.#windows[0];
    const { frame, onLastClosed } = this.parts;
    if (!below) onLastClosed();
    else if (wasOnTop && frame.content?.kind === 'page') {
      // Where the closed one could not be shown, all are hidden.
      if (below.hasFailed) frame.show({ kind: 'page', url: below.contents.getURL(), state: 'failed' });
      else this.#draw(below);
    }
  }

  #answerOpening(here: Visit, wanted: string): WindowOpenHandlerResponse {
    // `about:blank`: the page that opens it fills it.
    const isPage = /^(?:https?:\/\/|about:blank)/i.test(wanted);
    if (!isPage || here !== this.#here || this.#opened.length >= MAX_OPENED) return { action: 'deny' };
    return {
      action: 'allow',
      overrideBrowserWindowOptions: { webPreferences: UNTRUSTED_PAGE },
      createWindow: (options) => {
        const child = this.#newContents(here, (options as { webContents?: WebContents }).webContents);
        this.#openWindow(here, this.#overWindow(child), wanted);
        return child.webContents;
      },
    };
  }
}

/** Of the page that writes a document without an address. */
function originOf(contents: WebContents): string {
  try {
    return contents.mainFrame.origin;
  } catch {
    // Its process has just died.
    return '';
  }
}

function hide(window: LinkWindow): void {
  window.isDrawn = false;
  window.hide();
}

/** Deferred, because this may run in an event of one of them, and a guest must not be destroyed during its own event. */
function closeLater(all: readonly WebContents[]): void {
  setImmediate(() => {
    for (const contents of all) if (!contents.isDestroyed()) contents.close();
  });
}

/** Nothing but `html`, `head` and `body`, and no words. */
const IS_BLANK = `document.querySelectorAll('*').length <= 3 && document.documentElement.textContent.trim() === ''`;

/** Its body has neither words nor elements, except those that draw nothing. */
const IS_UNWRITTEN = `document.body === null || [...document.body.childNodes].every((node) =>
  node instanceof Text ? node.data.trim() === '' : /^(?:script|noscript|style|template|#comment)$/i.test(node.nodeName))`;

const finds = (code: string, contents: WebContents): Promise<boolean> =>
  evaluateIn(contents, `!!(${code})`).then(
    (found) => found === true,
    () => false,
  );

/** Chromium's code for a load that another one replaced. */
const ABORTED = -3;
