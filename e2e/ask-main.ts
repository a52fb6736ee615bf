import type { ElectronApplication } from 'playwright';

/** Tries per call: a process that is loading its code may lose several answers in a row. */
const MAX_TRIES = 10;
/** Answers that are stored for a repeated call. */
const MAX_ANSWERS = 50;

let asked = 0;

/**
 * Makes `app.evaluate` run the code as a task of its own, once, and repeat a call whose answer was lost.
 *
 * The inspector runs code wherever the main process is just then: in the middle of a function, whose data may be half
 * written. It also waits for an answer with a promise that V8 may collect, which sometimes happens in a main process
 * that is loading its code. Each call therefore has a number under which its answer is stored.
 */
export function makeEvaluateReliable(app: ElectronApplication): void {
  const evaluate = app.evaluate.bind(app);
  const ask = async (run: unknown, given?: unknown): Promise<unknown> => {
    asked += 1;
    const question: Question = { id: asked, code: String(run), given, maxAnswers: MAX_ANSWERS };
    for (let tries = 1; ; tries += 1) {
      try {
        return await evaluate(runOnce, question);
      } catch (error) {
        if (tries === MAX_TRIES || !/promise was garbage collected/i.test(String(error))) throw error;
      }
    }
  };
  app.evaluate = ask as typeof app.evaluate;
}

interface Question {
  readonly id: number;
  readonly code: string;
  readonly given: unknown;
  readonly maxAnswers: number;
}

/** Runs in the main process. */
function runOnce(electron: unknown, { id, code, given, maxAnswers }: Question): unknown {
  const world = globalThis as unknown as { answers?: Map<number, unknown> };
  world.answers ??= new Map();
  const { answers } = world;
  if (!answers.has(id)) {
    // biome-ignore lint/security/noGlobalEval: what a journey wants to have run, as Playwright itself hands it over.
    const run = globalThis.eval(`(${code})`) as (electron: unknown, given: unknown) => unknown;
    const answer = new Promise(setImmediate).then(() => run(electron, given));
    answers.set(id, answer);
    answers.delete(id - maxAnswers);
  }
  return answers.get(id);
}
