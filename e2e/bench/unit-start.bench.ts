import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'playwright/test';
import { type Colour, near, watchDisplay } from './display-watch';
import { bare, electronExecutable, type Program, root, startProgram } from './electron-program';
import { benchData, CREATIVE, CREATIVE_COLOUR, kioskFolder } from './kiosk-folder';
import { report } from './report';
import { timeToCreative } from './start-time';
import { interleaved, median, pairedRatio, percentile } from './statistics';

/** A start varies by some 4 %: of so many pairs, the ratio is known to 1 %. */
const PAIRS = 40;
/** The compositor's software path turns the video's colour into a little less of it. */
const COMPOSED_COLOUR: Colour = [35, 60, 181];
/** What endcap.service starts: the kiosk compositor with a program in it. */
const SESSION = join(root, 'tools/packaging/tree/usr/lib/endcap/kiosk-session');

test("start of the unit's command, compositor and all, to the first creative frame", async () => {
  test.setTimeout(20 * 60_000);
  const scratch = mkdtempSync(join(tmpdir(), 'endcap-unit-'));
  const folder = await kioskFolder('no-plays');
  const bareData = join(benchData, 'bare-wayland');
  mkdirSync(bareData, { recursive: true });
  /** The command with a program of ours in the installed one's place. */
  const session = (name: string, dataDir: string, command: readonly string[]): (() => Program) => {
    const program = join(scratch, name);
    const words = [electronExecutable(), ...command].map((word) => `'${word}'`).join(' ');
    writeFileSync(program, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    return () =>
      startProgram(SESSION, [], {
        ENDCAP_PROGRAM: program,
        ENDCAP_WESTON_ARGUMENTS: '--backend=x11-backend.so --use-pixman --width=1280 --height=720',
        STATE_DIRECTORY: dataDir,
        XDG_RUNTIME_DIR: scratch,
      });
  };
  const kiosk = session('kiosk', folder.dataDir, [root, `--config=${folder.config}`]);
  const window = session('bare', bareData, [
    ...[bare, `--user-data-dir=${bareData}`, 'looping-video.html', CREATIVE],
  ]);
  const isCreative = (colour: Colour) => near(CREATIVE_COLOUR)(colour) || near(COMPOSED_COLOUR)(colour);
  const watch = await watchDisplay();
  try {
    const endcap = () => timeToCreative(watch, kiosk, isCreative);
    const baseline = () => timeToCreative(watch, window, isCreative);
    // Caches of disk and code are warm after this.
    await interleaved(2, endcap, baseline);
    const { a, b } = await interleaved(PAIRS, endcap, baseline);
    await report({
      name: "the unit's command to first creative frame (bare Electron in the same compositor)",
      unit: 'ms',
      value: median(a),
      baseline: median(b),
      ratio: pairedRatio(a, b),
      budgets: [{ of: 'ratio', most: 1.5 }],
      samples: { endcap: a, bare: b },
      details: { 'p10 ms': percentile(a, 0.1), 'p90 ms': percentile(a, 0.9) },
    });
  } finally {
    await watch.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});
