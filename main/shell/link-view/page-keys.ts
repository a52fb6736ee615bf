import type { PageKey } from '../../../shared/link';

export type KeyEvent = Readonly<
  { key: string; text?: string; unmodifiedText?: string } & ReturnType<typeof codesOf>
>;

/** The keys that are no letters, by their kind. Those without a text type nothing. */
const NAMED: Record<Exclude<PageKey['kind'], 'text'>, KeyEvent> = {
  space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ', unmodifiedText: ' ' },
  enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r', unmodifiedText: '\r' },
  backspace: { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 },
  left: { key: 'ArrowLeft', code: 'ArrowLeft', windowsVirtualKeyCode: 37 },
  right: { key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 },
};

/** A key as the DevTools protocol wants it (`Input.dispatchKeyEvent`), without its type. */
export function keyEvent(key: PageKey): KeyEvent {
  if (key.kind !== 'text') return NAMED[key.kind];
  return { key: key.text, text: key.text, unmodifiedText: key.text, ...codesOf(key.text) };
}

/**
 * Old scripts check these codes for letters and digits; other characters do not have the same key on every keyboard.
 */
function codesOf(text: string): { code?: string; windowsVirtualKeyCode?: number } {
  const upper = text.toUpperCase();
  if (/^[A-Z]$/.test(upper)) return { code: `Key${upper}`, windowsVirtualKeyCode: upper.charCodeAt(0) };
  if (/^\d$/.test(text)) return { code: `Digit${text}`, windowsVirtualKeyCode: text.charCodeAt(0) };
  return {};
}
