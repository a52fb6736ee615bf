import type { WebContents, WebFrameMain } from 'electron';
import { KeyboardField } from '../../shared/link';
import { beforeDeadline, startDeadline } from '../service/deadline';
import type { Schedule } from '../service/schedule';

/** A page that does not answer by then has no field for us, ms: it hangs, or is gone. */
const ANSWER_MS = 1_000;

/** Of a guest Electron does not know which frame has the focus: so many are asked. */
const MOST_FRAMES = 20;

/**
 * Runs in a foreign page: what its focused field is typed with. It may lie in shadow trees; a frame in the page is
 * asked itself.
 */
const LOOK = `(() => {
  let field = document.activeElement;
  while (field?.shadowRoot?.activeElement) field = field.shadowRoot.activeElement;
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
})()`;

/** Runs in a foreign page: brings the focused field into the part that the keyboard leaves. */
const SCROLL = `void document.activeElement?.scrollIntoViewIfNeeded?.()`;

/**
 * The field of a foreign page that has the focus, in whichever frame; null: none. The page's own scripts can
 * change the answer, and gain nothing by it: it is one of three words, and the keys that follow go to that page.
 */
export async function focusedField(contents: WebContents, schedule: Schedule): Promise<KeyboardField | null> {
  const answers = (await ask(contents, LOOK, schedule)).map((answer) =>
    KeyboardField.nullable().safeParse(answer ?? null),
  );
  return answers.find(({ success, data }) => success && data !== null)?.data ?? null;
}

/** Never rejects. */
export async function showFocusedField(contents: WebContents, schedule: Schedule): Promise<void> {
  await ask(contents, SCROLL, schedule);
}

/** Of the frame that has the focus. */
async function ask(contents: WebContents, script: string, schedule: Schedule): Promise<readonly unknown[]> {
  // A frame that hangs, or is gone, answers nothing.
  const askFrame = (frame: WebFrameMain, what: string) =>
    beforeDeadline(startDeadline(ANSWER_MS, schedule), async () => frame.executeJavaScript(what)).catch(
      () => null,
    );
  try {
    const { focusedFrame, mainFrame } = contents;
    if (focusedFrame !== null) return [await askFrame(focusedFrame, script)];
    // Of a guest, so is each frame whether it has it.
    const inFocus = `document.hasFocus() ? ${script} : null`;
    const frames = mainFrame.framesInSubtree.slice(0, MOST_FRAMES);
    return await Promise.all(frames.map((frame) => askFrame(frame, inFocus)));
  } catch {
    // The page was destroyed: even its frames cannot be asked for.
    return [];
  }
}
