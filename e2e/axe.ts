import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright';
import { root } from './kiosk';

/**
 * What axe finds wrong with the page as it is, in words; empty: nothing. It is
 * brought in through the debugger: the page's own policy takes no foreign script.
 */
export async function axeFaults(page: Page, devTools: CDPSession): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) {
    const source = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');
    await devTools.send('Runtime.evaluate', { expression: source });
  }
  const { result } = await devTools.send('Runtime.evaluate', {
    expression: `axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations
      .flatMap(({ id, impact, nodes }) => nodes.map(({ target, any, all }) =>
        impact + ' ' + id + ': ' + target.join(' ') + ' ' + (any[0] ?? all[0] ?? {}).message)))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return result.value as string[];
}

/** Brings what moves to where it comes to rest; what moves for ever goes on. */
export function atRest(page: Page): Promise<unknown> {
  return page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((animation) => {
          animation.finish();
          return animation.finished.catch(() => undefined);
        }),
    ).then(() => undefined),
  );
}
