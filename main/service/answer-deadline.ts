import type { Schedule } from './schedule';

/** What an answer may take in all, from its request to the last document behind its wrappers, ms (rule 31). */
export const ANSWER_MS = 120_000;

/**
 * Runs `work` with a signal that is aborted after `ms` (at once if none are left),
 * or with `outer`. The timer ends with the work; what `work` rejects with is passed on.
 */
export async function withinMs<Result>(
  ms: number,
  schedule: Schedule,
  work: (signal: AbortSignal) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> {
  const deadline = new AbortController();
  const cancel = schedule(Math.max(0, ms), () => deadline.abort());
  const signal = outer === undefined ? deadline.signal : AbortSignal.any([deadline.signal, outer]);
  try {
    return await work(signal);
  } finally {
    cancel();
  }
}
