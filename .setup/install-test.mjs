import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packageApplication } from './application.mjs';
import { buildDeb, releaseOf } from './deb.mjs';
import { ensureElectron } from './electron-runtime.mjs';
import { cacheFolder, clone, startedAsRoot } from './places.mjs';
import { run } from './programs.mjs';
import { asCommand, SetUpStop } from './say.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

// npm run install-test: the Debian package on a clean Debian, from its installation to its purge
await asCommand(async () => {
  if (!startedAsRoot) {
    throw new SetUpStop('endcap: only root can boot a clean system. Run: sudo npm run install-test');
  }
  const { executable } = await ensureElectron();
  await ensureSystemPackages({ executable, programs: ['Xvfb', 'ffmpeg', 'debootstrap'] });
  const cache = cacheFolder();
  const folder = mkdtempSync(join(cache, 'packages-'));
  try {
    const { unpacked, thirdParty } = await packageApplication({ to: folder, allowThirdParty: true });
    if (unpacked === null) throw new SetUpStop('endcap: a Debian package is built and tested on Linux');
    const release = await releaseOf();
    const build = (/** @type {string} */ number) =>
      buildDeb({
        ...release,
        app: unpacked,
        to: folder,
        version: `${release.version}.${number}`,
        thirdParty,
        compression: 'quick',
      });
    const [older, newer] = [await build('1'), await build('2')];
    const { code } = await run(
      process.execPath,
      [join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', 'e2e/install/vitest.config.mts'],
      {
        cwd: clone,
        env: {
          ...process.env,
          ENDCAP_DEB_OLDER: older,
          ENDCAP_DEB_NEWER: newer,
          ENDCAP_INSTALL_CACHE: cache,
        },
        output: 'inherit',
      },
    );
    return code ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
