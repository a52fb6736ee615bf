import type { WebContents } from 'electron';

const ended = new WeakSet<WebContents>();

/** Main is about to end the process behind these contents: its death is no harm that a creative did (rule 11). */
export function noteEndedByMain(contents: WebContents): void {
  ended.add(contents);
}

export const wasEndedByMain = (contents: WebContents): boolean => ended.has(contents);

/**
 * Ends the process behind these contents at once. Not `forcefullyCrashRenderer`, which
 * asks the process to crash: a process that hangs does not answer.
 */
export function endByMain(contents: WebContents): void {
  if (contents.isDestroyed()) return;
  noteEndedByMain(contents);
  const pid = contents.getOSProcessId();
  // 0: it has none any more, and `kill(0)` would end our whole process group.
  if (pid > 0) killProcess(pid);
}

/** Ends a process at once, if it still runs. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

/** Ids of the processes behind a page and its frames; none once its renderer has crashed, for Electron then throws. */
export function frameProcesses(contents: WebContents): readonly number[] {
  if (contents.isDestroyed()) return [];
  try {
    return contents.mainFrame.framesInSubtree.flatMap(({ osProcessId }) =>
      osProcessId > 0 ? [osProcessId] : [],
    );
  } catch {
    return [];
  }
}
