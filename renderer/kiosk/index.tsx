import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import type { RpcPort } from '../../shared/rpc';
import { Page } from './page';
import { clickAtSlowPresses } from './slow-press';

declare global {
  interface Window {
    readonly endcap: RpcPort;
  }
}

/** The window may reach a pixel beyond the display (cover-display.ts); the page does not. */
function keepToDisplay(): void {
  const { style } = document.documentElement;
  style.setProperty('--display-width', `${Math.min(window.innerWidth, window.screen.width)}px`);
  style.setProperty('--display-height', `${Math.min(window.innerHeight, window.screen.height)}px`);
}
keepToDisplay();
window.addEventListener('resize', keepToDisplay);
clickAtSlowPresses();

const root = document.querySelector('#root');
if (root === null) throw new Error('the page has no element with the id root');
// Synchronous, so that the layers exist when this returns and the first creative waits for no later frame.
flushSync(() => createRoot(root).render(<Page bridge={window.endcap} />));

// `block`: a text stays invisible until its font is loaded, so that it does not change while somebody reads it. Reading
// `document.fonts` computes all styles, so this is done later than the first creative.
requestIdleCallback(() => {
  for (const face of document.fonts) face.display = 'block';
});
