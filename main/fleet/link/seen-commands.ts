import { z } from 'zod';
import type { Log } from '../../../shared/log';
import { openStateFile } from '../../state-file';
import { jsonOf } from '../../whole-file';
import { MAX_VALID_SECONDS } from './commands';

/** Most commands that are remembered. When they are reached, new ones are refused until some are forgotten. */
const MAX_REMEMBERED = 10_000;

/** `[jti, exp]` of a command. */
const Line = z.tuple([z.string(), z.number()]);
/** `exp` by `jti`. */
type Seen = ReadonlyMap<string, number>;

export type SeenCommands = Awaited<ReturnType<typeof openSeenCommands>>;

/**
 * Remembers commands, so that each is carried out once (rule 30). Stored in `path`, one `[jti, exp]` per line. A
 * command is forgotten a week (`MAX_VALID_SECONDS`) after it expired: so a clock that is set back by less than that
 * cannot make it valid again.
 *
 * @param now seconds since 1970, or null while the time is not trusted: then nothing is forgotten
 */
export async function openSeenCommands(path: string, now: () => number | null, log: Log) {
  const file = await openStateFile<Seen>({
    path,
    read: readLines,
    write: linesOf,
    nothing: new Map(),
    ifUnread: 'keep',
    log,
    unread: 'commands that came before cannot be read; none is carried out until they can',
  });

  function withoutForgotten(seen: Seen): Seen {
    const at = now();
    return at === null ? seen : new Map([...seen].filter(([, exp]) => exp + MAX_VALID_SECONDS >= at));
  }

  async function noteNow(jti: string, exp: number) {
    let result = 'seen-before' as 'new' | 'seen-before' | 'too-many';
    await file.change((seen) => {
      if (seen.has(jti)) return seen;
      const remembered = withoutForgotten(seen);
      result = remembered.size < MAX_REMEMBERED ? 'new' : 'too-many';
      return result === 'new' ? new Map(remembered).set(jti, exp) : seen;
    });
    return result;
  }

  return {
    /**
     * Resolves once it is on the disk. Rejects if it cannot be stored, or if those that came before cannot be
     * read: then the command must not be carried out.
     */
    note(jti: string, exp: number) {
      const noted = noteNow(jti, exp);
      noted.catch((error: unknown) => log.error('a command could not be noted', { error }));
      return noted;
    },
  };
}

function readLines(text: string): Seen {
  const lines = text.split('\n').map((line) => Line.safeParse(jsonOf(line)).data);
  return new Map(lines.filter((line) => line !== undefined));
}

const linesOf = (seen: Seen): string => [...seen].map((entry) => `${JSON.stringify(entry)}\n`).join('');
