import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { calledFrom, clone } from './places.mjs';
import { asCommand } from './say.mjs';

// npm run -s verify-plays -- FILE KEY: whether an export is whole, and whose it is
await asCommand(async () => {
  await ensureBuilt({ quiet: true });
  const script = join(clone, 'out', 'main', 'verify-plays.js');
  const { status, error } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], {
    cwd: calledFrom(),
    stdio: 'inherit',
  });
  if (error !== undefined) throw error;
  return status ?? 1;
});
