import type { DisplayChoice } from '../settings/locate-settings';

/** A display as Electron describes it; bounds in device-independent pixels. */
export interface PlacedDisplay {
  readonly label: string;
  readonly bounds: { readonly x: number; readonly y: number };
}

/**
 * The display that the kiosk window covers. Displays count from left to right, those above each other from top to
 * bottom.
 *
 * @returns null: there is no such display now, or the choice is the primary one
 */
export function chooseDisplay<D extends PlacedDisplay>(
  displays: readonly D[],
  choice: DisplayChoice,
): D | null {
  if (choice === null) return null;
  if (typeof choice === 'string') return displays.find(({ label }) => label === choice) ?? null;
  const inOrder = displays.toSorted(
    ({ bounds: one }, { bounds: other }) => one.x - other.x || one.y - other.y,
  );
  return inOrder[choice - 1] ?? null;
}
