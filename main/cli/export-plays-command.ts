import { instant } from '../../shared/clock';
import { errorCode, reasonOf } from '../describe-error';
import { readInstant } from '../service/ads-reading/instant';
import { CommandError, command, printed, UsageError } from './command-result';

const EXPORT_PLAYS_USAGE = `Usage: export-plays [--from TIME] [--to TIME]

Prints the plays that the running kiosk has in its books, a JSON object a line, in
the order of their time. The kiosk must be running. The overlay exports plays with
a signature.

  --from TIME   plays from this moment on (RFC 3339)
  --to TIME     plays before this moment (RFC 3339)

Exit status: 0 all of them were printed, 1 not, 2 wrong usage.`;

const NOT_RUNNING = 'the kiosk does not run. Start it: systemctl start endcap';
/** A kiosk whose port is taken, or whose disk is full, plays on without a port file. */
const NOT_LISTENING =
  'the kiosk does not run (start it: systemctl start endcap), or its local API does not listen; overlay and log say why';

export interface ExportPlaysProcess {
  /** Text of a file of the kiosk's data folder; rejects with the system's error. */
  readonly readData: (name: string) => Promise<string>;
  readonly fetch: typeof globalThis.fetch;
  /** Writes to standard output; resolves when there is room for more, to false when nothing more can be written. */
  readonly write: (text: string) => Promise<boolean>;
}

/**
 * Runs `export-plays [--from TIME] [--to TIME]`; all input and output is injected. Plays are printed as they arrive.
 */
export const runExportPlays = command(
  'export-plays',
  EXPORT_PLAYS_USAGE,
  { from: { type: 'string' }, to: { type: 'string' } },
  async ({ words, options }, { readData, fetch, write }: ExportPlaysProcess) => {
    if (words.length > 0) throw new UsageError('expected --from TIME and --to TIME (--help shows the usage)');
    const query = new URLSearchParams();
    for (const [name, time] of Object.entries(options)) {
      const at = readInstant(time);
      if (at === null)
        throw new UsageError(
          `--${name}: expected an RFC 3339 time such as 2026-01-31T12:00:00Z, got ${JSON.stringify(time)}`,
        );
      // RFC 3339 allows small letters, the API does not.
      query.set(name, instant(at));
    }
    const { port, token } = await accessToKiosk(readData);
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/plays?${query}`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      if (!answer.ok || !answer.body) {
        const why = (await answer.text()).slice(0, 500);
        throw new CommandError(`the kiosk rejected the request (${answer.status}): ${why}`);
      }
      const decoder = new TextDecoder();
      for await (const piece of answer.body) {
        const isRead = await write(decoder.decode(piece, { stream: true }));
        if (!isRead) return { exitCode: 1, stdout: '', stderr: '' };
      }
      return printed('');
    } catch (error) {
      if (error instanceof CommandError) throw error;
      const code = errorCode(error instanceof Error ? error.cause : null);
      // A kiosk that was killed leaves its port file.
      if (code === 'ECONNREFUSED') throw new CommandError(NOT_RUNNING);
      throw new CommandError(
        `the kiosk's answer broke off (${code ?? String(error)}), so the output is incomplete. Run the command again; if a program that reads its output stood still for 25 seconds, write to a file`,
      );
    }
  },
);

/** Port and token of the running kiosk's API, from its data folder. */
async function accessToKiosk(readData: ExportPlaysProcess['readData']) {
  try {
    const port = (await readData('signals-port')).trim();
    return { port, token: (await readData('signals-token')).trim() };
  } catch (error) {
    const reason = reasonOf(error);
    throw new CommandError(
      reason === 'ENOENT'
        ? NOT_LISTENING
        : `the kiosk's data folder cannot be read (${reason}); root and the kiosk's own user may`,
    );
  }
}
