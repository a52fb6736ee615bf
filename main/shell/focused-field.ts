import type { Debugger } from 'electron';
import { z } from 'zod';
import { KeyboardField } from '../../shared/link';
import type { Schedule } from '../schedule';
import { askFrame, framesOf, type PageFrame, watchFrames } from './frame-world';

/** A page may have any number of frames; at most this many are asked. */
const MOST_FRAMES = 20;

/** Runs in an isolated world of a frame. Returns whether the frame has the focus, and the keyboard for its field. */
const LOOK = `(() => {
  let field = document.activeElement;
  while (field?.shadowRoot?.activeElement) field = field.shadowRoot.activeElement;
  const isInner = ['iframe', 'frame', 'object', 'embed'].includes(field?.localName);
  const typed = () => {
    if (!field || field.disabled || field.readOnly) return null;
    const isInput = field.localName === 'input';
    const isText = isInput
      ? ['text', 'search', 'password', 'email', 'url', 'tel', 'number'].includes(field.type)
      : field.localName === 'textarea' || field.isContentEditable;
    const mode = field.inputMode;
    if (!isText || mode === 'none') return null;
    if (['numeric', 'decimal', 'tel'].includes(mode)) return 'number';
    if (mode === 'email') return 'email';
    if (mode !== '' || !isInput) return 'text';
    return { number: 'number', tel: 'number', email: 'email' }[field.type] ?? 'text';
  };
  return { hasFocus: document.hasFocus(), isInner, field: typed() };
})()`;

const NOT_HERE = new Error('the focus is not in this frame');

const Look = z.object({
  /** Also true for the frames around the one that has it. */
  hasFocus: z.boolean(),
  /** A frame inside this one has the focus. */
  isInner: z.boolean(),
  /** The keyboard for its focused field; null: no text field has the focus. */
  field: KeyboardField.nullable(),
});
/** The frame of a page that has the focus. */
type FocusedFrame = PageFrame & z.infer<typeof Look>;

/** Scrolls the focused field into the area that the keyboard leaves free. */
const SCROLL = `void document.activeElement?.scrollIntoViewIfNeeded?.()`;

/**
 * Finds the frame of a foreign page that has the focus, which Electron does not report for a guest. It asks each
 * frame in an isolated world, so that no script can claim the focus and get what is typed into another frame. Create
 * it after `forbidChoosers` has attached the DevTools protocol.
 */
export class PageFocus {
  /** Sessions of frames of other sites. */
  readonly #sessions = new Set<string>();

  constructor(
    private readonly tools: Debugger,
    private readonly schedule: Schedule,
  ) {
    watchFrames(
      tools,
      (session) => void this.#sessions.add(session),
      (session) => void this.#sessions.delete(session),
    );
  }

  /** Null: no frame has the focus, the page is gone, or it does not answer in time. Never rejects. */
  async find(): Promise<FocusedFrame | null> {
    const [page, ...inner] = await this.#framesOf(undefined);
    const found = page === undefined ? null : await this.#look(page);
    if (found?.hasFocus === false) return null;
    // Mostly the focus is in a field of the page itself.
    if (found !== null && found.field !== null) return found;
    // Ask the inner frames: one of another site may answer while the page hangs; a closed shadow tree hides frames.
    const itself = found?.isInner === false ? found : null;
    return (await this.#findIn(inner)) ?? itself;
  }

  /** Resolves to the first frame that reports the focus, without waiting for frames that hang. */
  async #findIn(inner: readonly PageFrame[]): Promise<FocusedFrame | null> {
    let asked = 0;
    const focused = async (frame: PageFrame) => {
      asked += 1;
      const look = asked > MOST_FRAMES ? null : await this.#look(frame);
      if (!look?.hasFocus || look.isInner) throw NOT_HERE;
      return look;
    };
    const ofSessions = [...this.#sessions].slice(0, MOST_FRAMES).map(async (session) => {
      const frames = await this.#framesOf(session);
      return Promise.any(frames.map(focused));
    });
    return Promise.any([...inner.map(focused), ...ofSessions]).catch(() => null);
  }

  /** Scrolls the focused field of this frame into view. Never rejects. */
  async show(frame: PageFrame): Promise<void> {
    await askFrame(this.tools, frame, SCROLL, this.schedule);
  }

  #framesOf(session: string | undefined): Promise<readonly PageFrame[]> {
    return framesOf(this.tools, session, this.schedule);
  }

  async #look(frame: PageFrame) {
    const answer = await askFrame(this.tools, frame, LOOK, this.schedule);
    const { success, data } = Look.safeParse(answer);
    return success ? { ...frame, ...data } : null;
  }
}
