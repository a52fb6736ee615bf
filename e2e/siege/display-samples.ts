import { spawn } from 'node:child_process';
import { createFrameClassifier } from '../capture/classify-frame';
import { PALETTE, type Sight, sightOf } from './colours';

/** Points of the display that are looked at. */
const SIZE = { width: 32, height: 18 };
const FRAME_BYTES = SIZE.width * SIZE.height * 3;

export interface DisplaySamples {
  /** Rejects when the display cannot be looked at any more. */
  readonly running: Promise<void>;
  close(): Promise<void>;
}

/**
 * Looks at the whole X display so many times a second, from outside.
 *
 * @param look told of each picture; `at`: ms, `performance.now`
 */
export function sampleDisplay(perSecond: number, look: (sight: Sight, at: number) => void): DisplaySamples {
  const { DISPLAY: display } = process.env;
  if (!display)
    throw new Error('there is no X display to look at: run this with "npm test" or "npm run siege"');
  const grabber = spawn(
    'ffmpeg',
    [
      ...['-loglevel', 'error', '-nostdin', '-probesize', '32', '-analyzeduration', '0'],
      ...['-f', 'x11grab', '-draw_mouse', '0', '-framerate', String(perSecond), '-i', display],
      ...['-vf', `scale=${SIZE.width}:${SIZE.height}:flags=neighbor,format=rgb24`],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-flush_packets', '1', 'pipe:1'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const classify = createFrameClassifier(PALETTE, SIZE);
  let rest: Buffer = Buffer.alloc(0);
  let complaint = '';
  let closing = false;
  grabber.stderr.on('data', (text: Buffer) => {
    complaint = `${complaint}${text}`.slice(-2_000);
  });
  grabber.stdout.on('data', (chunk: Buffer) => {
    const at = performance.now();
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= FRAME_BYTES) {
      look(sightOf(classify(rest.subarray(0, FRAME_BYTES))), at);
      rest = rest.subarray(FRAME_BYTES);
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
