import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const READ_EVERY_MS = 50;
/** In memory, because the kiosk keeps the disk busy and a slow write would delay the capture. */
const SHARED_MEMORY = '/dev/shm';

/** An area of the display in px, from its upper left corner. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Captures the X display `perSecond` times a second from outside: an area pixel by pixel, or the whole
 * display scaled down to the given number of points. Its files grow until `close`: by 100 MB in an hour of a siege.
 *
 * @param look receives the pixels of each picture, three bytes each (red, green, blue), and when it was taken;
 *   ms, `performance.now`
 */
export function grabDisplay(
  {
    perSecond,
    ...of
  }: { readonly perSecond: number } & (
    | { readonly area: Area }
    | { readonly points: Pick<Area, 'width' | 'height'> }
  ),
  look: (pixels: Buffer, at: number) => void,
) {
  const { DISPLAY: display } = process.env;
  if (!display)
    throw new Error(
      'there is no X display to look at: run this with "npm test", "npm run bench" or the like',
    );
  const size = 'area' in of ? of.area : of.points;
  const frameBytes = size.width * size.height * 3;
  const [input, scale] =
    'area' in of
      ? [['-video_size', `${size.width}x${size.height}`, '-i', `${display}+${of.area.x},${of.area.y}`], []]
      : [['-i', display], [`scale=${size.width}:${size.height}:flags=neighbor`]];
  const folder = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'endcap-capture-'));
  // Through files: a pipe that is not read for half a second would block the capture.
  const pictures = newFile(join(folder, 'pictures'));
  const remarks = newFile(join(folder, 'remarks'));
  const args = [
    // It ends with this process, also where that is killed.
    ...['--pdeathsig', 'TERM', '--', 'ffmpeg'],
    ...['-nostdin', '-hide_banner', '-nostats', '-probesize', '32', '-analyzeduration', '0', '-copyts'],
    ...['-f', 'x11grab', '-draw_mouse', '0', '-framerate', String(perSecond), ...input],
    // showinfo logs when each picture was taken, in microseconds since the epoch; the raw pictures come in the same
    // order.
    ...['-vf', [...scale, 'format=rgb24', 'showinfo=checksum=0'].join()],
    ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-flush_packets', '1', 'pipe:1'],
  ];
  const grabber = spawn('setpriv', args, { stdio: ['ignore', pictures.fd, remarks.fd] });
  const times: number[] = [];
  let complaint = '';
  let closing = false;
  const readOn = () => {
    const text = remarks.readOn();
    const lines = text.lastIndexOf(0x0a) + 1;
    for (const line of text.subarray(0, lines).toString().split('\n')) {
      const time = /showinfo.*\bpts:\s*(\d+)/.exec(line)?.[1];
      if (time !== undefined) times.push(Number(time) / 1000 - performance.timeOrigin);
      else if (/error|cannot|failed|refused/i.test(line)) complaint = line;
    }
    remarks.keep(text.subarray(lines));
    let bytes = pictures.readOn();
    for (; bytes.length >= frameBytes && times.length > 0; bytes = bytes.subarray(frameBytes))
      look(bytes.subarray(0, frameBytes), times.shift() ?? Number.NaN);
    pictures.keep(bytes);
  };
  const reading = setInterval(readOn, READ_EVERY_MS);
  const ended = new Promise<void>((resolve) => {
    grabber.once('error', (error) => {
      complaint = error.message;
      resolve();
    });
    grabber.once('close', () => resolve());
  }).then(() => {
    clearInterval(reading);
    readOn();
    pictures.close();
    remarks.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const running = ended.then(() => {
    if (!closing) throw new Error(`ffmpeg cannot look at the display: ${complaint || 'it ended'}`);
  });
  running.catch(() => {});
  return {
    /** Rejects when the display can no longer be captured; does not resolve before `close`. */
    running,
    async close(): Promise<void> {
      closing = true;
      grabber.kill('SIGKILL');
      await ended;
    },
  };
}

/** A file that another process writes and this one reads as it grows. */
function newFile(path: string) {
  const fd = openSync(path, 'w+');
  const reader = openSync(path, 'r');
  let position = 0;
  let kept: Buffer = Buffer.alloc(0);
  return {
    fd,
    /** The new bytes, after those that were kept. */
    readOn(): Buffer {
      const chunk = Buffer.alloc(fstatSync(reader).size - position);
      const length = readSync(reader, chunk, 0, chunk.length, position);
      position += length;
      return Buffer.concat([kept, chunk.subarray(0, length)]);
    },
    keep(rest: Buffer): void {
      kept = Buffer.from(rest);
    },
    close(): void {
      closeSync(fd);
      closeSync(reader);
    },
  };
}
