import type { WebContents } from 'electron';

/**
 * Ends the process behind a page at once. Not `forcefullyCrashRenderer`, which
 * asks the process to crash: one that stands still does not hear it.
 */
export function endProcess(contents: WebContents): void {
  if (contents.isDestroyed()) return;
  const pid = contents.getOSProcessId();
  // 0: it has none any more, and `kill(0)` would be everybody.
  if (pid > 0) killProcess(pid);
}

/** Ends a process at once, if it is still there. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}
