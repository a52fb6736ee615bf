import { errorCode, reasonOf } from '../describe-error';
import { asksForUsage, type CommandResult, failureOf, printed } from './command-result';

const EXPORT_PLAYS_USAGE = `Usage: export-plays [--from TIME] [--to TIME]

Prints the plays that the running kiosk has in its books, a JSON object a line, in
the order of their time. The kiosk must be running. The overlay exports plays with
a signature.

  --from TIME   plays from this moment on (RFC 3339)
  --to TIME     plays before this moment (RFC 3339)

Exit status: 0 all of them were printed, 1 not, 2 wrong usage.`;

/** Input and output of the command. */
export interface ExportPlaysProcess {
  /** Text of a file of the kiosk's data folder; rejects with the system's error. */
  readonly readData: (name: string) => Promise<string>;
  readonly fetch: typeof globalThis.fetch;
  /** Writes to standard output; resolves when there is room for more. */
  readonly write: (text: string) => Promise<void>;
}

const failed = failureOf('export-plays');

/**
 * Runs `export-plays [--from TIME] [--to TIME]`; all input and output is injected. Plays are printed as they arrive.
 */
export async function runExportPlays(
  args: readonly string[],
  { readData, fetch, write }: ExportPlaysProcess,
): Promise<CommandResult> {
  if (asksForUsage(args)) return printed(`${EXPORT_PLAYS_USAGE}\n`);
  const query = readArguments(args);
  if (query === null) return failed(2, 'expected --from TIME and --to TIME (--help shows the usage)');
  let port: string;
  let token: string;
  try {
    port = (await readData('signals-port')).trim();
    token = (await readData('signals-token')).trim();
  } catch (error) {
    const reason = reasonOf(error);
    return reason === 'ENOENT'
      ? failed(1, 'the kiosk does not run. Start it: systemctl start endcap')
      : failed(1, `the kiosk's data folder cannot be read (${reason}); root and the kiosk's own user may`);
  }
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/plays?${query}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (!answer.ok || !answer.body) {
      return failed(
        1,
        `the kiosk rejected the request (${answer.status}): ${(await answer.text()).slice(0, 500)}`,
      );
    }
    const decoder = new TextDecoder();
    for await (const piece of answer.body) await write(decoder.decode(piece, { stream: true }));
    return printed('');
  } catch (error) {
    const code = errorCode(error instanceof Error ? error.cause : null);
    return failed(
      1,
      `the kiosk's answer broke off (${code ?? String(error)}), so the output is incomplete. Run the command again`,
    );
  }
}

/** The query of the request; null for anything but the two instants. */
function readArguments(args: readonly string[]): URLSearchParams | null {
  const query = new URLSearchParams();
  for (let index = 0; index < args.length; index += 2) {
    const name = args[index];
    const value = args[index + 1];
    if ((name !== '--from' && name !== '--to') || value === undefined) return null;
    query.set(name.slice(2), value);
  }
  return query;
}
