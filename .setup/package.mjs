import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureElectron } from './electron-runtime.mjs';
import { giveTree } from './ownership.mjs';
import { clone, startedAsRoot } from './places.mjs';
import { run } from './programs.mjs';
import { asCommand, SetUpStop, say, sayLoudly } from './say.mjs';

const ALLOW = '--allow-third-party-runtime';

// npm run package [-- --allow-third-party-runtime] [more for electron-builder]
await asCommand(async () => {
  const more = process.argv.slice(2).filter((arg) => arg !== ALLOW);
  const runtime = await ensureElectron({ preferOfficial: true });
  if (runtime.origin === 'fallback') {
    if (!process.argv.includes(ALLOW)) {
      throw new SetUpStop(
        `endcap: not packaged. Only a third party's repackaging of Electron is at hand, and that belongs in no store. Make GitHub reachable, or try a package for tests: npm run package -- ${ALLOW}`,
      );
    }
    sayLoudly(["This package holds a THIRD PARTY's repackaging of Electron: for tests only."]);
  }
  await ensureBuilt();
  const { code } = await run(
    process.execPath,
    [
      join(clone, 'node_modules', 'electron-builder', 'cli.js'),
      ...['--dir', '--publish', 'never'],
      ...[`-c.electronDist=${runtime.dist}`, `-c.electronVersion=${runtime.version}`],
      ...more,
    ],
    { cwd: clone, output: 'stderr', label: 'Packaging' },
  );
  if (code !== 0) throw new SetUpStop('endcap: electron-builder failed');
  if (startedAsRoot) giveTree(join(clone, 'dist'), statSync(clone));
  say(`packaged into ${join(clone, 'dist')}`);
  return 0;
});
