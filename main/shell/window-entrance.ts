import { app, type BrowserWindow, type Rectangle, screen } from 'electron';

/** A window comes in this long after it was made, whatever it shows by then, ms. */
const LONGEST_WAIT_MS = 1_500;
/** Room between the displays and a window that waits, px. */
const DISTANCE = 64;

/**
 * On X11 the toolkit paints a new window in its theme's colour before the page has
 * drawn anything: several near-white frames. So there a window is made outside every
 * display and brought in once it shows something of its own.
 */
function waitsOutside(): boolean {
  return process.platform === 'linux' && app.commandLine.getSwitchValue('ozone-platform') !== 'wayland';
}

/** Where a kiosk window on `display` is made. */
export function boundsAtFirst(display: Rectangle): Rectangle {
  if (!waitsOutside()) return display;
  const edges = screen.getAllDisplays().map(({ bounds }) => bounds.y + bounds.height);
  return { ...display, y: Math.max(...edges) + DISTANCE };
}

/**
 * Makes the window a kiosk on `display` as soon as the function it returns is
 * called, and after 1.5 s at the latest.
 */
export function bringIn(window: BrowserWindow, display: Rectangle): () => void {
  let isIn = false;
  const enter = () => {
    if (isIn || window.isDestroyed()) return;
    isIn = true;
    clearTimeout(latest);
    window.setBounds(display);
    window.setKiosk(true);
    // Without a window manager nobody else gives it the display's size.
    window.setBounds(display);
    window.focus();
  };
  const latest = setTimeout(enter, LONGEST_WAIT_MS);
  if (!waitsOutside()) enter();
  return enter;
}
