import { parseArgs } from 'node:util';
import { setUpBuiltWorkbench } from './built-workbench.mjs';
import { startXvfb } from './display.mjs';
import { asCommand, SetUpStop } from './say.mjs';

const USAGE = 'usage: npm run kills -- [NUMBER OF KILLS, 1 to 100000] [--seed WHOLE NUMBER]';

// npm run kills -- [200] [--seed S]: kills a playing kiosk so often and looks what is left; exit 1 on any loss
await asCommand(async () => {
  const { kills, seed } = readArguments();
  const { user, node, runtime } = await setUpBuiltWorkbench(['Xvfb']);
  const display = await startXvfb({ user, width: 1280, height: 720 });
  try {
    const code = await node(
      ['node_modules/playwright/cli.js', 'test', '-c', 'e2e/kills/playwright.config.ts'],
      {
        ...display.env,
        ELECTRON_OVERRIDE_DIST_PATH: runtime.dist,
        ENDCAP_KILLS: String(kills),
        ENDCAP_KILLS_SEED: String(seed),
      },
    );
    return code ?? 1;
  } finally {
    await display.close();
  }
});

/** @returns {{ kills: number, seed: number }} */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { seed: { type: 'string' } },
    });
    const kills = Number(positionals[0] ?? 200);
    // Another seed each time finds other moments; it is printed, so that a run can be repeated.
    const seed = Number(values.seed ?? Date.now() % 1_000_000);
    if (
      positionals.length <= 1 &&
      Number.isInteger(kills) &&
      kills >= 1 &&
      kills <= 100_000 &&
      Number.isInteger(seed)
    )
      return { kills, seed };
  } catch {
    // Unknown options: the same words are due.
  }
  throw new SetUpStop(USAGE);
}
