import { MAX_ANNOUNCEMENT_MS } from '../fleet/link/announcement';
import { Command } from '../fleet/link/commands';
import { parseJson, syntaxErrorText } from '../settings/json-syntax';
import { UsageError } from './command-result';
import { type FleetOptions, readSeconds } from './fleet-arguments';

/** The longest announcement that a kiosk accepts. */
const MAX_ANNOUNCEMENT_SECONDS = MAX_ANNOUNCEMENT_MS / 1_000;
const MAX_SETTINGS_BYTES = 128 * 1024;

/** What a command is read from in addition to its words. */
export interface CommandInput {
  readonly options: FleetOptions;
  /** ms since the epoch. */
  readonly now: number;
  /** Text of a file that the operator named. */
  readonly readText: (path: string, most: number) => Promise<string>;
}

/** How each command is written, for the usage and for errors. */
export const COMMAND_SYNTAX = {
  refresh: 'refresh',
  screenshot: 'screenshot [WIDTH]',
  pause: 'pause MINUTES',
  resume: 'resume',
  'restart-player': 'restart-player',
  'restart-kiosk': 'restart-kiosk',
  volume: 'volume 0…1|auto',
  announce:
    'announce TEXT [--severity information|warning|emergency] [--language en] [--until TIME|30m], announce --end',
  display: 'display on|off|auto',
  log: 'log [LINES]',
  settings: 'settings FILE|none',
} as const satisfies Record<Command['name'], string>;

const OF_ANNOUNCE = ['severity', 'language', 'until', 'end'] as const;
const DISPLAY: Readonly<Record<string, boolean | null>> = { on: true, off: false, auto: null };

/** Reads a command from the words of `send`. Throws `UsageError` if they are invalid. */
export async function parseCommand(words: readonly string[], input: CommandInput): Promise<Command> {
  const [name = '', argument, ...more] = words;
  const how = Object.hasOwn(COMMAND_SYNTAX, name)
    ? COMMAND_SYNTAX[name as keyof typeof COMMAND_SYNTAX]
    : null;
  if (how === null) {
    const got = name === '' ? 'nothing' : JSON.stringify(name);
    throw new UsageError(`send: expected a command (${Object.keys(COMMAND_SYNTAX).join(', ')}), got ${got}`);
  }
  const isEnd = name === 'announce' && input.options.end === true;
  const extra = OF_ANNOUNCE.find(
    (option) => input.options[option] !== undefined && (isEnd ? option !== 'end' : name !== 'announce'),
  );
  if (extra !== undefined) throw new UsageError(`send: ${name}${isEnd ? ' --end' : ''} takes no --${extra}`);
  const read = Command.safeParse({ name, ...(await fieldsOf(name, argument, input)) });
  const takesNone = (how === name || input.options.end === true) && argument !== undefined;
  if (read.success && more.length === 0 && !takesNone) return read.data;
  const [issue] = read.error?.issues ?? [];
  const what = issue === undefined ? '' : ` (${issue.path.join('.')}: ${issue.message})`;
  throw new UsageError(`send: expected ${how}, got ${JSON.stringify(words.join(' '))}${what}`);
}

async function fieldsOf(name: string, argument: string | undefined, input: CommandInput): Promise<object> {
  const { options } = input;
  const number = argument === undefined || argument.trim() === '' ? undefined : Number(argument);
  switch (name) {
    case 'screenshot':
      return argument === undefined ? {} : { width: number };
    case 'pause':
      return { minutes: number };
    case 'volume':
      return { volume: argument === 'auto' ? null : number };
    case 'log':
      return argument === undefined ? {} : { lines: number };
    case 'display':
      return {
        on: argument !== undefined && Object.hasOwn(DISPLAY, argument) ? DISPLAY[argument] : undefined,
      };
    case 'announce': {
      if (options.end === true) return { text: null };
      const { severity, language } = options;
      return {
        text: argument,
        until: readUntil(options.until, input.now),
        ...(severity === undefined ? {} : { severity }),
        ...(language === undefined ? {} : { language }),
      };
    }
    case 'settings':
      if (argument === undefined) return {};
      return { settings: argument === 'none' ? null : await readSettings(argument, input) };
    default:
      return {};
  }
}

function readUntil(words: string | undefined, now: number): string | null {
  if (words === undefined) return null;
  if (/^\d+[smhd]$/.test(words))
    return new Date(now + readSeconds('until', words, MAX_ANNOUNCEMENT_SECONDS) * 1_000).toISOString();
  return words;
}

async function readSettings(path: string, { readText }: CommandInput): Promise<unknown> {
  const json = parseJson(await readText(path, MAX_SETTINGS_BYTES));
  if (json.kind === 'value') return json.value;
  throw new UsageError(`${path}: expected settings as JSON; ${syntaxErrorText(json.error)}`);
}
