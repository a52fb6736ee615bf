import type { Kiosk } from './kiosk';

/** A layer of the stage came to the front. */
export interface Raised {
  /** By the page's own clock, ms since the epoch: main hears of it later where the machine is held up. */
  readonly at: number;
  /** Words of what it shows; none where it is a picture, a video or a page. */
  readonly words: string;
}

/** Notes each creative that the stage raises from now on; answers what is noted so far, the oldest first. */
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
      ...{ subtree: true, attributes: true, attributeOldValue: true },
      attributeFilter: ['data-place'],
    });
  });
  return () => screen.evaluate(() => (globalThis as unknown as { raised: Raised[] }).raised);
}
