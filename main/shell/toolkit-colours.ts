import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const THEME = 'Endcap';
const BLACK = '* { background-color: #000000; background-image: none; color: #ffffff; }\n';

/**
 * On Linux a new window is painted in the toolkit's background colour, near-white
 * as a rule, until its page has drawn a frame, whatever colour the window itself
 * asks for. So the toolkit gets a theme of its own: black, like a display that is
 * not lit yet. Must run before Electron starts the toolkit.
 *
 * @param folder where the theme is kept; made if missing
 * @param environment what the toolkit will read; changed
 */
export function blackenToolkit(folder: string, environment: NodeJS.ProcessEnv): void {
  for (const toolkit of ['gtk-3.0', 'gtk-4.0']) {
    const place = join(folder, 'themes', THEME, toolkit);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'gtk.css'), BLACK);
  }
  environment.GTK_THEME = THEME;
  environment.XDG_DATA_DIRS = [folder, environment.XDG_DATA_DIRS || '/usr/local/share:/usr/share'].join(
    delimiter,
  );
}
