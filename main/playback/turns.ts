/** Work of main that nobody notices, ms: a frame of 60 a second has 16. */
const TURN_MS = 5;

/** Small pieces of work in one turn at most. */
const TURN_PIECES = 200;

/** Long work in turns: one is over after `TURN_MS` or `TURN_PIECES`, whichever comes first. */
export interface Turns {
  /** To be asked after every small piece of work: whether it is time for `next`. */
  isOver(): boolean;
  /** Lets other work run, then begins a new turn. */
  next(): Promise<void>;
}

/** @param pause lets other work run; resolves when it is this one's turn again */
export function inTurns(pause: () => Promise<void>): Turns {
  let began = performance.now();
  let pieces = 0;
  return {
    isOver() {
      pieces += 1;
      return pieces >= TURN_PIECES || performance.now() - began >= TURN_MS;
    },
    async next() {
      await pause();
      began = performance.now();
      pieces = 0;
    },
  };
}
