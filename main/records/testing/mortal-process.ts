type Moment = 'before' | 'after';

export type MortalProcess = ReturnType<typeof mortalProcess>;

const never = () => new Promise<never>(() => {});

/**
 * A process that a test lets fail and die. Its death stops everything at once, except commands that the books
 * already execute.
 *
 * @param onMove called when a step begins and when it ends
 */
export function mortalProcess(onMove: () => void) {
  let alive = true;
  let deathIn: { steps: number; moment: Moment } | null = null;
  let faultIn: { steps: number; moment: Moment } | null = null;
  /** Counts a step down; returns its moment if it is the last one. */
  const due = (left: typeof deathIn) => (left !== null && --left.steps === 0 ? left.moment : null);
  const die = () => {
    alive = false;
  };
  return {
    isAlive: () => alive,
    die,
    /** Dies at the n-th step from now, before or after it takes effect. */
    dieAt(steps: number, moment: Moment): void {
      deathIn = { steps, moment };
    },
    /** The n-th command from now times out, before or after it was executed. */
    failAt(steps: number, moment: Moment): void {
      faultIn = { steps, moment };
    },
    /**
     * A command or a request. If the process dies just before or after it, it never resolves.
     *
     * @param lost the error of a command without an answer; null: a request
     */
    async step<Result>(act: () => Promise<Result>, lost: (() => Error) | null = null): Promise<Result> {
      if (!alive) return never();
      const dies = due(deathIn);
      const fails = lost && due(faultIn);
      onMove();
      if (dies === 'before') die();
      if (!alive) return never();
      if (lost && fails === 'before') throw lost();
      const result = await act().finally(onMove);
      if (dies === 'after') die();
      if (!alive) return never();
      if (lost && fails === 'after') throw lost();
      return result;
    },
  };
}
