import type { PageKey } from '../../shared/link';

interface KeyEvent {
  readonly key: string;
  readonly code?: string;
  readonly windowsVirtualKeyCode?: number;
  /** What it types; absent: it types nothing. */
  readonly text?: string;
  readonly unmodifiedText?: string;
}

/** The keys that are no letters, by their kind. */
const NAMED = {
  space: { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ', unmodifiedText: ' ' },
  enter: { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r', unmodifiedText: '\r' },
  backspace: { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 },
  left: { key: 'ArrowLeft', code: 'ArrowLeft', windowsVirtualKeyCode: 37 },
  right: { key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 },
} as const satisfies Record<Exclude<PageKey['kind'], 'text'>, KeyEvent>;

/** A key as the DevTools protocol wants it (`Input.dispatchKeyEvent`), without its type. */
export function keyEvent(key: PageKey): KeyEvent {
  if (key.kind !== 'text') return NAMED[key.kind];
  return { key: key.text, text: key.text, unmodifiedText: key.text, ...codesOf(key.text) };
}

/**
 * Old scripts check these codes for letters and digits; other characters do not have the same key on every keyboard.
 */
function codesOf(text: string): Pick<KeyEvent, 'code' | 'windowsVirtualKeyCode'> {
  const upper = text.toUpperCase();
  if (/^[A-Z]$/.test(upper)) return { code: `Key${upper}`, windowsVirtualKeyCode: upper.charCodeAt(0) };
  if (/^\d$/.test(text)) return { code: `Digit${text}`, windowsVirtualKeyCode: text.charCodeAt(0) };
  return {};
}
