import { type Profiler, Session } from 'node:inspector';

/**
 * Detects whether an input made code run that no earlier input did. It uses V8's own counters, so it needs no
 * instrumented code and no native add-on.
 */
export interface Coverage {
  /** Whether anything new ran since the last call. */
  foundNew(): boolean;
  stop(): void;
}

export function startCoverage(isOwn: (url: string) => boolean): Coverage {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const seen = new Set<string>();
  return {
    foundNew() {
      let isNew = false;
      for (const { url, scriptId, functions } of taken(session)) {
        if (!isOwn(url)) continue;
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            if (count === 0) continue;
            // How often, in powers of two: a loop that runs much longer than before is new as well.
            const key = `${scriptId}:${startOffset}:${endOffset}:${Math.floor(Math.log2(count))}`;
            if (!seen.has(key)) isNew = true;
            seen.add(key);
          }
        }
      }
      return isNew;
    },
    stop() {
      session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
}

/** The callback is called before `post` returns: both ends are on this thread. */
function taken(session: Session): readonly Profiler.ScriptCoverage[] {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (_error, answer) => {
    scripts = answer?.result ?? [];
  });
  return scripts;
}
