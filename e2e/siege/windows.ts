import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A window directly on the display, as `xwininfo -root -children` lists it. */
export interface ListedWindow {
  readonly id: string;
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

/** Smaller windows are invisible helpers of the toolkit; px. */
const SEEN_FROM = 40;
const LINE = /^\s+(0x[0-9a-f]+) (.*?):? .*?(\d+)x(\d+)[+-]-?\d+[+-]-?\d+\s/;

/** The windows of a listing that are large enough to be seen. */
export function listedWindows(listing: string): ListedWindow[] {
  return listing.split('\n').flatMap((line) => {
    const [, id, name = '', width, height] = LINE.exec(line) ?? [];
    if (id === undefined) return [];
    const window = { id, name: name.replaceAll('"', ''), width: Number(width), height: Number(height) };
    return window.width >= SEEN_FROM && window.height >= SEEN_FROM ? [window] : [];
  });
}

/** The visible windows of the display. More than one means that a dialog or other foreign window is open. */
export async function visibleWindows(): Promise<ListedWindow[]> {
  const { stdout } = await run('xwininfo', ['-root', '-children']);
  const found: ListedWindow[] = [];
  for (const window of listedWindows(stdout)) {
    // A window that was just closed can no longer be queried.
    const stats = await run('xwininfo', ['-id', window.id, '-stats']).catch(() => ({ stdout: '' }));
    if (/Map State: IsViewable/.test(stats.stdout)) found.push(window);
  }
  return found;
}
