import { writeFile } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { errorCode, reasonOf } from '../describe-error';
import { readFileOnDisk } from '../settings/settings-file-on-disk';
import { runCheckConfig } from './check-config-command';
import type { CommandResult } from './command-result';
import { runExportPlays } from './export-plays-command';
import type { FleetProcess } from './fleet-arguments';
import { runInspect } from './inspect-command';
import { runPin } from './pin-command';
import { serviceUnit } from './service-unit';
import { runVerifyPlays } from './verify-plays-command';

/** An operator's command: takes its arguments, returns its output, or writes it as it comes. */
type Command = (args: readonly string[], output: Output, errors: Output) => Promise<CommandResult>;

/** Data folder of this machine's kiosk. */
const dataFolder = process.env.ENDCAP_DATA_DIR ?? '';

/** The commands of `endcap COMMAND …` and of the npm scripts, with this process' files and terminal. */
const commands = {
  inspect: (args) =>
    runInspect(args, {
      readFile: (path) => (path === '-' ? buffer(process.stdin) : readFile(path)),
      now: () => Date.now(),
      columns: process.stdout.columns ?? 100,
    }),
  // Questions go to standard error, so that the output can be piped.
  pin: (args) =>
    runPin(args, {
      ask: process.stdin.isTTY
        ? (question) => askHidden(question, process.stdin, (words) => process.stderr.write(words))
        : null,
      readInput: () => text(process.stdin),
    }),
  'verify-plays': runVerifyPlays,
  async 'check-config'(args) {
    const { env, ...unit } = await serviceUnit();
    return runCheckConfig(args, {
      ...unit,
      env: { ...env, ...process.env },
      platform: process.platform,
      dataDir: dataFolder,
      readFile: readFileOnDisk,
      listFolder: readdir,
      openSealed: null,
      now: () => Date.now(),
    });
  },
  'export-plays': (args, { write }) =>
    runExportPlays(args, { readData: (name) => readFile(join(dataFolder, name), 'utf8'), fetch, write }),
  // Loaded on demand, because it brings an MQTT client.
  fleet: async (args, output, errors) =>
    (await import('./fleet-command')).runFleet(args, fleetProcess(output, errors)),
} satisfies Record<string, Command>;

/**
 * Asks a question on a terminal without showing the answer. Null: cancelled (Ctrl-C, Ctrl-D). Restores the terminal's
 * mode. What came after the answer (both PINs may be pasted at once) answers the next question.
 */
export async function askHidden(
  question: string,
  input: NodeJS.ReadableStream,
  say: (text: string) => void,
): Promise<string | null> {
  const unseen = new Writable({ write: (_echo, _encoding, done) => done() });
  const lines = createInterface({ input, output: unseen, terminal: true });
  const typed: string[] = [];
  say(question);
  const isAnswered = await new Promise<boolean>((resolve) => {
    lines.on('line', (line) => {
      typed.push(line);
      resolve(true);
    });
    lines.once('close', () => resolve(false));
  });
  const rest = [...typed.slice(1), lines.line].join('\n');
  lines.close();
  if (isAnswered && rest !== '') input.unshift(Buffer.from(rest));
  say('\n');
  return isAnswered ? (typed[0] ?? '') : null;
}

function fleetProcess(output: Output, errors: Output): FleetProcess {
  const ended = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.abort());
  const { stdout } = process;
  return {
    env: process.env,
    now: () => Date.now(),
    async out(words) {
      // `watch` would go on for ever.
      if (!(await output.write(words))) ended.abort();
    },
    writeError: async (words) => void (await errors.write(words)),
    terminal: () => (stdout.isTTY ? { columns: stdout.columns ?? 100, rows: stdout.rows ?? 25 } : null),
    ended: ended.signal,
  };
}

/**
 * Runs a command and writes its output; resolves to the exit status: 2 for an unknown command, 1 at least for an output
 * that cannot be written.
 */
export async function runCommand(
  name: string,
  args: readonly string[],
  streams: { readonly stdout: OutputStream; readonly stderr: OutputStream } = process,
): Promise<number> {
  const [output, errors] = [openOutput(streams.stdout), openOutput(streams.stderr)];
  const command: Command | undefined = new Map<string, Command>(Object.entries(commands)).get(name);
  const { exitCode, stdout, stderr }: CommandResult = command
    ? await command(args, output, errors)
    : { exitCode: 2, stdout: '', stderr: `endcap: there is no command "${name}"\n` };
  if (stdout !== '') await output.write(stdout);
  await errors.write(stderr);
  if (output.error === null) return exitCode;
  await errors.write(`${name}: the output cannot be written (${output.error})\n`);
  return exitCode || 1;
}

type OutputStream = NodeJS.WritableStream & { readonly fd?: number };
type Output = ReturnType<typeof openOutput>;

/** Standard output or standard error of a command, which goes on when it cannot be written. */
export function openOutput(stream: OutputStream) {
  // The error event follows the callback; without a listener it would end the process.
  stream.on('error', () => {});
  const { fd } = stream;
  const output = {
    /** Why it could not be written, the first time; null: it could, or a pipe was closed (`head`), which is no error. */
    error: null as string | null,
    /** Resolves when the text is written, so that the process may end; to false if it was not. */
    write: (words: string) =>
      new Promise<boolean>((resolve) => {
        const done = (error?: Error | null) => {
          if (error && !CLOSED.has(errorCode(error))) output.error ??= reasonOf(error);
          resolve(!error);
        };
        // Node's stream of a file does not report that a full disk took only a part of the text.
        if (fd === undefined || stream instanceof Socket) stream.write(words, done);
        else writeFile(fd, words, done);
      }),
  };
  return output;
}

/** Error codes of a write to a closed pipe (the first one, and those after it), and to an output that is not open. */
const CLOSED: ReadonlySet<string | null> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'EBADF']);
