import { appendFile } from 'node:fs/promises';
import { z } from 'zod';
import { RecordedAction } from '../../shared/admin';
import type { Log } from '../../shared/log';
import { oneByOne } from '../turns';
import { jsonOf, readTextIfThere, writeWholeFile } from '../whole-file';

/** From more than `MAX_KEPT` actions the latest `KEPT` stay. */
const MAX_KEPT = 1_000;
const KEPT = 500;

/** The form of earlier versions: details had no kinds. */
const EarlierAction = RecordedAction.extend({
  detail: z
    .string()
    .max(500)
    .transform((text) => ({ kind: 'text' as const, text })),
});

/** What staff and operators did, with the time; stored across restarts. */
export type ActionRecord = Awaited<ReturnType<typeof openActionRecord>>;

/**
 * Stored in `file`, one JSON object a line (mode 0600); lines that cannot be read are skipped. A file that cannot be
 * read at all is only appended to, because its lines may be good.
 */
export async function openActionRecord(file: string, log: Log) {
  let isRead = true;
  const stored = await readTextIfThere(file).catch((error: unknown) => {
    log.error('the record of actions cannot be read, so it is only appended to', { file, error });
    isRead = false;
    return null;
  });
  const actions = (stored ?? '').split('\n').flatMap((line) => readLine(line) ?? []);
  const inOrder = oneByOne();

  async function write(action: RecordedAction): Promise<void> {
    try {
      const isCut = actions.length > MAX_KEPT;
      if (isCut) actions.splice(0, actions.length - KEPT);
      if (isCut && isRead) {
        // Actions that were noted meanwhile are written in their own turns.
        const written = actions.slice(0, actions.indexOf(action) + 1);
        await writeWholeFile(file, written.map(lineOf), 0o600);
      } else await appendFile(file, lineOf(action), { mode: 0o600, flush: true });
    } catch (error) {
      log.error('an action could not be recorded', { action: action.action, error });
    }
  }

  return {
    /** Never rejects: a full disk must not stop an action. */
    note(action: RecordedAction): Promise<void> {
      actions.push(action);
      log.info(action.who ? "an action of the fleet's operator" : 'an action in the overlay', { ...action });
      return inOrder(() => write(action));
    },
    /** Latest first. */
    latest: (limit: number): RecordedAction[] => actions.slice(-limit).reverse(),
  };
}

/** It begins with a line end, because a power cut or a full disk may have left the line before incomplete. */
const lineOf = (action: RecordedAction): string => `\n${JSON.stringify(action)}\n`;

function readLine(line: string): RecordedAction | null {
  const written = jsonOf(line);
  return RecordedAction.safeParse(written).data ?? EarlierAction.safeParse(written).data ?? null;
}
