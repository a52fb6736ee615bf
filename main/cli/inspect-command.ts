import { EMPTY_CONTEXT } from '../decisions/audience';
import { reasonOf } from '../describe-error';
import { decodeText } from '../egress/decode-text';
import { parseJson, syntaxErrorText } from '../settings/json-syntax';
import { readContext } from '../signals/signal-bodies';
import { CommandError, command, plainJson, printed, UsageError } from './command-result';
import { asList, INSPECT_OPTIONS, INSPECT_USAGE, readInspectArguments, readPlays } from './inspect-arguments';
import { type InspectCircumstances, inspectAds } from './inspect-report';
import { inspectTable } from './inspect-table';

export interface InspectProcess {
  /** Bytes of a file; "-" is standard input. Rejects with the system's error. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** ms since the epoch, UTC. */
  readonly now: () => number;
  /** Width of the terminal in characters. */
  readonly columns: number;
}

/** Runs `inspect ADS.xml [options]`, see `INSPECT_USAGE`; all input and output is injected. */
export const runInspect = command(
  'inspect',
  INSPECT_USAGE,
  INSPECT_OPTIONS,
  async (line, process: InspectProcess) => {
    const { ads, screen, at } = readInspectArguments(line);
    const { context: contextFile, plays: playsFile, extension = 'service-metadata', json } = line.options;

    let context = EMPTY_CONTEXT;
    if (contextFile !== undefined) {
      const reading = readContext(await readJson('--context', contextFile, process));
      if (!reading.ok) throw new UsageError(`--context: ${contextFile}: ${reading.message}`);
      context = reading.context;
    }
    let plays: InspectCircumstances['plays'] = [];
    if (playsFile !== undefined) {
      const reading = readPlays(await readJson('--plays', playsFile, process, asList));
      if (typeof reading === 'string') throw new UsageError(`--plays: ${playsFile}: ${reading}`);
      plays = reading;
    }

    const report = inspectAds(await readText(ads, process), {
      at: at ?? process.now(),
      context,
      plays,
      screen,
      metadataExtension: extension,
    });
    if ('kind' in report) throw new CommandError(`${ads}: ${report.code}: ${report.message}`);
    return printed(json ? `${plainJson(report, 2)}\n` : inspectTable(report, process.columns));
  },
);

async function readText(path: string, { readFile }: InspectProcess): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new CommandError(`${path}: cannot be read (${reasonOf(error)})`);
  });
  const text = decodeText(bytes, null);
  if (text === null) throw new CommandError(`${path}: declares an unknown encoding`);
  return text;
}

async function readJson(
  option: string,
  path: string,
  process: InspectProcess,
  prepare = (text: string) => text,
): Promise<unknown> {
  const text = await readText(path, process).catch((error: unknown) => {
    throw error instanceof CommandError ? new UsageError(`${option}: ${error.message}`) : error;
  });
  const json = parseJson(prepare(text));
  if (json.kind === 'value') return json.value;
  throw new UsageError(`${option}: ${path}: not JSON: ${syntaxErrorText(json.error)}`);
}
