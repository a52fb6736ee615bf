import type { Schedule } from '../schedule';
import { isSameSize, type ScreenSize } from '../service/ads-reading/choose-media';

/** A size counts once it has stayed for so long, ms: displays pass through others while they are plugged in or wake up. */
const SETTLED_MS = 3_000;

interface ScreenParts {
  /** The display that the kiosk covers. */
  readonly display: () => { readonly size: ScreenSize; readonly scaleFactor: number };
  /** False while that display is away. */
  readonly isThere: () => boolean;
  /** Calls the listener when any display comes, goes or changes. */
  readonly onDisplayChange: (listener: () => void) => void;
  /** Degrees by which the picture is turned. */
  readonly rotation: number;
  /** The screen has another size now. */
  readonly resized: () => void;
  readonly schedule: Schedule;
}

/**
 * Size of the screen as the shopper sees it, px; follows the display, and keeps its size while it is away. The system
 * is asked only after a change: its answer can take as long as choosing the files of an ad.
 */
export function screenSize(parts: ScreenParts): ScreenSize {
  const isTurned = parts.rotation === 90 || parts.rotation === 270;
  const sizeNow = (): ScreenSize => {
    const { size, scaleFactor } = parts.display();
    const [width, height] = isTurned ? [size.height, size.width] : [size.width, size.height];
    return { width: Math.round(width * scaleFactor), height: Math.round(height * scaleFactor) };
  };
  let current = sizeNow();
  let cancelLook = (): void => {};
  const look = () => {
    // Without any display the system names one of a usual size. No files are to be fetched for that.
    const next = parts.isThere() ? sizeNow() : current;
    if (isSameSize(next, current)) return;
    current = next;
    parts.resized();
  };
  parts.onDisplayChange(() => {
    cancelLook();
    cancelLook = parts.schedule(SETTLED_MS, look);
  });
  return {
    get width() {
      return current.width;
    },
    get height() {
      return current.height;
    },
  };
}
