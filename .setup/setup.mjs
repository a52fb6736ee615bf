import { ensureBuilt } from './build.mjs';
import { ensureElectron } from './electron-runtime.mjs';
import { ordinaryUser } from './ordinary-user.mjs';
import { appFor, runtimeFor } from './readable-copies.mjs';
import { findSandbox, sandboxArguments } from './sandbox.mjs';
import { asCommand, say } from './say.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

// npm run setup [-- --official]: everything a start needs, so that the start needs no network
await asCommand(async () => {
  const official = process.argv.includes('--official');
  const found = await ensureElectron({ preferOfficial: official });
  await ensureSystemPackages({ executable: found.executable, programs: ['Xvfb'] });
  await ensureBuilt();
  const user = await ordinaryUser();
  const runtime = await runtimeFor(user, found);
  await appFor(user);
  sandboxArguments(findSandbox({ user, dist: runtime.dist }), { dist: runtime.dist });
  say(`Electron ${runtime.version} (${runtime.origin}) in ${runtime.dist}`);
  if (official && runtime.origin !== 'official') {
    say('still the fallback: the official build could not be had');
    return 1;
  }
  say('ready: npm start');
  return 0;
});
