import { EMPTY_CONTEXT } from '../../decisioning/context';
import { decodeText } from '../../service/decode-text';
import { readContext } from '../../signals/signal-bodies';
import { INSPECT_USAGE, readInspectArguments, readPlays } from './inspect-arguments';
import { type InspectCircumstances, inspectAds } from './inspect-report';
import { inspectTable } from './inspect-table';

/** What the command needs of its process. */
export interface InspectProcess {
  /** Bytes of a file; "-" is standard input. Rejects with the system's error. */
  readonly readFile: (path: string) => Promise<Uint8Array>;
  /** ms since the epoch, UTC. */
  readonly now: () => number;
  /** Width of the terminal in characters. */
  readonly columns: number;
}

export interface CommandResult {
  /** 0 the response could be read, 1 it could not, 2 wrong usage. */
  readonly exitCode: 0 | 1 | 2;
  readonly stdout: string;
  /** Empty or one line. */
  readonly stderr: string;
}

type FileReading<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'fault'; readonly message: string };

/** `inspect ADS.xml [--context FILE] [--plays FILE] [--at TIME] [--screen WxH] [--json]`, without its process. */
export async function runInspect(args: readonly string[], process: InspectProcess): Promise<CommandResult> {
  const chosen = readInspectArguments(args);
  if (chosen.kind === 'help') return { exitCode: 0, stdout: `${INSPECT_USAGE}\n`, stderr: '' };
  if (chosen.kind === 'fault') return failed(2, `${chosen.message} (--help shows the usage)`);

  let context = EMPTY_CONTEXT;
  if (chosen.contextFile !== null) {
    const file = await readJson(chosen.contextFile, process);
    if (file.kind === 'fault') return failed(2, `--context: ${file.message}`);
    const reading = readContext(file.value);
    if (!reading.ok) return failed(2, `--context: ${chosen.contextFile}: ${reading.message}`);
    context = reading.context;
  }
  let plays: InspectCircumstances['plays'] = [];
  if (chosen.playsFile !== null) {
    const file = await readJson(chosen.playsFile, process);
    if (file.kind === 'fault') return failed(2, `--plays: ${file.message}`);
    const reading = readPlays(file.value);
    if (reading.kind === 'fault') return failed(2, `--plays: ${chosen.playsFile}: ${reading.message}`);
    plays = reading.plays;
  }

  const document = await readText(chosen.ads, process);
  if (document.kind === 'fault') return failed(1, document.message);
  const report = inspectAds(document.value, {
    at: chosen.at ?? process.now(),
    context,
    plays,
    screen: chosen.screen,
    metadataExtension: chosen.metadataExtension,
  });
  if ('kind' in report) return failed(1, `${chosen.ads}: ${report.code}: ${report.message}`);
  const stdout = chosen.json ? `${JSON.stringify(report, null, 2)}\n` : inspectTable(report, process.columns);
  return { exitCode: 0, stdout, stderr: '' };
}

function failed(exitCode: 1 | 2, message: string): CommandResult {
  return { exitCode, stdout: '', stderr: `inspect: ${message.replace(/\p{C}+/gu, ' ')}\n` };
}

async function readText(path: string, process: InspectProcess): Promise<FileReading<string>> {
  let bytes: Uint8Array;
  try {
    bytes = await process.readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return { kind: 'fault', message: `${path}: cannot be read (${code})` };
  }
  const text = decodeText(bytes, null);
  return text === null
    ? { kind: 'fault', message: `${path}: declares an encoding nobody knows` }
    : { kind: 'read', value: text };
}

async function readJson(path: string, process: InspectProcess): Promise<FileReading<unknown>> {
  const text = await readText(path, process);
  if (text.kind === 'fault') return text;
  try {
    return { kind: 'read', value: JSON.parse(text.value) };
  } catch {
    return { kind: 'fault', message: `${path}: not JSON` };
  }
}
