/** Longest turn, ms: short enough to go unnoticed, as a frame lasts 16 ms at 60 frames per second. */
const TURN_MS = 5;

/** Most small pieces of work in one turn. */
const TURN_PIECES = 200;

/** Lets other work of this thread run. */
export const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export type Turns = ReturnType<typeof inTurns>;

/**
 * Divides long work into turns: a turn is over after `TURN_MS` or `TURN_PIECES`, whichever comes first.
 *
 * @param pause lets other work run; resolves when this work may continue
 */
export function inTurns(pause: () => Promise<void>) {
  let began = performance.now();
  let pieces = 0;
  const turns = {
    /** Call after every small piece of work; returns whether it is time for `next`. */
    isOver(): boolean {
      pieces += 1;
      return pieces >= TURN_PIECES || performance.now() - began >= TURN_MS;
    },
    /** Lets other work run, then begins a new turn. */
    async next(): Promise<void> {
      await pause();
      began = performance.now();
      pieces = 0;
    },
    /** Does a small piece of work with each item. */
    async each<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
      for (const item of items) {
        work(item);
        if (turns.isOver()) await turns.next();
      }
    },
  };
  return turns;
}

/** Callers with the same key share the work that is under way for it. */
export function shared<Key, Result>(work: (key: Key) => Promise<Result>): (key: Key) => Promise<Result> {
  const underWay = new Map<Key, Promise<Result>>();
  return (key) => {
    const known = underWay.get(key);
    if (known) return known;
    const begun = work(key).finally(() => underWay.delete(key));
    underWay.set(key, begun);
    return begun;
  };
}

/** Runs tasks one after the other, in the order of their calls. An error of one does not stop the next. */
export function oneByOne(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    // Not the result: it would stay in memory until the next task.
    last = done.then(
      () => {},
      () => {},
    );
    return done;
  };
}
