import { z } from 'zod';
import type { Log } from '../../../shared/log';
import { plain } from '../../../shared/plain';
import { openStateFile } from '../../state-file';
import { jsonOf } from '../../whole-file';
import { MAX_VALID_SECONDS, type SignedCommand } from './commands';

/**
 * Most commands that are remembered of one key, and as many announcements: neither a flood of one key nor one of other
 * commands takes their places.
 */
const MAX_REMEMBERED = 1_000;

/** Commands of one key, or its announcements. Times: seconds since 1970. */
interface Place {
  /** Latest `exp` that was given up or forgotten: a command that ends no later may be one of those that came before. */
  readonly endedTo: number;
  /** `exp` by `jti`. */
  readonly commands: ReadonlyMap<string, number>;
}
type Seen = ReadonlyMap<string, Place>;

/** Name of the place of commands that a version without places stored: they may be of any key. */
const ANY_KEY = '';

/** Stands before the commands of a place. Versions without places skip it; the commands that they stored have none. */
const Head = z.object({ place: plain.text, endedTo: plain.number });
/** `[jti, exp]` of a command. */
const Line = z.tuple([plain.text, plain.number]);

export type SeenCommands = Awaited<ReturnType<typeof openSeenCommands>>;

/**
 * Remembers commands, so that each is carried out once (rule 30). Stored in `path`, one `[jti, exp]` per line. A
 * command is forgotten a week (`MAX_VALID_SECONDS`) after it expired. If there are too many of one key before, those
 * that end first are given up. What ends no later than one of these is refused from then on, whatever the clock shows.
 * That is no command of now: only one that is valid now makes others be forgotten, and they ended before it was issued.
 *
 * @param now seconds since 1970, or null while the time is not trusted: then nothing is forgotten
 */
export async function openSeenCommands(path: string, now: () => number | null, log: Log) {
  const file = await openStateFile<Seen>({
    path,
    read: (text) => readLines(text, path, log),
    write: linesOf,
    nothing: new Map(),
    ifUnread: 'keep',
    log,
    unread: 'commands that came before cannot be read; none is carried out until they can',
  });

  function withoutForgotten(seen: Seen): Seen {
    const at = now();
    if (at === null) return seen;
    const kept = [...seen].map(([name, { endedTo, commands }]) => {
      const remembered = new Map([...commands].filter(([, exp]) => exp + MAX_VALID_SECONDS >= at));
      const forgotten = [...commands].filter(([jti]) => !remembered.has(jti)).map(([, exp]) => exp);
      return [name, { endedTo: Math.max(endedTo, ...forgotten), commands: remembered }] as const;
    });
    return new Map(kept);
  }

  async function noteNow({ jti, exp, command }: Noted, by: string) {
    const name = command.name === 'announce' ? `${by} announce` : by;
    let result = 'seen-before' as 'new' | 'seen-before' | 'too-many';
    await file.change((seen) => {
      if ([...seen.values()].some(({ commands }) => commands.has(jti))) return seen;
      const { endedTo, commands } = seen.get(name) ?? NO_COMMANDS;
      const ofAnyKey = seen.get(ANY_KEY) ?? NO_COMMANDS;
      result = exp > Math.max(endedTo, ofAnyKey.endedTo) ? 'new' : 'too-many';
      if (result === 'too-many') return seen;
      const place = bounded({ endedTo, commands: new Map(commands).set(jti, exp) });
      return withoutForgotten(new Map(seen).set(name, place));
    });
    return result;
  }

  return {
    /**
     * Resolves once it is on the disk. Rejects if it cannot be stored, or if those that came before cannot be
     * read: then the command must not be carried out.
     *
     * @param by fingerprint of the key that signed it
     */
    note(command: Noted, by: string) {
      const noted = noteNow(command, by);
      noted.catch((error: unknown) => log.error('a command could not be noted', { error }));
      return noted;
    },
  };
}

type Noted = Pick<SignedCommand, 'jti' | 'exp'> & {
  readonly command: Pick<SignedCommand['command'], 'name'>;
};

const NO_COMMANDS: Place = { endedTo: 0, commands: new Map() };

/** Gives up those that end first where there are too many. */
function bounded({ endedTo, commands }: Place): Place {
  if (commands.size <= MAX_REMEMBERED) return { endedTo, commands };
  const first = Math.min(...commands.values());
  return { endedTo: first, commands: new Map([...commands].filter(([, exp]) => exp > first)) };
}

function readLines(text: string, path: string, log: Log): Seen {
  const seen = new Map<string, { endedTo: number; commands: Map<string, number> }>();
  let place = { endedTo: 0, commands: new Map<string, number>() };
  seen.set(ANY_KEY, place);
  let damaged = 0;
  for (const line of text.trim().split('\n').map(jsonOf)) {
    const head = Head.safeParse(line).data;
    const command = Line.safeParse(line).data;
    if (head) place = { endedTo: head.endedTo, commands: new Map() };
    if (head) seen.set(head.place, place);
    if (command) place.commands.set(...command);
    if (!head && !command) damaged += 1;
  }
  if (damaged > 0)
    log.error('commands that came before are lost; each could be carried out again until it expires', {
      file: path,
      lines: damaged,
    });
  return seen;
}

const linesOf = (seen: Seen): string =>
  [...seen]
    .flatMap(([place, { endedTo, commands }]) => [{ place, endedTo }, ...commands])
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
