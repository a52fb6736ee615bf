import type { WebContents } from 'electron';
import type { KeyboardField, PageKey } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { Schedule } from '../schedule';
import { PageFocus } from './focused-field';
import { watchFrames } from './frame-world';
import { keyEvent } from './page-keys';

/**
 * A tap moves the focus a moment later, and scripts may take a while to show a field. So the focus is checked this
 * often after a tap, `LOOK_AGAIN_MS` apart.
 */
const LOOKS_AFTER_TAP = 8;
const LOOK_AGAIN_MS = 150;
/** Most keys that wait for a page; while it hangs, further keys are dropped. */
const MOST_KEYS_UNDER_WAY = 20;

/** A page that may be typed into. */
interface TypedPage {
  readonly contents: WebContents;
  readonly focus: PageFocus;
  keysUnderWay: number;
  /** Keys are sent one after another, because the focused frame is looked up before each. */
  lastKey: Promise<void>;
}

/** Input events that end a tap or click. Main gets them from the browser, so no script can make one. */
const TAP_ENDS: ReadonlySet<string> = new Set(['mouseUp', 'gestureTap', 'touchEnd']);

export interface LinkKeyboardParts {
  readonly schedule: Schedule;
  readonly log: Log;
  /** Called with the keyboard for the field that is typed into; null: there is none. */
  readonly onField: (field: KeyboardField | null) => void;
}

/**
 * The on-screen keyboard of the link view. A tap of a shopper opens it if a text field of the page then has the
 * focus; it closes when the field loses the focus. While it is closed, pages are asked for their focus only after a
 * tap.
 */
export class LinkKeyboard {
  readonly #pages = new WeakMap<WebContents, TypedPage>();
  /** The page whose focus is checked. */
  #page: TypedPage | null = null;
  #field: KeyboardField | null = null;
  #looksLeft = 0;
  #cancelLook = (): void => {};

  constructor(private readonly parts: LinkKeyboardParts) {}

  /** Call it once `forbidChoosers` has attached the DevTools protocol. */
  watch(contents: WebContents): void {
    keepFocus(contents);
    const focus = new PageFocus(contents.debugger, this.parts.schedule);
    const page = { contents, focus, keysUnderWay: 0, lastKey: Promise.resolve() };
    this.#pages.set(contents, page);
    const gone = () => {
      if (this.#page === page) this.hide();
    };
    contents.on('did-navigate', gone);
    contents.on('render-process-gone', gone);
    contents.once('destroyed', gone);
  }

  /** Hides the keyboard until the next tap on a field. */
  hide(): void {
    this.#cancelLook();
    this.#page = null;
    this.#tell(null);
  }

  /** Call it when these contents are on top: the contents below get no more keys. */
  onTop(contents: WebContents): void {
    if (this.#page?.contents !== contents) this.hide();
  }

  /** Types a key into the focused field of the page that the keyboard was opened for. */
  press(key: PageKey): void {
    const page = this.#page;
    if (page === null || this.#field === null || page.keysUnderWay >= MOST_KEYS_UNDER_WAY) return;
    page.keysUnderWay += 1;
    page.lastKey = page.lastKey.then(async () => {
      // Chromium would send a guest's keys to its page only, not to a frame of another site in it.
      const frame = this.#page === page ? await page.focus.find() : null;
      // If the keyboard was hidden meanwhile, the key must not reach the next page.
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
    this.#cancelLook = this.parts.schedule(LOOK_AGAIN_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const page = this.#page;
    if (page === null) return;
    const frame = await page.focus.find();
    if (this.#page !== page) return; // Hidden, or another page was tapped meanwhile.
    const field = frame?.field ?? null;
    const isNew = this.#field === null && field !== null;
    this.#tell(field);
    // Later, when the page has been resized to make room for the keyboard.
    if (isNew && frame !== null) this.parts.schedule(LOOK_AGAIN_MS, () => void page.focus.show(frame));
    this.#looksLeft -= 1;
    if (field !== null || this.#looksLeft > 0) this.#lookLater();
  }

  #tell(field: KeyboardField | null): void {
    if (this.#field === field) return;
    this.#field = field;
    this.parts.onField(field);
  }
}

/** Presses and releases a key in the focused frame of this session; undefined: of the page's own. Never rejects. */
async function typeKey(contents: WebContents, key: PageKey, session: string | undefined): Promise<void> {
  const event = keyEvent(key);
  // `sendInputEvent` does not reach frames of other sites, and `insertText` crashes their process.
  const send = async (type: string) =>
    contents.debugger.sendCommand('Input.dispatchKeyEvent', { type, ...event }, session).catch(() => {});
  const down = event.text === undefined ? 'rawKeyDown' : 'keyDown';
  await Promise.allSettled([send(down), send('keyUp')]);
}

/**
 * Lets a page keep the focus while keys outside it are pressed. Otherwise each key would take the focus away and give
 * it back, on which some fields close or select all their text.
 */
function keepFocus(contents: WebContents): void {
  const { debugger: tools } = contents;
  const keep = (session?: string) => {
    // It fails for a page or frame that is gone; then nobody types there.
    tools.sendCommand('Emulation.setFocusEmulationEnabled', { enabled: true }, session).catch(() => {});
  };
  watchFrames(tools, keep);
  keep();
}
