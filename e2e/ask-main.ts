import type { ElectronApplication } from 'playwright';

/** A process that is loading its code may lose so many answers in a row. */
const TRIES = 10;
/** Answers that are kept for whoever has to ask again. */
const KEPT = 50;

let asked = 0;

/**
 * Has `app.evaluate` ask again where the answer got lost, without running anything twice.
 *
 * The inspector waits for an answer with a promise that V8 may collect: now and then it does so in a main
 * process that is loading its code. What was run there is kept under a number, and is answered when it is
 * asked for again.
 */
export function askAgain(app: ElectronApplication): void {
  const evaluate = app.evaluate.bind(app);
  const ask = async (run: unknown, given?: unknown): Promise<unknown> => {
    asked += 1;
    const question: Question = { id: asked, code: String(run), given, kept: KEPT };
    for (let tries = 1; ; tries += 1) {
      try {
        return await evaluate(runOnce, question);
      } catch (fault) {
        if (tries === TRIES || !/promise was garbage collected/i.test(String(fault))) throw fault;
      }
    }
  };
  app.evaluate = ask as typeof app.evaluate;
}

interface Question {
  readonly id: number;
  readonly code: string;
  readonly given: unknown;
  readonly kept: number;
}

/** Runs in the main process. */
function runOnce(electron: unknown, { id, code, given, kept }: Question): unknown {
  const world = globalThis as unknown as { answers?: Map<number, unknown> };
  world.answers ??= new Map();
  const { answers } = world;
  if (!answers.has(id)) {
    // biome-ignore lint/security/noGlobalEval: what a journey wants to have run, as Playwright itself hands it over.
    const run = globalThis.eval(`(${code})`) as (electron: unknown, given: unknown) => unknown;
    answers.set(id, run(electron, given));
    answers.delete(id - kept);
  }
  return answers.get(id);
}
