import type { WebContents } from 'electron';
import type { KeyboardField, PageKey } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';
import { PageFocus } from './focused-field';
import { watchFrames } from './frame-world';
import { keyEvent } from './page-keys';

/** A tap moves the focus a moment later, and scripts may take a while to show a field: so often, and so far apart, ms. */
const LOOKS_AFTER_TAP = 8;
const LOOK_AGAIN_MS = 150;
/** Keys that a page has not taken yet; of one that hangs, more are dropped. */
const MOST_KEYS_UNDER_WAY = 20;

/** A page that may be typed into. */
interface TypedPage {
  readonly contents: WebContents;
  readonly focus: PageFocus;
  keysUnderWay: number;
  /** Keys go one after another, since each time it is asked where the focus is. */
  lastKey: Promise<void>;
}

/** The ends of a tap or a click, as main sees them: no script can make one. */
const TAP_ENDS: ReadonlySet<string> = new Set(['mouseUp', 'gestureTap', 'touchEnd']);

export interface LinkKeyboardParts {
  readonly schedule: Schedule;
  readonly log: Log;
  /** What is typed into now; null: nothing. */
  readonly onField: (field: KeyboardField | null) => void;
}

/**
 * The on-screen keyboard of the link view. A tap of a shopper opens it, if a field of the page has the focus
 * then; it closes once that field has lost it. Between taps, while it is closed, no page is looked at.
 */
export class LinkKeyboard {
  readonly #parts: LinkKeyboardParts;
  readonly #pages = new WeakMap<WebContents, TypedPage>();
  /** The page that is looked at. */
  #page: TypedPage | null = null;
  #field: KeyboardField | null = null;
  #looksLeft = 0;
  #cancelLook = (): void => {};

  constructor(parts: LinkKeyboardParts) {
    this.#parts = parts;
  }

  /** Call it once `forbidChoosers` has attached the DevTools protocol. */
  watch(contents: WebContents): void {
    keepFocus(contents);
    const focus = new PageFocus(contents.debugger, this.#parts.schedule);
    const page = { contents, focus, keysUnderWay: 0, lastKey: Promise.resolve() };
    this.#pages.set(contents, page);
    const gone = () => {
      if (this.#page === page) this.hide();
    };
    contents.on('did-navigate', gone);
    contents.on('render-process-gone', gone);
    contents.once('destroyed', gone);
  }

  /** Until the next tap on a field. */
  hide(): void {
    this.#cancelLook();
    this.#page = null;
    this.#tell(null);
  }

  /** These contents lie on top now: no key goes to what lies below. */
  onTop(contents: WebContents): void {
    if (this.#page?.contents !== contents) this.hide();
  }

  /** Types a key into the field that has the focus in the page that it was opened for. */
  press(key: PageKey): void {
    const page = this.#page;
    if (page === null || this.#field === null || page.keysUnderWay >= MOST_KEYS_UNDER_WAY) return;
    page.keysUnderWay += 1;
    page.lastKey = page.lastKey.then(async () => {
      // Chromium would bring keys for a guest to its page alone, and not to a frame of another site in it.
      const frame = this.#page === page ? await page.focus.find() : null;
      // Hidden meanwhile: nothing is typed into what comes next.
      if (this.#page === page) await typeKey(page.contents, key, frame?.session);
      page.keysUnderWay -= 1;
    });
  }

  /** An input event on a page. */
  touched(contents: WebContents, type: string): void {
    const page = this.#pages.get(contents);
    if (page === undefined || !TAP_ENDS.has(type)) return;
    this.#page = page;
    this.#looksLeft = LOOKS_AFTER_TAP;
    this.#lookLater();
  }

  #lookLater(): void {
    this.#cancelLook();
    this.#cancelLook = this.#parts.schedule(LOOK_AGAIN_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const page = this.#page;
    if (page === null) return;
    const frame = await page.focus.find();
    if (this.#page !== page) return; // Hidden, or another page was tapped meanwhile.
    const field = frame?.field ?? null;
    const isNew = this.#field === null && field !== null;
    this.#tell(field);
    // Once the page has the size that the keyboard leaves it.
    if (isNew && frame !== null) this.#parts.schedule(LOOK_AGAIN_MS, () => void page.focus.show(frame));
    this.#looksLeft -= 1;
    if (field !== null || this.#looksLeft > 0) this.#lookLater();
  }

  #tell(field: KeyboardField | null): void {
    if (this.#field === field) return;
    this.#field = field;
    this.#parts.onField(field);
  }
}

/** Presses and releases a key in the focused frame of this session; undefined: of the page's own. Never rejects. */
async function typeKey(contents: WebContents, key: PageKey, session: string | undefined): Promise<void> {
  const event = keyEvent(key);
  // `sendInputEvent` reaches no frame of another site, and `insertText` kills its process.
  const send = async (type: string) =>
    contents.debugger.sendCommand('Input.dispatchKeyEvent', { type, ...event }, session).catch(() => {});
  const down = event.text === undefined ? 'rawKeyDown' : 'keyDown';
  await Promise.allSettled([send(down), send('keyUp')]);
}

/**
 * A page keeps its focus while somebody presses keys that lie outside it: otherwise each of them would take
 * the focus away and give it back, and fields close or select all at that.
 */
function keepFocus(contents: WebContents): void {
  const { debugger: tools } = contents;
  const keep = (session?: string) => {
    // It fails for a page or frame that is gone; then nobody types there.
    tools.sendCommand('Emulation.setFocusEmulationEnabled', { enabled: true }, session).catch(() => {});
  };
  watchFrames(tools, keep, () => {});
  keep();
}
