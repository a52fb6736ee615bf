import { statSync } from 'node:fs';
import { join } from 'node:path';
import { ALLOW_THIRD_PARTY, packageApplication } from './application.mjs';
import { buildDeb, releaseOf } from './deb.mjs';
import { giveTree } from './ownership.mjs';
import { clone, startedAsRoot } from './places.mjs';
import { findProgram } from './programs.mjs';
import { asCommand, say } from './say.mjs';

// npm run package [-- --allow-third-party-runtime] [more for electron-builder]: the application, and on Linux a .deb of it
await asCommand(async () => {
  const args = process.argv.slice(2);
  const to = join(clone, 'dist');
  const { thirdParty, unpacked } = await packageApplication({
    to,
    allowThirdParty: args.includes(ALLOW_THIRD_PARTY),
    more: args.filter((arg) => arg !== ALLOW_THIRD_PARTY),
  });
  if (unpacked !== null && findProgram('dpkg-deb') !== null) {
    say(`built ${await buildDeb({ app: unpacked, to, ...(await releaseOf()), thirdParty })}`);
  } else {
    say('no Debian package: that is built on Linux, where dpkg-deb is, from the application as a folder');
  }
  if (startedAsRoot) giveTree(to, statSync(clone));
  say(`packaged into ${to}`);
  return 0;
});
