import { appendFile, readFile } from 'node:fs/promises';
import type { Log } from '../../../shared/log';
import { oneByOne } from '../../one-by-one';
import { writeWholeFile } from '../../whole-file';
import { MAX_VALID_SECONDS } from './commands';

/** How many commands are remembered at most; beyond it none is taken until some are over. */
const MOST_REMEMBERED = 10_000;
/** Lines of the file beyond what is remembered, after which it is written anew. */
const MOST_SURPLUS = 1_000;

/** Which commands came before: each is carried out once (rule 30). */
export interface SeenCommands {
  /** Resolves once it is on the disk; rejects where that failed: then it must not be carried out. */
  note(jti: string, exp: number): Promise<'new' | 'seen-before' | 'too-many'>;
}

/**
 * Kept in `path`, one `[jti, exp]` a line. A command is forgotten once it is over by more than a command may be valid:
 * so a clock that goes back by a week brings none to life.
 *
 * @param now seconds since 1970, or null while the time is not trusted: then nothing is forgotten
 */
export async function openSeenCommands(
  path: string,
  now: () => number | null,
  log: Log,
): Promise<SeenCommands> {
  const seen = new Map<string, number>();
  let lines = 0;
  /** A line that a power cut left unfinished must not swallow the next. */
  let start = '\n';
  const inOrder = oneByOne();
  for (const line of (await readFile(path, 'utf8').catch(() => '')).split('\n')) {
    const read = readLine(line);
    if (read) seen.set(...read);
    lines += 1;
  }

  function forget(): void {
    const at = now();
    if (at === null) return;
    for (const [jti, exp] of seen) if (exp + MAX_VALID_SECONDS < at) seen.delete(jti);
  }

  async function noteNow(jti: string, exp: number): Promise<'new' | 'seen-before' | 'too-many'> {
    if (seen.has(jti)) return 'seen-before';
    forget();
    if (seen.size >= MOST_REMEMBERED) return 'too-many';
    if (lines > seen.size + MOST_SURPLUS) {
      await writeWholeFile(path, [...seen].map(lineOf), 0o600);
      lines = seen.size;
    }
    await appendFile(path, start + lineOf([jti, exp]), { mode: 0o600, flush: true });
    start = '';
    seen.set(jti, exp);
    lines += 1;
    return 'new';
  }

  return {
    note(jti, exp) {
      const noted = inOrder(() => noteNow(jti, exp));
      noted.catch((error: unknown) => log.error('a command could not be noted', { error }));
      return noted;
    },
  };
}

const lineOf = (entry: readonly [string, number]) => `${JSON.stringify(entry)}\n`;

function readLine(line: string): [string, number] | null {
  try {
    const read: unknown = JSON.parse(line);
    if (!Array.isArray(read)) return null;
    const [jti, exp] = read;
    return typeof jti === 'string' && typeof exp === 'number' ? [jti, exp] : null;
  } catch {
    return null;
  }
}
