import type { Input } from 'electron';

/** A key as `before-input-event` reports it. */
type Key = Pick<Input, 'key' | 'control' | 'alt' | 'meta'>;

/** Keys without a character that move inside a page or a form, or do nothing alone. */
const NAMED: ReadonlySet<string> = new Set([
  ...['Tab', 'Enter', 'Escape', 'Backspace', 'Delete', 'Home', 'End', 'PageUp', 'PageDown'],
  ...['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
  ...['Shift', 'Control', 'Alt', 'AltGraph', 'CapsLock', 'NumLock', 'Dead', 'Compose', 'Process'],
]);
/** Select all, copy, paste, cut, undo, redo: people who fill in a form expect them. */
const EDITING: ReadonlySet<string> = new Set(['a', 'c', 'v', 'x', 'y', 'z']);

/**
 * Whether a key may reach a page of the kiosk (rule 21). This is an allowlist, so that no browser shortcut gets
 * through, not even a future one.
 */
export function isAllowedKey({ key, control, alt, meta }: Key): boolean {
  if (meta) return false;
  const isCharacter = [...key].length === 1;
  // Some keyboards report AltGr, the third level of a key, as Ctrl+Alt.
  if (control && alt) return isCharacter && !/^[a-z0-9 ]$/i.test(key);
  if (alt) return key === 'Alt' || key === 'Shift';
  if (control) return EDITING.has(key.toLowerCase()) || key === 'Control' || key === 'Shift';
  return isCharacter || NAMED.has(key);
}
