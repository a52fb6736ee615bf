import { z } from 'zod';
import { KeyboardField } from '../../../shared/link';
import { plain } from '../../../shared/plain';
import type { PageFrame, PageFrames } from '../page-frames';

/** A page may have any number of frames; at most this many are asked. */
const MAX_FRAMES = 20;

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
  hasFocus: plain.yesOrNo,
  /** A frame inside this one has the focus. */
  isInner: plain.yesOrNo,
  /** The keyboard for its focused field; null: no text field has the focus. */
  field: KeyboardField.nullable(),
});
type FocusedFrame = PageFrame & z.infer<typeof Look>;

/**
 * Finds the frame of a foreign page that has the focus, which Electron does not report for a guest. It asks each
 * frame in an isolated world, so that no script can claim the focus and get what is typed into another frame.
 *
 * @returns null: no frame has the focus, the page is gone, or it does not answer in time. Never rejects.
 */
export async function findFocus(frames: PageFrames): Promise<FocusedFrame | null> {
  const [page, ...inner] = await frames.of(undefined);
  const found = page === undefined ? null : await look(frames, page);
  // Mostly the focus is in a field of the page itself.
  if (found?.hasFocus && found.field !== null) return found;
  // Ask the inner frames: one of another site may answer while the page hangs, and a closed shadow tree hides frames.
  // After a tap while such a frame loads, the page takes the focus for lost, though it is in the frame.
  const itself = found?.hasFocus && !found.isInner ? found : null;
  return (await findIn(frames, found?.hasFocus === false ? [] : inner)) ?? itself;
}

/** Resolves to the first frame that reports the focus, without waiting for frames that hang. */
async function findIn(frames: PageFrames, inner: readonly PageFrame[]): Promise<FocusedFrame | null> {
  let asked = 0;
  const focused = async (frame: PageFrame) => {
    asked += 1;
    const found = asked > MAX_FRAMES ? null : await look(frames, frame);
    if (!found?.hasFocus || found.isInner) throw NOT_HERE;
    return found;
  };
  const ofSessions = [...frames.sessions].slice(0, MAX_FRAMES).map(async (session) => {
    return Promise.any((await frames.of(session)).map(focused));
  });
  return Promise.any([...inner.map(focused), ...ofSessions]).catch(() => null);
}

async function look(frames: PageFrames, frame: PageFrame): Promise<FocusedFrame | null> {
  const { success, data } = Look.safeParse(await frames.ask(frame, LOOK));
  return success ? { ...frame, ...data } : null;
}

/** Scrolls the focused field of a frame into the area that the keyboard leaves free. Never rejects. */
export async function showFocus(frames: PageFrames, frame: PageFrame): Promise<void> {
  await frames.ask(frame, `void document.activeElement?.scrollIntoViewIfNeeded?.()`);
}
