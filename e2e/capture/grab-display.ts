import { spawn } from 'node:child_process';

/** An area of the display in px, from its upper left corner. */
interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface DisplayGrab {
  /** Rejects when the display can no longer be captured; does not resolve before `close`. */
  readonly running: Promise<void>;
  close(): Promise<void>;
}

/**
 * Captures the X display `perSecond` times a second from outside: an area pixel by pixel, or the whole
 * display scaled down to the given number of points.
 *
 * @param look receives the pixels of each picture, three bytes each (red, green, blue), and when they were
 *   read; ms, `performance.now`
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
): DisplayGrab {
  const { DISPLAY: display } = process.env;
  if (!display)
    throw new Error(
      'there is no X display to look at: run this with "npm test", "npm run bench" or the like',
    );
  const size = 'area' in of ? of.area : of.points;
  const frameBytes = size.width * size.height * 3;
  const input =
    'area' in of
      ? ['-video_size', `${size.width}x${size.height}`, '-i', `${display}+${of.area.x},${of.area.y}`]
      : ['-i', display, '-vf', `scale=${size.width}:${size.height}:flags=neighbor`];
  const grabber = spawn(
    'ffmpeg',
    [
      ...['-loglevel', 'error', '-nostdin', '-probesize', '32', '-analyzeduration', '0'],
      ...['-f', 'x11grab', '-draw_mouse', '0', '-framerate', String(perSecond), ...input],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-flush_packets', '1', 'pipe:1'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let rest: Buffer = Buffer.alloc(0);
  let complaint = '';
  let closing = false;
  grabber.stderr.on('data', (text: Buffer) => {
    complaint = `${complaint}${text}`.slice(-2_000);
  });
  grabber.stdout.on('data', (chunk: Buffer) => {
    const at = performance.now();
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= frameBytes) {
      look(rest.subarray(0, frameBytes), at);
      rest = rest.subarray(frameBytes);
    }
  });
  const ended = new Promise<void>((resolve) => {
    grabber.once('error', (error) => {
      complaint += error.message;
      resolve();
    });
    grabber.once('close', () => resolve());
  });
  const running = ended.then(() => {
    if (!closing) throw new Error(`ffmpeg cannot look at the display: ${complaint.trim() || 'it ended'}`);
  });
  running.catch(() => {});
  return {
    running,
    async close() {
      closing = true;
      grabber.kill('SIGKILL');
      await ended;
    },
  };
}
