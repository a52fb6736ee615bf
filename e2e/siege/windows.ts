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

/** Smaller ones are helpers of the toolkit that nobody sees. Px. */
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

/** The windows that are on the display now; more than one is a dialog or something else foreign. */
export async function visibleWindows(): Promise<ListedWindow[]> {
  const { stdout } = await run('xwininfo', ['-root', '-children']);
  const found: ListedWindow[] = [];
  for (const window of listedWindows(stdout)) {
    // One that has just been closed cannot be asked any more.
    const stats = await run('xwininfo', ['-id', window.id, '-stats']).catch(() => ({ stdout: '' }));
    if (/Map State: IsViewable/.test(stats.stdout)) found.push(window);
  }
  return found;
}
