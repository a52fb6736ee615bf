import { spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFrameClassifier, type Palette } from './classify-frame';
import type { LabelledFrame } from './transitions';

export const FRAMES_PER_SECOND = 60;
const READ_EVERY_MS = 50;
/** Sample points: enough to see a torn picture, few enough to judge 60 pictures a second. */
const SIZE = { width: 32, height: 18 };
/** In memory, because the kiosk keeps the disk busy and a slow write would delay the capture. */
const SHARED_MEMORY = '/dev/shm';

export interface Capture {
  /** Everything seen so far, oldest first. */
  readonly frames: readonly LabelledFrame[];
  /** Rejects when the display can no longer be captured; does not resolve before `stop`. */
  readonly running: Promise<void>;
  /** Stops the capture. Rejects when the display could not be captured. */
  stop(): Promise<void>;
}

/**
 * Captures the whole X display 60 times a second from outside and classifies each picture as it arrives.
 * Times are when the picture was taken, ms. Resolves once the first picture is there.
 */
export async function captureDisplay(palette: Palette): Promise<Capture> {
  const { DISPLAY: display } = process.env;
  if (!display)
    throw new Error('there is no X display to capture: run this with "npm test" or "npm run bench"');
  const folder = mkdtempSync(join(existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir(), 'endcap-capture-'));
  // Through files: a pipe that is not read for a moment would block the capture.
  const pictures = newFile(join(folder, 'pictures'));
  const remarks = newFile(join(folder, 'remarks'));
  const grabber = spawn(
    'ffmpeg',
    [
      ...['-nostdin', '-hide_banner', '-nostats', '-loglevel', 'info'],
      ...['-probesize', '32', '-analyzeduration', '0'],
      ...['-f', 'x11grab', '-draw_mouse', '0', '-framerate', String(FRAMES_PER_SECOND), '-i', display],
      // showinfo logs when each picture was taken; the raw pictures come in the same order.
      ...['-vf', `scale=${SIZE.width}:${SIZE.height}:flags=neighbor,format=rgb24,showinfo=checksum=0`],
      ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-flush_packets', '1', 'pipe:1'],
    ],
    { stdio: ['ignore', pictures.fd, remarks.fd] },
  );
  const classify = createFrameClassifier(palette, SIZE);
  const frameBytes = SIZE.width * SIZE.height * 3;
  const frames: LabelledFrame[] = [];
  const times: number[] = [];
  const labels: LabelledFrame['label'][] = [];
  let complaint = '';
  let onFirst = () => {};
  const first = new Promise<void>((resolve) => {
    onFirst = resolve;
  });
  const readOn = () => {
    const bytes = pictures.readOn();
    const whole = bytes.length - (bytes.length % frameBytes);
    for (let offset = 0; offset < whole; offset += frameBytes)
      labels.push(classify(bytes.subarray(offset, offset + frameBytes)));
    pictures.keep(bytes.subarray(whole));
    const text = remarks.readOn();
    const lines = text.lastIndexOf(0x0a) + 1;
    for (const line of text.subarray(0, lines).toString().split('\n')) {
      const time = /showinfo.*\bpts_time:\s*(-?[\d.]+)/.exec(line)?.[1];
      if (time !== undefined) times.push(Number(time) * 1000);
      else if (/error|cannot|failed|refused/i.test(line)) complaint = line;
    }
    remarks.keep(text.subarray(lines));
    const count = Math.min(times.length, labels.length);
    const at = times.splice(0, count);
    labels.splice(0, count).forEach((label, index) => {
      frames.push({ at: at[index] ?? Number.NaN, label });
    });
    if (frames.length > 0) onFirst();
  };
  const reading = setInterval(readOn, READ_EVERY_MS);
  let stopped = false;
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
    if (!stopped) throw new Error(`ffmpeg cannot capture the display: ${complaint || 'it ended'}`);
  });
  running.catch(() => {});
  await Promise.race([first, running]);
  return {
    frames,
    running,
    async stop() {
      stopped = stopped || (grabber.exitCode === null && grabber.signalCode === null);
      grabber.kill('SIGINT');
      await running;
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
