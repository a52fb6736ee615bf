import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { calledFrom, clone } from './places.mjs';
import { asCommand } from './say.mjs';
import { supervise } from './supervise.mjs';

// npm run service [-- its arguments]: the embedded ad service alone, without Electron
await asCommand(async () => {
  await ensureBuilt();
  const script = join(clone, 'out', 'main', 'demo-service.js');
  const { code } = await supervise([process.execPath, script, ...process.argv.slice(2)], {
    cwd: calledFrom(),
  });
  return code;
});
