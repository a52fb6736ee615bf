import type { BrowserWindow, Rectangle } from 'electron';

/** What rounding of scaled displays may leave uncovered, px. */
const TOLERANCE = 2;

/** Whether a window reaches over the whole display. */
export function isCovering(window: Rectangle, display: Rectangle): boolean {
  return (['x', 'y', 'width', 'height'] as const).every(
    (side) => Math.abs(window[side] - display[side]) <= TOLERANCE,
  );
}

/**
 * On X11 Chromium makes a window of exactly the display's size a pixel smaller
 * each way, lest a window manager take it for full screen. Where that happened it
 * is made a pixel higher instead; the page keeps to the display's size.
 */
export function cover(window: BrowserWindow, display: Rectangle): void {
  window.setBounds(display);
  const { width, height } = window.getContentBounds();
  if (width < display.width || height < display.height)
    window.setBounds({ ...display, height: display.height + 1 });
}
