import type { WebContents } from 'electron';
import { z } from 'zod';
import type { KeyboardField, PageKey } from '../../shared/keyboard';
import type { Log } from '../../shared/log';
import type { Schedule } from '../service/schedule';
import { focusedField, showFocusedField } from './focused-field';
import { keyEvent } from './page-keys';

/** A tap moves the focus a moment later, and scripts may take a while to show a field: so often, and so far apart, ms. */
const LOOKS_AFTER_TAP = 8;
const LOOK_AGAIN_MS = 150;
/** Keys that a page has not taken yet; of one that hangs, more are dropped. */
const MOST_KEYS_UNDER_WAY = 20;

/** The ends of a tap or a click, as main sees them: no script can make one. */
const TAP_ENDS: ReadonlySet<string> = new Set(['mouseUp', 'gestureTap', 'touchEnd']);

const Attached = z.object({ sessionId: z.string() });

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
  #cancelLook = (): void => {};

  constructor(parts: LinkKeyboardParts) {
    this.#parts = parts;
  }

  /** Call it once `forbidChoosers` has attached the DevTools protocol. */
  watch(contents: WebContents): void {
    keepFocus(contents);
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
    const event = keyEvent(key);
    // `sendInputEvent` reaches no frame of another site, and `insertText` kills its process.
    const send = (type: string) =>
      contents.debugger.sendCommand('Input.dispatchKeyEvent', { type, ...event }).catch(() => {});
    this.#keysUnderWay += 1;
    void Promise.all([send(event.text === undefined ? 'rawKeyDown' : 'keyDown'), send('keyUp')]).then(() => {
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
  tools.on('message', (_event, method, params) => {
    const attached = Attached.safeParse(params);
    if (method === 'Target.attachedToTarget' && attached.success) keep(attached.data.sessionId);
  });
  keep();
}
