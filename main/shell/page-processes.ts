import type { WebContents, WebFrameMain } from 'electron';

const ended = new WeakSet<WebContents>();

/** Whether main has killed the process behind these contents: then no creative is blamed for its end (rule 11). */
export const wasKilledByMain = (contents: WebContents): boolean => ended.has(contents);

/**
 * Kills the process behind these contents at once. Not with `forcefullyCrashRenderer`, which asks the process to
 * crash: a process that hangs does not answer.
 */
export function killByMain(contents: WebContents): void {
  if (contents.isDestroyed()) return;
  ended.add(contents);
  const pid = contents.getOSProcessId();
  // 0: it has no process any more, and `kill(0)` would kill our whole process group.
  if (pid > 0) killProcess(pid);
}

/** Kills a process at once. Returns false if it has just ended by itself. */
export function killProcess(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** A page's frames that have a process; none after its renderer has crashed: Electron then throws. */
export function framesOf(contents: WebContents): readonly WebFrameMain[] {
  if (contents.isDestroyed()) return [];
  try {
    return contents.mainFrame.framesInSubtree.filter(({ osProcessId }) => osProcessId > 0);
  } catch {
    return [];
  }
}

/** Ids of the processes behind a page and its frames. */
export const frameProcesses = (contents: WebContents): readonly number[] =>
  framesOf(contents).map(({ osProcessId }) => osProcessId);
