import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** How `npm run screenshot` names the display and its pictures: `ENDCAP_SHEET` is the beginning of their paths. */
const { DISPLAY = '', ENDCAP_SHEET: sheet = 'sheet', ENDCAP_SHEET_SIZE: size = '1920x1080' } = process.env;

export const [width = 0, height = 0] = size.split('x').map(Number);

/** Captures the display as `SHEET-NAME.png`. */
export function takePicture(name: string): void {
  mkdirSync(dirname(sheet), { recursive: true });
  const display = ['-f', 'x11grab', '-draw_mouse', '0', '-video_size', size, '-i', DISPLAY];
  const file = ['-frames:v', '1', `${sheet}-${name}.png`];
  execFileSync('ffmpeg', ['-nostdin', '-loglevel', 'error', '-y', ...display, ...file]);
}
