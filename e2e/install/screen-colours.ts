import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BLUE, isColour, RED } from '../two-creatives';
import { until } from '../until';
import type { VirtualScreen } from './virtual-screen';

/** The creatives of these tests: solid pictures. */
export const COLOURS = { red: RED, blue: BLUE };
type Colour = keyof typeof COLOURS;

/** Long enough for a start on a busy machine, ms. */
export const SHOWN_MS = 60_000;
const FRAMES_PER_SECOND = 20;

/** Waits until the middle of the display has this colour. */
export async function seen(screen: VirtualScreen, colour: Colour): Promise<void> {
  await until(() => isColour(COLOURS[colour], colourOnScreen(screen)), SHOWN_MS, `${colour} on the screen`);
}

/** Colour of the middle of the display, captured from outside. */
function colourOnScreen(screen: VirtualScreen): number[] {
  return [...execFileSync('ffmpeg', capture(screen, 'pipe:1', ['-frames:v', '1']), { timeout: 10_000 })];
}

function capture({ name }: VirtualScreen, to: string, howLong: readonly string[]): string[] {
  return [
    ...['-loglevel', 'error', '-nostdin', '-y', '-f', 'x11grab', '-draw_mouse', '0'],
    ...['-framerate', String(FRAMES_PER_SECOND), '-video_size', '16x16', '-i', `${name}+632,352`],
    ...[...howLong, '-vf', 'scale=1:1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', to],
  ];
}

/**
 * Captures the display while `happens` runs.
 *
 * @returns the spans in which no creative was visible, ms each; the length of the capture, ms
 */
export async function captureDuring(
  screen: VirtualScreen,
  happens: () => Promise<void>,
): Promise<{ spans: number[]; capturedMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-capture-'));
  // A file, not a pipe: calls of the clean root block this process, and a pipe would not be read.
  const file = join(folder, 'frames.rgb');
  const recorder = spawn('ffmpeg', capture(screen, file, []), { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(recorder, 'exit');
  try {
    await until(() => existsSync(file), SHOWN_MS, 'a capture');
    await happens();
  } finally {
    recorder.kill('SIGINT');
    await ended;
  }
  const bytes = readFileSync(file);
  rmSync(folder, { recursive: true });
  const spans: number[] = [];
  let dark = 0;
  for (let at = 0; at + 3 <= bytes.length; at += 3) {
    const frame = [...bytes.subarray(at, at + 3)];
    const isCreative = isColour(RED, frame) || isColour(BLUE, frame);
    if (isCreative && dark > 0) spans.push((dark * 1_000) / FRAMES_PER_SECOND);
    dark = isCreative ? 0 : dark + 1;
  }
  if (dark > 0) spans.push((dark * 1_000) / FRAMES_PER_SECOND);
  return { spans, capturedMs: (bytes.length / 3 / FRAMES_PER_SECOND) * 1_000 };
}
