import { execFileSync } from 'node:child_process';

const { DISPLAY, ENDCAP_SHEET_SIZE = '1920x1080' } = process.env;

/** Size of the display, px. */
export const [width = 0, height = 0] = ENDCAP_SHEET_SIZE.split('x').map(Number);

/** Captures the whole display from outside, into a file. */
export function grabPicture(file: string, filter = 'null'): void {
  execFileSync('ffmpeg', [
    ...['-nostdin', '-loglevel', 'error', '-y', '-f', 'x11grab', '-draw_mouse', '0'],
    ...['-video_size', `${width}x${height}`, '-i', DISPLAY ?? '', '-frames:v', '1', '-vf', filter, file],
  ]);
}
