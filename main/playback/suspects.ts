import type { DrawnFile, HarmCause } from '../media/quarantine';

export interface DrawnSlot {
  readonly files: readonly DrawnFile[];
  /** Loaded, decoded and drawn once. */
  readonly isReady: boolean;
}

export interface DrawnOnStage {
  /** On the screen since `raisedAt`, monotonic ms; null: the brand card is. */
  readonly front: (DrawnSlot & { readonly raisedAt: number }) | null;
  /** Behind it, or on its way to the screen. */
  readonly back: DrawnSlot | null;
}

/** A guest raised within this time before the last frame is suspect beside one that is still loading, ms. */
const TOGETHER_MS = 3_000;

/**
 * The files to blame for a hang or crash of the kiosk window or the graphics process (rule 11). Pages and banners run
 * foreign code and are drawn in both layers: where there are any, they are blamed, not the pictures and videos beside
 * them. Where both layers have guests, those in front are blamed if the back layer is ready; otherwise those in the
 * back, which are still loading, and also those in front if they were raised just before. Without guests the same
 * holds of pictures and videos for a kiosk window that died: its process decodes them.
 *
 * @param lastFrameAt when frames last advanced, monotonic ms
 */
export function suspects(
  { front, back }: DrawnOnStage,
  lastFrameAt: number,
  cause: HarmCause,
): readonly DrawnFile[] {
  const before = guestsOf(front);
  const behind = guestsOf(back);
  const isFresh = front !== null && lastFrameAt - front.raisedAt < TOGETHER_MS;
  if (before.length > 0 && behind.length > 0) {
    if (back?.isReady) return before;
    return isFresh ? [...before, ...behind] : behind;
  }
  if (before.length > 0) return before;
  if (behind.length > 0) return behind;
  const shown = front?.files ?? [];
  const loading = cause === 'kiosk-window' && back !== null && !back.isReady ? back.files : [];
  if (loading.length === 0) return shown;
  return isFresh ? [...shown, ...loading] : loading;
}

const guestsOf = (slot: DrawnSlot | null) => slot?.files.filter(({ guest }) => guest !== null) ?? [];
