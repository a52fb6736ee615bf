import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { root } from './kiosk';

/**
 * The rules that the page violates according to axe, one sentence each. axe is injected through the debugger,
 * because the page's policy allows no foreign script.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  const devTools = await page.context().newCDPSession(page);
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
  await devTools.detach();
  return result.value as string[];
}

/** Finishes all animations except the endless ones. */
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
