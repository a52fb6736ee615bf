import { appendFile, readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { RecordedAction } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { oneByOne } from '../turns';
import { writeWholeFile } from '../whole-file';

/** How many of the latest actions are kept. */
const KEPT = 1_000;
/** A larger file is rewritten with the latest actions, which fill half of it, bytes. */
const MOST_BYTES = 512 * 1024;

/** The form of earlier versions: details had no kinds. */
const EarlierAction = RecordedAction.extend({
  detail: z
    .string()
    .max(500)
    .transform((text) => ({ kind: 'text' as const, text })),
});

/** What staff and operators did, with the time; stored across restarts. */
export type ActionRecord = Awaited<ReturnType<typeof openActionRecord>>;

/** Stored in `file`, one JSON object a line (mode 0600); lines that cannot be read are skipped. */
export async function openActionRecord(file: string, log: Log) {
  const stored = await readFile(file, 'utf8').catch(() => '');
  const actions = stored
    .slice(-2 * MOST_BYTES)
    .split('\n')
    .flatMap((line) => readLine(line) ?? [])
    .slice(-KEPT);
  const inOrder = oneByOne();
  /** The last line is incomplete: the next one must not become a part of it. */
  let isCutOff = stored !== '' && !stored.endsWith('\n');

  async function write(action: RecordedAction): Promise<void> {
    try {
      const before = isCutOff ? '\n' : '';
      // Until it is written whole: a full disk takes a part of a line.
      isCutOff = true;
      await appendFile(file, `${before}${JSON.stringify(action)}\n`, { mode: 0o600, flush: true });
      isCutOff = false;
      if ((await stat(file)).size > MOST_BYTES) await writeWholeFile(file, latestLines(actions), 0o600);
    } catch (error) {
      log.error('an action could not be recorded', { action: action.action, error });
    }
  }

  return {
    /** Never rejects: a full disk must not stop an action. */
    note(action: RecordedAction): Promise<void> {
      actions.push(action);
      if (actions.length > KEPT) actions.shift();
      log.info(action.who ? "an action of the fleet's operator" : 'an action in the overlay', { ...action });
      return inOrder(() => write(action));
    },
    /** Latest first. */
    latest: (limit: number): RecordedAction[] => actions.slice(-limit).reverse(),
  };
}

/** The latest actions that fit into half of `MOST_BYTES`. */
function latestLines(actions: readonly RecordedAction[]): string {
  let lines = '';
  for (const action of [...actions].reverse()) {
    const line = `${JSON.stringify(action)}\n`;
    if (lines.length + line.length > MOST_BYTES / 2) break;
    lines = line + lines;
  }
  return lines;
}

function readLine(line: string): RecordedAction | null {
  try {
    const written: unknown = JSON.parse(line);
    return RecordedAction.safeParse(written).data ?? EarlierAction.safeParse(written).data ?? null;
  } catch {
    return null;
  }
}
