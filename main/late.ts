/** Something that is called before it is there. */
export interface Late<T> {
  /** Takes the calls. */
  readonly calls: T;
  /** It is there: makes the calls so far on it, in their order, and all later ones at once. */
  use(target: T): void;
}

/**
 * Stands in for what is loaded later, lest the first picture wait for its library:
 * the log, the metrics. Only for calls that nobody waits for an answer of.
 */
export function createLate<T extends { [Name in keyof T]: (...given: never[]) => void }>(
  names: readonly (keyof T)[],
): Late<T> {
  let target: T | null = null;
  const waiting: ((target: T) => void)[] = [];
  const call =
    (name: keyof T) =>
    (...given: never[]): void => {
      if (target) target[name](...given);
      else waiting.push((late) => late[name](...given));
    };
  return {
    calls: Object.fromEntries(names.map((name) => [name, call(name)])) as T,
    use(next) {
      try {
        // What they bring about comes behind them.
        for (let make = waiting.shift(); make !== undefined; make = waiting.shift()) make(next);
      } finally {
        target = next;
      }
    },
  };
}
