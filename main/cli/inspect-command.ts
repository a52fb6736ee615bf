import { EMPTY_CONTEXT } from '../decisions/audience';
import { reasonOf } from '../describe-error';
import { decodeText } from '../egress/decode-text';
import { readContext } from '../signals/signal-bodies';
import { type CommandResult, failureOf, printed } from './command-result';
import { INSPECT_USAGE, readInspectArguments, readPlays } from './inspect-arguments';
import { type InspectCircumstances, inspectAds } from './inspect-report';
import { inspectTable } from './inspect-table';

/** Input and output of the command. */
export interface InspectProcess {
  /** Bytes of a file; "-" is standard input. Rejects with the system's error. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** ms since the epoch, UTC. */
  readonly now: () => number;
  /** Width of the terminal in characters. */
  readonly columns: number;
}

type FileReading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'error'; readonly message: string };

const failed = failureOf('inspect');

/** Runs `inspect ADS.xml [options]`, see `INSPECT_USAGE`; all input and output is injected. */
export async function runInspect(args: readonly string[], process: InspectProcess): Promise<CommandResult> {
  const chosen = readInspectArguments(args);
  if (chosen.kind === 'help') return printed(`${INSPECT_USAGE}\n`);
  if (chosen.kind === 'error') return failed(2, `${chosen.message} (--help shows the usage)`);

  let context = EMPTY_CONTEXT;
  if (chosen.contextFile !== null) {
    const file = await readJson(chosen.contextFile, process);
    if (file.kind === 'error') return failed(2, `--context: ${file.message}`);
    const reading = readContext(file.value);
    if (!reading.ok) return failed(2, `--context: ${chosen.contextFile}: ${reading.message}`);
    context = reading.context;
  }
  let plays: InspectCircumstances['plays'] = [];
  if (chosen.playsFile !== null) {
    const file = await readJson(chosen.playsFile, process);
    if (file.kind === 'error') return failed(2, `--plays: ${file.message}`);
    const reading = readPlays(file.value);
    if (reading.kind === 'error') return failed(2, `--plays: ${chosen.playsFile}: ${reading.message}`);
    plays = reading.plays;
  }

  const document = await readText(chosen.ads, process);
  if (document.kind === 'error') return failed(1, document.message);
  const report = inspectAds(document.value, {
    at: chosen.at ?? process.now(),
    context,
    plays,
    screen: chosen.screen,
    metadataExtension: chosen.metadataExtension,
  });
  if ('kind' in report) return failed(1, `${chosen.ads}: ${report.code}: ${report.message}`);
  return printed(
    chosen.json ? `${JSON.stringify(report, null, 2)}\n` : inspectTable(report, process.columns),
  );
}

async function readText(path: string, process: InspectProcess): Promise<FileReading<string>> {
  let bytes: Uint8Array;
  try {
    bytes = await process.readFile(path);
  } catch (error) {
    return { kind: 'error', message: `${path}: cannot be read (${reasonOf(error)})` };
  }
  const text = decodeText(bytes, null);
  return text === null
    ? { kind: 'error', message: `${path}: declares an unknown encoding` }
    : { kind: 'read', value: text };
}

async function readJson(path: string, process: InspectProcess): Promise<FileReading<unknown>> {
  const text = await readText(path, process);
  if (text.kind === 'error') return text;
  try {
    return { kind: 'read', value: JSON.parse(text.value) };
  } catch {
    return { kind: 'error', message: `${path}: not JSON` };
  }
}
