import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { z } from 'zod';
import type { RpcPort } from '../../shared/rpc';
import { Page } from './page';

declare global {
  interface Window {
    readonly endcap: RpcPort;
  }
}

// The page's policy forbids code made from strings, which the overlay's contract would otherwise try.
z.config({ jitless: true });

/** The window may reach a pixel beyond the display (cover-display.ts); the page does not. */
function keepToDisplay(): void {
  const { style } = document.documentElement;
  style.setProperty('--display-width', `${Math.min(window.innerWidth, window.screen.width)}px`);
  style.setProperty('--display-height', `${Math.min(window.innerHeight, window.screen.height)}px`);
}
keepToDisplay();
window.addEventListener('resize', keepToDisplay);

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no root');
// The layers are there when this returns: the first creative waits for no later frame.
flushSync(() => createRoot(root).render(<Page bridge={window.endcap} />));

// A text waits for its font, so that it never changes its looks while somebody reads. Asking for the faces makes the
// page look at all its styles, which the first creative does not wait for.
requestIdleCallback(() => {
  for (const face of document.fonts) face.display = 'block';
});
