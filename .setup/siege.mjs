import { parseArgs } from 'node:util';
import { setUpBuiltWorkbench } from './built-workbench.mjs';
import { startXvfb } from './display.mjs';
import { asCommand, SetUpStop, say } from './say.mjs';

const USAGE =
  'usage: npm run siege -- [WORDS OF ATTACKS …] [--minutes 1 to 10000] [--seed WHOLE NUMBER] [--skip STEPS] [--steps STEPS] [--keep-going] [--write]';

// npm run siege: attacks a playing kiosk for an hour; exit 1 on the first step that breaks an invariant.
// --write puts the summary into docs/security.md
await asCommand(async () => {
  const siege = readArguments();
  const { node, bringBack, runtime, user } = await setUpBuiltWorkbench([
    'Xvfb',
    'ffmpeg',
    'xdotool',
    'xwininfo',
  ]);
  const display = await startXvfb({ user, width: 1280, height: 720 });
  try {
    const code = await node(
      ['node_modules/playwright/cli.js', 'test', '-c', 'e2e/siege/playwright.config.ts'],
      {
        ...display.env,
        ELECTRON_OVERRIDE_DIST_PATH: runtime.dist,
        ENDCAP_SIEGE: JSON.stringify(siege),
      },
    );
    bringBack('test-results/siege');
    if (siege.write) bringBack('docs/security.md');
    say('the summary is in test-results/siege/siege.md');
    return code ?? 1;
  } finally {
    await display.close();
  }
});

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '60' },
        // Another seed each time finds other orders; it is printed, so that a run can be repeated.
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
        skip: { type: 'string', default: '0' },
        steps: { type: 'string' },
        'keep-going': { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
      },
    });
    const siege = {
      minutes: Number(values.minutes),
      seed: Number(values.seed),
      skip: Number(values.skip),
      steps: values.steps === undefined ? null : Number(values.steps),
      words: positionals,
      keepGoing: values['keep-going'],
      write: values.write,
    };
    const whole = [siege.seed, siege.skip, siege.steps ?? 1].every(Number.isInteger);
    if (whole && siege.minutes > 0 && siege.minutes <= 10_000 && siege.skip >= 0) return siege;
  } catch {
    // Unknown options: the same words are due.
  }
  throw new SetUpStop(USAGE);
}
