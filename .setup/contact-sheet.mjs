import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setUpBuiltWorkbench } from './built-workbench.mjs';
import { startXvfb } from './display.mjs';
import { makePicture } from './pictures.mjs';
import { clone } from './places.mjs';
import { SetUpStop, say } from './say.mjs';

const DISPLAYS = [
  { name: 'landscape', width: 1920, height: 1080 },
  { name: 'portrait', width: 1080, height: 1920 },
];

/** Every kind of creative on both displays in all four rotations: one picture for each display, in docs/creatives. */
export async function makeContactSheets() {
  const { user, node, folder, bringBack, runtime } = await setUpBuiltWorkbench(['Xvfb', 'ffmpeg']);
  const sheets = folder('out/contact-sheet');
  for (const { name, width, height } of DISPLAYS) {
    const display = await startXvfb({ user, width, height });
    try {
      const code = await node(
        ['node_modules/playwright/cli.js', 'test', '-c', 'e2e/contact-sheet/playwright.config.ts'],
        {
          ...display.env,
          ELECTRON_OVERRIDE_DIST_PATH: runtime.dist,
          ENDCAP_SHEET: join(sheets, `${name}.png`),
          ENDCAP_SHEET_SIZE: `${width}x${height}`,
        },
      );
      if (code !== 0) throw new SetUpStop(`endcap: no pictures of the ${name} display`);
    } finally {
      await display.close();
    }
  }
  bringBack('out/contact-sheet');
  const docs = join(clone, 'docs/creatives');
  mkdirSync(docs, { recursive: true });
  for (const { name } of DISPLAYS) {
    // For reading, not for measuring: a tenth of the bytes.
    const large = join(clone, 'out/contact-sheet', `${name}.png`);
    makePicture(join(docs, `${name}.jpg`), ['-i', large, '-q:v', '6']);
  }
  say('the pictures are in docs/creatives');
}
