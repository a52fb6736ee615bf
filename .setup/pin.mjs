import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { calledFrom, clone } from './places.mjs';
import { asCommand } from './say.mjs';

// npm run -s pin: asks for a PIN and prints what `admin.pinHash` takes; standard output is the hash's alone
await asCommand(async () => {
  await ensureBuilt({ quiet: true });
  const script = join(clone, 'out', 'main', 'pin.js');
  const { status, error } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], {
    cwd: calledFrom(),
    stdio: 'inherit',
  });
  if (error !== undefined) throw error;
  return status ?? 1;
});
