import type { BrowserWindow, Rectangle } from 'electron';
import { type KioskDisplay, onDisplayChange } from './kiosk-display';

/** Rounding on scaled displays may leave this much uncovered, px. */
const TOLERANCE = 2;

function isCovering(window: Rectangle, display: Rectangle): boolean {
  return (['x', 'y', 'width', 'height'] as const).every(
    (side) => Math.abs(window[side] - display[side]) <= TOLERANCE,
  );
}

/**
 * On X11 Chromium makes a window of exactly the display's size a pixel smaller in
 * each direction, so that window managers do not take it for full screen. Then it
 * is made a pixel higher instead; the page keeps to the display's size.
 */
export function cover(window: BrowserWindow, display: Rectangle): void {
  window.setBounds(display);
  const { width, height } = window.getContentBounds();
  if (width < display.width || height < display.height)
    window.setBounds({ ...display, height: display.height + 1 });
}

/** Wait, ms: a changing display reports several times, and another program may move the window repeatedly. */
const SETTLED_MS = 300;

/**
 * Keeps a window over the whole display (rules 21 and 25): keys, a window manager or
 * another program cannot close, minimise, move or resize it, and it follows the display
 * when that changes. On X11 Chromium does not notice when another program unmaps, covers
 * or destroys a window; nothing is done about that.
 */
export function coverWhenMoved(window: BrowserWindow, display: KioskDisplay): void {
  let timer: NodeJS.Timeout | undefined;
  let coveredAt = Number.NEGATIVE_INFINITY;
  const coverDisplay = () => {
    coveredAt = performance.now();
    if (!window.isDestroyed()) cover(window, display().bounds);
  };
  const coverSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(coverDisplay, SETTLED_MS);
  };
  const uncovered = () => {
    if (isCovering(window.getBounds(), display().bounds)) return;
    if (performance.now() - coveredAt > SETTLED_MS) coverDisplay();
    else coverSoon();
  };
  const stopListening = onDisplayChange(coverSoon);
  window.on('close', (event) => event.preventDefault());
  window.on('minimize', () => window.restore());
  window.on('hide', () => window.show());
  window.on('move', uncovered);
  window.on('resize', uncovered);
  window.on('leave-full-screen', () => {
    // Only after it has left: earlier requests are lost. On Wayland the compositor gives the window no other size, so
    // full screen has to be requested again.
    setImmediate(() => {
      if (window.isDestroyed()) return;
      window.setKiosk(true);
      window.setFullScreen(true);
    });
    coverSoon();
  });
  window.on('closed', () => {
    clearTimeout(timer);
    stopListening();
  });
}
