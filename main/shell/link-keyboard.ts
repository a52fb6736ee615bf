import type { WebContents } from 'electron';
import type { KeyboardField, PageKey } from '../../shared/link';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';
import { focusedField, showFocusedField } from './focused-field';
import { isTrueIn, watchFrames } from './frame-world';
import { keyEvent } from './page-keys';

/** A tap moves the focus a moment later, and scripts may take a while to show a field: so often, and so far apart, ms. */
const LOOKS_AFTER_TAP = 8;
const LOOK_AGAIN_MS = 150;
/** Keys that a page has not taken yet; of one that hangs, more are dropped. */
const MOST_KEYS_UNDER_WAY = 20;

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
  /** The page that is looked at. */
  #contents: WebContents | null = null;
  #field: KeyboardField | null = null;
  #looksLeft = 0;
  #keysUnderWay = 0;
  /** Of each guest: the session of the frame of another site that has the focus, if one has. */
  readonly #focused = new WeakMap<WebContents, () => Promise<string | undefined>>();
  /** Keys for a guest go one after another, since it is asked for its frame each time. */
  #typed = Promise.resolve();
  #cancelLook = (): void => {};

  constructor(parts: LinkKeyboardParts) {
    this.#parts = parts;
  }

  /** Call it once `forbidChoosers` has attached the DevTools protocol. */
  watch(contents: WebContents): void {
    keepFocus(contents);
    // Chromium brings keys to the frame of a view that has the focus, but those for a guest to its page alone.
    if (contents.getType() === 'webview')
      this.#focused.set(contents, followFocus(contents, this.#parts.schedule));
    const gone = () => {
      if (this.#contents === contents) this.hide();
    };
    contents.on('did-navigate', gone);
    contents.on('render-process-gone', gone);
    contents.once('destroyed', gone);
  }

  /** Until the next tap on a field. */
  hide(): void {
    this.#cancelLook();
    this.#contents = null;
    this.#tell(null);
  }

  /** Types a key into the field that it was opened for. */
  press(key: PageKey): void {
    const contents = this.#contents;
    if (contents === null || this.#field === null || this.#keysUnderWay >= MOST_KEYS_UNDER_WAY) return;
    this.#keysUnderWay += 1;
    const focused = this.#focused.get(contents);
    if (focused !== undefined)
      this.#typed = this.#typed.then(async () => typeKey(contents, key, await focused()));
    const typed = focused === undefined ? typeKey(contents, key) : this.#typed;
    void typed.then(() => {
      this.#keysUnderWay -= 1;
    });
  }

  /** An input event on a page. */
  touched(contents: WebContents, type: string): void {
    if (!TAP_ENDS.has(type)) return;
    this.#contents = contents;
    this.#looksLeft = LOOKS_AFTER_TAP;
    this.#lookLater();
  }

  #lookLater(): void {
    this.#cancelLook();
    this.#cancelLook = this.#parts.schedule(LOOK_AGAIN_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    const contents = this.#contents;
    if (contents === null || contents.isDestroyed()) return;
    const field = await focusedField(contents, this.#parts.schedule);
    if (this.#contents !== contents) return; // Hidden, or another page was tapped meanwhile.
    const isNew = this.#field === null && field !== null;
    this.#tell(field);
    // Once the page has the size that the keyboard leaves it.
    const { schedule } = this.#parts;
    if (isNew) schedule(LOOK_AGAIN_MS, () => void showFocusedField(contents, schedule));
    this.#looksLeft -= 1;
    if (field !== null || this.#looksLeft > 0) this.#lookLater();
  }

  #tell(field: KeyboardField | null): void {
    if (this.#field === field) return;
    this.#field = field;
    this.#parts.onField(field);
  }
}

/** Presses and releases a key, in the frame with this session; without one Chromium finds it. Never rejects. */
async function typeKey(contents: WebContents, key: PageKey, session?: string): Promise<void> {
  const event = keyEvent(key);
  // `sendInputEvent` reaches no frame of another site, and `insertText` kills its process.
  const send = async (type: string) =>
    contents.debugger.sendCommand('Input.dispatchKeyEvent', { type, ...event }, session).catch(() => {});
  const down = event.text === undefined ? 'rawKeyDown' : 'keyDown';
  await Promise.allSettled([send(down), send('keyUp')]);
}

/** Answers which frame of another site has the focus, asked in a world that no script of the page reaches. */
function followFocus(contents: WebContents, schedule: Schedule): () => Promise<string | undefined> {
  const { debugger: tools } = contents;
  /** A frame comes after the one that it lies in. */
  const frames = new Set<string>();
  watchFrames(
    tools,
    (session) => void frames.add(session),
    (session) => void frames.delete(session),
  );
  return async () => {
    const asked = [...frames].map(async (session) => ({
      session,
      isFocused: await isTrueIn(tools, session, 'document.hasFocus()', schedule),
    }));
    // Those around it have it, too.
    return (await Promise.all(asked)).findLast(({ isFocused }) => isFocused)?.session;
  };
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
