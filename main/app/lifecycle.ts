import type { Log } from '../../shared/log';

/** What has to be stopped at an orderly end. */
export interface Disposable {
  dispose(): void | Promise<void>;
}

/**
 * The parts that are running, in the order in which they were started; at first none. An error in one part does not
 * keep the others from being disposed.
 */
export function createLifecycle(log: Log) {
  const kept: Disposable[] = [];
  const errors: unknown[] = [];
  let ending: Promise<void> | null = null;

  async function dispose(part: Disposable): Promise<void> {
    try {
      await part.dispose();
    } catch (error) {
      log.error('a part could not be stopped', { error });
      errors.push(error);
    }
  }

  async function disposeAll(): Promise<void> {
    for (let last = kept.pop(); last !== undefined; last = kept.pop()) await dispose(last);
    if (errors.length > 0) throw errors[0];
  }

  return {
    /** Disposes `part` at the end, before everything that was kept earlier; at once if the end has come already. */
    keep<Part extends Disposable>(part: Part): Part {
      if (ending) void dispose(part);
      else kept.push(part);
      return part;
    },
    /** Disposes everything, one part after the other. Rejects with the first error, when all were disposed. */
    end(): Promise<void> {
      ending ??= disposeAll();
      return ending;
    },
  };
}
