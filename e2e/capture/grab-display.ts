import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** An area of the display in px, from its upper left corner. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Captures the X display `perSecond` times a second from outside: an area pixel by pixel, or the whole
 * display scaled down to the given number of points.
 *
 * @param look receives the pixels of each picture, three bytes each (red, green, blue), and when it was taken;
 *   ms since the first one
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
  const grabber = spawn(
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-nostats', '-probesize', '32', '-analyzeduration', '0'],
      ...['-f', 'x11grab', '-draw_mouse', '0', '-framerate', String(perSecond), ...input],
      // showinfo logs when each picture was taken; the raw pictures come in the same order.
      ...['-vf', [...scale, 'format=rgb24', 'showinfo=checksum=0'].join()],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-flush_packets', '1', 'pipe:1'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const pictures: Buffer[] = [];
  const times: number[] = [];
  const lookAtAll = () => {
    for (const pixels of pictures.splice(0, times.length)) look(pixels, times.shift() ?? Number.NaN);
  };
  let rest: Buffer = Buffer.alloc(0);
  let complaint = '';
  let closing = false;
  grabber.stdout.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= frameBytes; rest = rest.subarray(frameBytes))
      pictures.push(rest.subarray(0, frameBytes));
    lookAtAll();
  });
  createInterface(grabber.stderr).on('line', (line) => {
    const time = /showinfo.*\bpts_time:\s*(-?[\d.]+)/.exec(line)?.[1];
    if (time !== undefined) times.push(Number(time) * 1000);
    else if (/error|cannot|failed|refused/i.test(line)) complaint = line;
    lookAtAll();
  });
  const ended = new Promise<void>((resolve) => {
    grabber.once('error', (error) => {
      complaint = error.message;
      resolve();
    });
    grabber.once('close', () => resolve());
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
