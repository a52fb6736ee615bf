import { join } from 'node:path';
import { setUpBuiltWorkbench } from './built-workbench.mjs';
import { startXvfb } from './display.mjs';
import { makeOwnFolder } from './ordinary-user.mjs';
import { asCommand, SetUpStop, say } from './say.mjs';

// npm run bench [-- NAME … [-g TITLE] [--slots N] [--minutes N]]: runs the benchmarks of e2e/bench whose file names
// hold a NAME, of those with -g only the parts whose titles hold TITLE; those of many slots (slots, slope,
// transitions) over N, the footprint after N minutes; results in out/bench.json
await asCommand(async () => {
  const { root, user, node, folder, bringBack, runtime } = await setUpBuiltWorkbench([
    'Xvfb',
    'ffmpeg',
    'weston',
    'dpkg-deb',
  ]);
  const results = join(folder('out'), 'bench.json');
  // Prepared data folders outlive the copy that root's runs are made in.
  const data = user === null ? join(root, 'out', 'bench-data') : join(user.home, 'bench-data');
  if (user !== null) makeOwnFolder(user, data, 0o700);
  const { names, numbers } = readArguments(process.argv.slice(2));
  const display = await startXvfb({ user, width: 1280, height: 720 });
  try {
    const code = await node(
      [...['node_modules/playwright/cli.js', 'test', '-c', 'e2e/bench/playwright.config.ts'], ...names],
      {
        ...display.env,
        ELECTRON_OVERRIDE_DIST_PATH: runtime.dist,
        ENDCAP_BENCH_RESULTS: results,
        ENDCAP_BENCH_DATA: data,
        ...numbers,
      },
    );
    bringBack('out/bench.json');
    say('results are in out/bench.json');
    return code ?? 1;
  } finally {
    await display.close();
  }
});

/**
 * What is left of the arguments, and the numbers among them as the benchmarks read them.
 * @param {string[]} given
 */
function readArguments(given) {
  const names = [...given];
  /** @type {Record<string, string>} */
  const numbers = {};
  for (const name of ['slots', 'minutes']) {
    const at = names.indexOf(`--${name}`);
    if (at < 0) continue;
    const [, number = ''] = names.splice(at, 2);
    if (!/^[1-9]\d*$/.test(number)) throw new SetUpStop(`endcap: --${name} needs a number`);
    numbers[`ENDCAP_BENCH_${name.toUpperCase()}`] = number;
  }
  return { names, numbers };
}
