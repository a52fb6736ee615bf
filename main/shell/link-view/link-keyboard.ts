import type { WebContents } from 'electron';
import type { KeyboardField, PageKey } from '../../../shared/link';
import type { Schedule } from '../../schedule';
import type { PageFrame, PageFrames } from '../page-frames';
import { findFocus, showFocus } from './focused-field';
import { type KeyEvent, keyEvent } from './page-keys';

/**
 * A tap moves the focus a moment later, and scripts may take a while to show a field. So the focus is checked this
 * often after a tap, `LOOK_AGAIN_MS` apart.
 */
const LOOKS_AFTER_TAP = 8;
const LOOK_AGAIN_MS = 150;
/** After this many looks in a row without an answer the keyboard closes; until then the page is only busy. */
const MAX_UNANSWERED = 3;
/** Most keys that wait for a page; while it hangs, further keys are dropped. */
const MAX_KEYS_UNDER_WAY = 20;

/** A page that may be typed into. */
interface TypedPage {
  readonly contents: WebContents;
  readonly frames: PageFrames;
  keysUnderWay: number;
  /** Keys are sent one after another, because the focused frame is looked up before each. */
  lastKey: Promise<void>;
}

/** Input events that end a tap or click. Main gets them from the browser, so no script can make one. */
const TAP_ENDS: ReadonlySet<string> = new Set(['mouseUp', 'gestureTap', 'touchEnd']);

export interface LinkKeyboardParts {
  readonly schedule: Schedule;
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
  /** Where the focus was when the page last said so. */
  #focus: Awaited<ReturnType<typeof findFocus>> = null;
  #unanswered = 0;
  #looksLeft = 0;
  #cancelLook = (): void => {};

  constructor(private readonly parts: LinkKeyboardParts) {}

  /** From now on these contents can be typed into. */
  watch(contents: WebContents, frames: PageFrames): void {
    const page = { contents, frames, keysUnderWay: 0, lastKey: Promise.resolve() };
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
    this.#focus = null;
    this.#tell(null);
  }

  /** Call it when these contents are on top: the contents below get no more keys. */
  onTop(contents: WebContents): void {
    if (this.#page?.contents !== contents) this.hide();
  }

  /** Types a key into the focused field of the page that the keyboard was opened for. */
  press(key: PageKey): void {
    const page = this.#page;
    if (page === null || this.#field === null || page.keysUnderWay >= MAX_KEYS_UNDER_WAY) return;
    page.keysUnderWay += 1;
    page.lastKey = page.lastKey.then(async () => {
      // Chromium would send a guest's keys to its page only, not to a frame of another site in it.
      const frame = this.#page === page ? await findFocus(page.frames) : null;
      // If the keyboard was hidden meanwhile, the key must not reach the next page.
      if (this.#page === page) await typeKey(page, key, frame ?? this.#focus);
      page.keysUnderWay -= 1;
    });
  }

  touched(contents: WebContents, type: string): void {
    const page = this.#pages.get(contents);
    if (page === undefined || !TAP_ENDS.has(type)) return;
    if (this.#page !== page) this.#focus = null;
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
    const frame = await findFocus(page.frames);
    if (this.#page !== page) return; // Hidden, or another page was tapped meanwhile.
    this.#unanswered = frame === null ? this.#unanswered + 1 : 0;
    if (frame === null && this.#field !== null && this.#unanswered < MAX_UNANSWERED) return this.#lookLater();
    this.#focus = frame;
    const field = frame?.field ?? null;
    const isNew = this.#field === null && field !== null;
    this.#tell(field);
    // Later, when the page has been resized to make room for the keyboard.
    if (isNew && frame !== null) this.parts.schedule(LOOK_AGAIN_MS, () => void showFocus(page.frames, frame));
    this.#looksLeft -= 1;
    if (field !== null || this.#looksLeft > 0) this.#lookLater();
  }

  #tell(field: KeyboardField | null): void {
    if (this.#field === field) return;
    this.#field = field;
    this.parts.onField(field);
  }
}

/** Presses and releases a key in this frame; null: in the page. Never rejects. */
async function typeKey(page: TypedPage, key: PageKey, frame: PageFrame | null): Promise<void> {
  const { contents, frames } = page;
  const event = keyEvent(key);
  if (frame && frame.session === undefined && contents.getType() === 'webview')
    return typeInGuest(page, frame, event);
  // `sendInputEvent` does not reach frames of other sites, and `insertText` crashes their process.
  const send = async (type: string) =>
    frames.tools.sendCommand('Input.dispatchKeyEvent', { type, ...event }, frame?.session);
  const down = event.text === undefined ? 'rawKeyDown' : 'keyDown';
  await Promise.allSettled([send(down), send('keyUp')]);
}

/** The DevTools protocol would send the key to the kiosk page if the tap on the keyboard put the focus there. */
async function typeInGuest(
  { contents, frames }: TypedPage,
  frame: PageFrame,
  event: KeyEvent,
): Promise<void> {
  const { key, text } = event;
  // `sendInputEvent` drops other characters.
  if (!/^[ -~]+$/.test(key)) {
    await frames.ask(frame, `document.execCommand('insertText', false, ${JSON.stringify(key)})`);
    return;
  }
  const keyCode = key.replace('Arrow', '');
  // Without it the page would be told that the small letter is pressed.
  const modifiers: ['shift'] | [] = /^[A-Z]$/.test(key) ? ['shift'] : [];
  contents.sendInputEvent({ type: 'keyDown', keyCode, modifiers });
  if (text !== undefined) contents.sendInputEvent({ type: 'char', keyCode: text, modifiers });
  contents.sendInputEvent({ type: 'keyUp', keyCode, modifiers });
}
