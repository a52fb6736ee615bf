import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { createFrameClassifier, type Palette } from './classify-frame';
import type { LabelledFrame } from './transitions';

export const FRAMES_PER_SECOND = 60;
/** Points that are looked at: enough to see a torn picture, so few that a busy moment of ours blocks nobody. */
const SIZE = { width: 32, height: 18 };

export interface Capture {
  /** Everything seen so far, oldest first. */
  readonly frames: readonly LabelledFrame[];
  /** Rejects when the display cannot be captured any more; never resolves before `stop`. */
  readonly running: Promise<void>;
  /** Ends it and resolves with everything seen. Rejects when the display could not be captured. */
  stop(): Promise<readonly LabelledFrame[]>;
}

/**
 * Captures the whole X display 60 times a second from outside and judges each
 * picture as it comes. Times are those at which the picture was taken, ms.
 * Resolves once the first picture is there.
 */
export async function captureDisplay(palette: Palette): Promise<Capture> {
  const { DISPLAY: display } = process.env;
  if (!display)
    throw new Error('there is no X display to capture: run this with "npm test" or "npm run bench"');
  const grabber = spawn(
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'info'],
      ...['-probesize', '32', '-analyzeduration', '0'],
      ...['-f', 'x11grab', '-draw_mouse', '0', '-framerate', String(FRAMES_PER_SECOND), '-i', display],
      // showinfo tells when each picture was taken; the pictures themselves come raw, in the same order.
      ...['-vf', `scale=${SIZE.width}:${SIZE.height}:flags=neighbor,format=rgb24,showinfo=checksum=0`],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-flush_packets', '1', 'pipe:1'],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const classify = createFrameClassifier(palette, SIZE);
  const frameBytes = SIZE.width * SIZE.height * 3;
  const frames: LabelledFrame[] = [];
  const times: number[] = [];
  const labels: LabelledFrame['label'][] = [];
  let complaint = '';
  let rest: Buffer = Buffer.alloc(0);
  let onFirst = () => {};
  const first = new Promise<void>((resolve) => {
    onFirst = resolve;
  });
  const pair = () => {
    while (times.length > 0 && labels.length > 0) {
      const at = times.shift();
      const label = labels.shift();
      if (at === undefined || label === undefined) return;
      frames.push({ at, label });
      onFirst();
    }
  };
  createInterface({ input: grabber.stderr }).on('line', (line) => {
    const time = /showinfo.*\bpts_time:\s*(-?[\d.]+)/.exec(line)?.[1];
    if (time !== undefined) {
      times.push(Number(time) * 1000);
      pair();
    } else if (/error|cannot|failed|refused/i.test(line)) {
      complaint = line;
    }
  });
  grabber.stdout.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= frameBytes) {
      labels.push(classify(rest.subarray(0, frameBytes)));
      rest = rest.subarray(frameBytes);
    }
    pair();
  });
  let stopped = false;
  const ended = new Promise<void>((resolve) => {
    grabber.once('error', (fault) => {
      complaint = fault.message;
      resolve();
    });
    grabber.once('close', () => resolve());
  });
  const broken = ended.then(() => {
    if (!stopped) throw new Error(`ffmpeg cannot capture the display: ${complaint || 'it ended'}`);
  });
  broken.catch(() => {});
  await Promise.race([first, broken]);
  return {
    frames,
    running: broken,
    async stop() {
      stopped = grabber.exitCode === null && grabber.signalCode === null;
      grabber.kill('SIGINT');
      await broken;
      return frames;
    },
  };
}
