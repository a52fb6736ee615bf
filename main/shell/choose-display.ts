import type { DisplayChoice } from '../settings/locate-settings';

/** A display as Electron describes it; bounds in device-independent pixels. */
export interface PlacedDisplay {
  readonly id: number;
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

/** The display that the kiosk covered last, and the ids of those that were there beside it. */
export interface Covered<D> {
  readonly display: D;
  readonly others: ReadonlySet<number>;
}

/**
 * As `chooseDisplay`, once the kiosk has covered a display of its choice. While that one is gone, another one that was
 * beside it may have its number; it does not become the kiosk's (decision 96).
 */
export function chooseAgain<D extends PlacedDisplay>(
  displays: readonly D[],
  choice: DisplayChoice,
  { display, others }: Covered<D>,
): D | null {
  const own = displays.find(({ id }) => id === display.id) ?? null;
  const chosen = chooseDisplay(displays, choice);
  return chosen !== null && (own !== null || !others.has(chosen.id)) ? chosen : own;
}
