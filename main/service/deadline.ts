import type { Schedule } from './schedule';

/** Why a signal is aborted whose time is over. It has the name that `AbortSignal.timeout` gives its reason. */
class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'timeout';
}

export const isTimeout = (reason: unknown): boolean =>
  reason instanceof Error && reason.name === 'TimeoutError';

/** The time that some work has. */
export interface Deadline {
  /** Aborted after the time (`isTimeout` knows the reason), or with the caller's signal and its reason. */
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
  /** Stops the timer, and listens to the caller's signal no more. */
  release(): void;
}

/**
 * Not `AbortSignal.timeout` and `any`: the timer is one that tests turn by hand, and
 * nothing is left at a caller's signal that lives long.
 *
 * @param ms at once if there are none left; `Infinity`: without an end of its own
 */
export function startDeadline(ms: number, schedule: Schedule, caller?: AbortSignal | null): Deadline {
  const end = new AbortController();
  const callOff = () => end.abort(caller?.reason);
  const late = () => end.abort(new TimeoutError(`it took longer than ${ms} ms`));
  const cancel = Number.isFinite(ms) ? schedule(Math.max(0, ms), late) : () => {};
  caller?.addEventListener('abort', callOff, { once: true });
  if (caller?.aborted) callOff();
  return {
    signal: end.signal,
    abort: (reason) => end.abort(reason),
    release() {
      cancel();
      caller?.removeEventListener('abort', callOff);
    },
  };
}

/**
 * What `work` resolves to. Rejects with the reason of the deadline's signal once that
 * is aborted, even if the work does not heed it. Releases the deadline at the end.
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

/** Rejects with the signal's reason once it is given, and never settles otherwise. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
