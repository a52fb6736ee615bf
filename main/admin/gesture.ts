import type { Settings } from '../settings/settings';

type Gesture = Settings['admin']['gesture'];

/** A press of a pointer, in px of the picture as the shopper sees it. */
export interface Tap {
  readonly x: number;
  readonly y: number;
  /** Size of the picture, px. */
  readonly width: number;
  readonly height: number;
  /** Monotonic, ms. */
  readonly at: number;
}

/** A corner is a square: this part of the picture's shorter side, at least a finger and less than a banner, px. */
const CORNER_PART = 0.12;
const MIN_CORNER = 72;
const MAX_CORNER = 240;

/**
 * Recognises the hidden gesture: `taps` presses on the corner within
 * `withinSeconds`. A press elsewhere starts over, so that a shopper who drums on
 * the picture does not open the overlay.
 *
 * @param state times of the latest taps on the corner, monotonic ms, oldest first
 */
export function stepGesture(
  state: readonly number[],
  tap: Tap,
  { corner, taps, withinSeconds }: Gesture,
): { readonly state: readonly number[]; readonly recognised: boolean } {
  if (!isInCorner(tap, corner)) return { state: [], recognised: false };
  const since = tap.at - withinSeconds * 1_000;
  const recent = [...state.filter((at) => at >= since && at <= tap.at), tap.at].slice(-taps);
  return recent.length === taps ? { state: [], recognised: true } : { state: recent, recognised: false };
}

/** Side of a corner's square on a picture of this size, px. */
export function cornerSize(width: number, height: number): number {
  return Math.min(MAX_CORNER, Math.max(MIN_CORNER, Math.min(width, height) * CORNER_PART));
}

function isInCorner({ x, y, width, height }: Tap, corner: Gesture['corner']): boolean {
  if (!(x >= 0 && y >= 0 && x <= width && y <= height)) return false;
  const size = cornerSize(width, height);
  const isAtRow = corner.startsWith('top') ? y <= size : y >= height - size;
  const isAtColumn = corner.endsWith('left') ? x <= size : x >= width - size;
  return isAtRow && isAtColumn;
}

/** A pressed key, as Electron's `before-input-event` reports it. */
export interface PressedKey {
  readonly key: string;
  /** The physical key (`KeyA`, `F12`): letters stay where they are with another layout or Shift. */
  readonly code: string;
  readonly control: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
  readonly isAutoRepeat: boolean;
}

/** Whether these are exactly the keys of `admin.shortcut` (`Ctrl+Shift+F12`); null: there is no shortcut. */
export function isShortcut(pressed: PressedKey, shortcut: string | null): boolean {
  if (shortcut === null || pressed.isAutoRepeat) return false;
  const parts = shortcut.split('+');
  const name = parts.at(-1) ?? '';
  const code = /^[A-Z]$/.test(name) ? `Key${name}` : /^[0-9]$/.test(name) ? `Digit${name}` : name;
  return (
    (pressed.code === code || pressed.key.toUpperCase() === name) &&
    pressed.control === parts.includes('Ctrl') &&
    pressed.alt === parts.includes('Alt') &&
    pressed.shift === parts.includes('Shift') &&
    pressed.meta === parts.includes('Meta')
  );
}
