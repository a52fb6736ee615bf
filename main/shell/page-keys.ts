import type { PageKey } from '../../shared/link';

interface KeyEvent {
  readonly key: string;
  readonly code?: string;
  readonly windowsVirtualKeyCode?: number;
  /** What it types; absent: it types nothing. */
  readonly text?: string;
  readonly unmodifiedText?: string;
}

/** A key as the DevTools protocol wants it (`Input.dispatchKeyEvent`), without its type. */
export function keyEvent(key: PageKey): KeyEvent {
  switch (key.kind) {
    case 'text':
      return { key: key.text, text: key.text, unmodifiedText: key.text, ...codesOf(key.text) };
    case 'space':
      return { key: ' ', code: 'Space', windowsVirtualKeyCode: 32, text: ' ', unmodifiedText: ' ' };
    case 'enter':
      return { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r', unmodifiedText: '\r' };
    case 'backspace':
      return { key: 'Backspace', code: 'Backspace', windowsVirtualKeyCode: 8 };
    case 'left':
      return { key: 'ArrowLeft', code: 'ArrowLeft', windowsVirtualKeyCode: 37 };
    case 'right':
      return { key: 'ArrowRight', code: 'ArrowRight', windowsVirtualKeyCode: 39 };
  }
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
