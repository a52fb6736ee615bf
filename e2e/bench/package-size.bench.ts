import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'playwright/test';
import { z } from 'zod';
import { bare, root } from './electron-program';
import { report } from './report';

const MB = 1_000_000;

/** Both packages have the same runtime and the same languages; only the application in it is another one. */
const BUILD_BOTH = `
  import { cpSync, rmSync, statSync } from 'node:fs';
  import { join } from 'node:path';
  import { packageApplication } from './tools/run/application.mjs';
  import { buildDeb, releaseOf } from './tools/run/deb.mjs';
  const [folder, bare] = process.argv.slice(1);
  const { unpacked, thirdParty } = await packageApplication({ to: folder, allowThirdParty: true });
  const release = releaseOf();
  const bareApp = join(folder, 'bare');
  cpSync(unpacked, bareApp, { recursive: true, verbatimSymlinks: true });
  rmSync(join(bareApp, 'resources/app.asar'));
  cpSync(bare, join(bareApp, 'resources/app'), { recursive: true });
  const size = async (app, version) =>
    statSync(await buildDeb({ ...release, app, to: folder, version, thirdParty, compression: 'quick' })).size;
  console.log(JSON.stringify({ endcap: await size(unpacked, '1'), bare: await size(bareApp, '2') }));
`;
const Sizes = z.object({ endcap: z.number().positive(), bare: z.number().positive() });

test('size of the package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-size-'));
  try {
    const built = execFileSync(process.execPath, ['--input-type=module', '-e', BUILD_BOTH, folder, bare], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const sizes = Sizes.parse(JSON.parse(built));
    await report({
      name: 'size of the package (bare Electron, packaged alike)',
      unit: 'MB',
      value: sizes.endcap / MB,
      baseline: sizes.bare / MB,
      ratio: sizes.endcap / sizes.bare,
      budgets: [{ of: 'ratio', most: 1.15 }],
      samples: {},
      details: { compression: 'quick, as for tests' },
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
