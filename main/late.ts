import { systemNow } from './shell/system-now';

/** Something that is called before it is there. */
export interface Late<T> {
  /** Takes the calls. */
  readonly calls: T;
  /**
   * It is there: makes the calls so far on it, in their order, and all later ones at
   * once. `asOf`, where the time of a call matters, answers what takes those so far by
   * when they were made, ms since the epoch.
   */
  use(target: T, asOf?: (at: number) => T): void;
  /** Runs `hurry` with the first of these calls that has to wait, even if that has come already. */
  whenCalled(names: readonly (keyof T)[], hurry: () => void): void;
}

/**
 * Stands in for what is loaded later, lest the first picture wait for its library:
 * the log, the metrics. Only for calls that nobody waits for an answer of.
 *
 * @param now ms since the epoch
 */
export function createLate<T extends { [Name in keyof T]: (...given: never[]) => void }>(
  names: readonly (keyof T)[],
  now: () => number = systemNow,
): Late<T> {
  let target: T | null = null;
  const waiting: { readonly at: number; readonly name: keyof T; readonly make: (target: T) => void }[] = [];
  let hurried: readonly (keyof T)[] = [];
  let hurry = (): void => {};
  const call =
    (name: keyof T) =>
    (...given: never[]): void => {
      if (target) target[name](...given);
      else {
        waiting.push({ at: now(), name, make: (late) => late[name](...given) });
        if (hurried.includes(name)) hurry();
      }
    };
  return {
    calls: Object.fromEntries(names.map((name) => [name, call(name)])) as T,
    use(next, asOf = () => next) {
      try {
        // What they bring about comes behind them.
        for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
          first.make(asOf(first.at));
        }
      } finally {
        target = next;
      }
    },
    whenCalled(names, run) {
      hurried = names;
      hurry = run;
      if (waiting.some(({ name }) => hurried.includes(name))) hurry();
    },
  };
}
