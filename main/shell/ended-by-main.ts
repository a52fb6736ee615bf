import type { WebContents } from 'electron';
import { endProcess } from './end-process';

const ended = new WeakSet<WebContents>();

/** Main is about to end the process behind these contents: its death is no harm that a creative did (rule 11). */
export function noteEndedByMain(contents: WebContents): void {
  ended.add(contents);
}

/** Ends the process behind these contents at once, also one that stands still. */
export function endByMain(contents: WebContents): void {
  if (contents.isDestroyed()) return;
  noteEndedByMain(contents);
  endProcess(contents);
}

export const wasEndedByMain = (contents: WebContents): boolean => ended.has(contents);
