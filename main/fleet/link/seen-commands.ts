import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Log } from '../../../shared/log';
import { oneByOne } from '../../turns';
import { jsonOf, writeWholeFile } from '../../whole-file';
import { MAX_VALID_SECONDS } from './commands';

/** Most commands that are remembered. When they are reached, new ones are refused until some are forgotten. */
const MOST_REMEMBERED = 10_000;

/** `[jti, exp]` of a command. */
const Line = z.tuple([z.string(), z.number()]);

export type SeenCommands = Awaited<ReturnType<typeof openSeenCommands>>;

/**
 * Remembers commands, so that each is carried out once (rule 30). Stored in `path`, one `[jti, exp]` per line. A
 * command is forgotten a week (`MAX_VALID_SECONDS`) after it expired: so a clock that is set back by less than that
 * cannot make it valid again.
 *
 * @param now seconds since 1970, or null while the time is not trusted: then nothing is forgotten
 */
export async function openSeenCommands(path: string, now: () => number | null, log: Log) {
  const seen = new Map<string, number>();
  const inOrder = oneByOne();
  let unreadable: unknown = null;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') unreadable = error;
    return '';
  });
  for (const line of text.split('\n')) {
    const { data } = Line.safeParse(jsonOf(line));
    if (data) seen.set(...data);
  }

  function forget(): void {
    const at = now();
    if (at === null) return;
    for (const [jti, exp] of seen) if (exp + MAX_VALID_SECONDS < at) seen.delete(jti);
  }

  async function noteNow(jti: string, exp: number): Promise<'new' | 'seen-before' | 'too-many'> {
    if (unreadable !== null) throw unreadable;
    if (seen.has(jti)) return 'seen-before';
    forget();
    if (seen.size >= MOST_REMEMBERED) return 'too-many';
    const lines = [...seen, [jti, exp]].map((entry) => `${JSON.stringify(entry)}\n`);
    await writeWholeFile(path, lines.join(''), 0o600);
    seen.set(jti, exp);
    return 'new';
  }

  return {
    /**
     * Resolves once it is on the disk. Rejects if it cannot be stored, or if those that came before could not be
     * read: then the command must not be carried out.
     */
    note(jti: string, exp: number) {
      const noted = inOrder(() => noteNow(jti, exp));
      noted.catch((error: unknown) => log.error('a command could not be noted', { error }));
      return noted;
    },
  };
}
