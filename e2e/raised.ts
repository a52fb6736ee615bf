import type { Kiosk } from './kiosk';

/** A layer of the stage came to the front. */
export interface Raised {
  /** Time on the page's clock, ms since the epoch. Main may learn of it later on a busy machine. */
  readonly at: number;
  /** The text of its creative; empty for a picture, a video or a page. */
  readonly words: string;
}

/** Records each creative that the stage raises from now on; the result returns them, oldest first. */
export async function noteRaises({ screen }: Kiosk): Promise<() => Promise<readonly Raised[]>> {
  await screen.evaluate(() => {
    const raised: { at: number; words: string }[] = [];
    Object.assign(globalThis, { raised });
    new MutationObserver((changes) => {
      for (const { target, oldValue } of changes) {
        const layer = target as HTMLElement;
        if (layer.dataset.place === 'front' && oldValue !== 'front')
          raised.push({ at: Date.now(), words: layer.textContent ?? '' });
      }
    }).observe(document.body, {
      subtree: true,
      attributes: true,
      attributeOldValue: true,
      attributeFilter: ['data-place'],
    });
  });
  return () => screen.evaluate(() => (globalThis as unknown as { raised: Raised[] }).raised);
}
