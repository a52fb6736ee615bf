import type { WebContents } from 'electron';

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
