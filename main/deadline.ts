import type { Schedule } from './schedule';

/** Whether a signal was aborted by a deadline or `AbortSignal.timeout`. */
export const isTimeout = (reason: unknown): boolean =>
  reason instanceof Error && reason.name === 'TimeoutError';

/** A time limit for some work. */
export type Deadline = ReturnType<typeof startDeadline>;

/**
 * Starts a time limit. Unlike `AbortSignal.timeout` and `any`, it uses a timer that tests control, and leaves
 * no listener on a caller's signal that lives long.
 * @param ms 0 or less: aborts immediately; `Infinity`: no limit of its own
 */
export function startDeadline(ms: number, schedule: Schedule, caller?: AbortSignal | null) {
  const end = new AbortController();
  const callOff = () => end.abort(caller?.reason);
  const late = () => end.abort(new DOMException(`it took longer than ${ms} ms`, 'TimeoutError'));
  const cancel = Number.isFinite(ms) ? schedule(Math.max(0, ms), late) : () => {};
  caller?.addEventListener('abort', callOff, { once: true });
  if (caller?.aborted) callOff();
  return {
    /** Aborted after the time (see `isTimeout`), or when the caller's signal aborts, with its reason. */
    signal: end.signal,
    abort: (reason?: unknown) => end.abort(reason),
    /** Stops the timer and removes the listener on the caller's signal. */
    release(): void {
      cancel();
      caller?.removeEventListener('abort', callOff);
    },
  };
}

/**
 * The result of `work`. Rejects with the signal's reason as soon as the signal aborts, even if the work
 * ignores it. Releases the deadline at the end.
 */
export async function beforeDeadline<Result>(
  deadline: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { signal } = deadline;
  try {
    return await Promise.race([work(signal), rejectOnAbort(signal)]);
  } finally {
    deadline.release();
  }
}

/** Rejects with the signal's reason when it aborts; otherwise never settles. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
