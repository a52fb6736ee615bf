import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const THEME = 'Endcap';
const BLACK = '* { background-color: #000000; background-image: none; color: #ffffff; }\n';

/**
 * Must run before Electron starts the toolkit (GTK, on Linux).
 *
 * @param folder where a theme is written; created if missing
 * @param environment the environment variables that the toolkit reads; this function changes them
 */
export function prepareToolkit(folder: string, environment: NodeJS.ProcessEnv): void {
  // A new window is painted in the toolkit's background colour, usually almost white, until its page has drawn a frame;
  // the window's own background colour does not help. So the toolkit gets a black theme.
  for (const toolkit of ['gtk-3.0', 'gtk-4.0']) {
    const place = join(folder, 'themes', THEME, toolkit);
    try {
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, 'gtk.css'), BLACK);
    } catch {
      // A full or read-only disk: an earlier start wrote it, or a few white frames show.
    }
  }
  environment.GTK_THEME = THEME;
  environment.XDG_DATA_DIRS = [folder, environment.XDG_DATA_DIRS || '/usr/local/share:/usr/share'].join(
    delimiter,
  );
  // On X11, GTK searches for visuals that suit OpenGL if it is the first program on a display. That loads the driver,
  // which costs 15 MB of main's memory. Electron draws nothing with GTK's OpenGL.
  environment.GDK_GL ??= 'disable';
}
