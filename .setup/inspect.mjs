import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { calledFrom, clone } from './places.mjs';
import { asCommand } from './say.mjs';

// npm run -s inspect -- ADS.xml […]: standard output is the report's alone
await asCommand(async () => {
  await ensureBuilt({ quiet: true });
  const script = join(clone, 'out', 'main', 'inspect.js');
  const { status, error } = spawnSync(process.execPath, [script, ...process.argv.slice(2)], {
    cwd: calledFrom(),
    stdio: 'inherit',
  });
  if (error !== undefined) throw error;
  return status ?? 1;
});
