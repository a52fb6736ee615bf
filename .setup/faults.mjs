import { join } from 'node:path';
import { setUpBuiltWorkbench } from './built-workbench.mjs';
import { startXvfb } from './display.mjs';
import { asCommand, say } from './say.mjs';

const DISK_MEGABYTES = 300;

// npm run faults [-- WORDS,WORDS]: does every fault whose row holds one of the WORDS to a playing kiosk;
// their rows of docs/faults.md are renewed
await asCommand(async () => {
  const { root, user, node, folder, bringBack, runtime } = await setUpBuiltWorkbench([
    'Xvfb',
    'ffmpeg',
    'xdotool',
    'xrandr',
  ]);
  const disk = folder('out/small-disk');
  const display = await startXvfb({ user, width: 1280, height: 720 });
  try {
    const code = await node(['.setup/on-small-disk.mjs', disk, String(DISK_MEGABYTES)], {
      ...display.env,
      ELECTRON_OVERRIDE_DIST_PATH: runtime.dist,
      ENDCAP_FAULTS: process.argv.slice(2).join(' '),
      ENDCAP_FAULTS_DOCUMENT: join(root, 'docs', 'faults.md'),
    });
    bringBack('docs/faults.md');
    say('the table is in docs/faults.md');
    return code ?? 1;
  } finally {
    await display.close();
  }
});
