import type { WebContents } from 'electron';

const ended = new WeakSet<WebContents>();

/** Main is about to end the process behind these contents: its death is no harm that a creative did (rule 11). */
export function noteEndedByMain(contents: WebContents): void {
  ended.add(contents);
}

export const wasEndedByMain = (contents: WebContents): boolean => ended.has(contents);
