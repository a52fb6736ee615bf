import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../../run/arguments';
import { HOLDS_ALL, startMosquitto } from '../brokers/mosquitto';
import { commandLine } from '../command-line';
import { runStormKiosks, type StormShare } from './storm-kiosks';
import { startStormOperator } from './storm-operator';

const USAGE = `Usage: npm run fleet-storm -- [--kiosks 100,1000,10000] [--now-every 10] [--steady 30]

Simulated kiosks on one mosquitto of this machine: all connect at once, tell what
they show every few seconds, and get a command; then the broker is killed and
started, and all come back. Prints a row for each number of kiosks.

Exit status: 0 all kiosks came, answered and came back, 1 not, 2 wrong usage.`;

/** Kiosks in one process. */
const SHARE = 1_250;
/** Span of the first wait before connecting, the same as in a real kiosk, ms. */
const FIRST_SPAN_MS = 5_000;
/** Linux counts processor time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

interface Row {
  readonly kiosks: number;
  readonly connectS: number;
  readonly messagesPerS: number;
  readonly brokerCores: number;
  readonly brokerMb: number;
  readonly answers: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lastMs: number;
  readonly backS: number;
}

/** Runs the command `fleet-storm`. */
export const runStorm = commandLine('fleet-storm', USAGE, readOptions, async (options, { out, error }) => {
  out(COLUMNS.map(([heading]) => heading.padStart(heading.length + 2)).join(''));
  let areAll = true;
  for (const kiosks of options.kiosks) {
    error(`fleet-storm: ${kiosks} kiosks`);
    const row = await measure(kiosks, options.nowEveryMs, options.steadyMs);
    out(COLUMNS.map(([heading, value]) => value(row).padStart(heading.length + 2)).join(''));
    areAll &&= row.answers === kiosks && Number.isFinite(row.connectS + row.backS);
  }
  return areAll ? 0 : 1;
});

const kioskName = (number: number): string =>
  createHash('sha256').update(`storm ${number}`).digest('hex').slice(0, 16);

const COLUMNS: readonly (readonly [string, (row: Row) => string])[] = [
  ['kiosks', ({ kiosks }) => String(kiosks)],
  ['all online, s', ({ connectS }) => connectS.toFixed(1)],
  ['messages/s', ({ messagesPerS }) => messagesPerS.toFixed(0)],
  ['broker, cores', ({ brokerCores }) => brokerCores.toFixed(3)],
  ['broker, MB', ({ brokerMb }) => brokerMb.toFixed(0)],
  ['answers', ({ answers }) => String(answers)],
  ['p50, ms', ({ p50Ms }) => p50Ms.toFixed(0)],
  ['p99, ms', ({ p99Ms }) => p99Ms.toFixed(0)],
  ['last, ms', ({ lastMs }) => lastMs.toFixed(0)],
  ['all back, s', ({ backS }) => backS.toFixed(1)],
];

async function measure(kiosks: number, nowEveryMs: number, steadyMs: number): Promise<Row> {
  const broker = await startMosquitto(HOLDS_ALL);
  const operator = await startStormOperator(broker.url);
  const children: ChildProcess[] = [];
  try {
    for (let first = 0; first < kiosks; first += SHARE) {
      const length = Math.min(SHARE, kiosks - first);
      const names = Array.from({ length }, (_, index) => kioskName(first + index));
      const { publicKey } = operator;
      const share: StormShare = { url: broker.url, names, publicKey, nowEveryMs, firstSpanMs: FIRST_SPAN_MS };
      children.push(fork(process.argv[1] ?? '', ['storm-kiosks', JSON.stringify(share)]));
    }
    const connectMs = await operator.untilOnline(kiosks);
    const [heard, used] = [operator.heard(), usageOf(broker.pid())];
    await wait(steadyMs);
    const [heardLater, usedLater] = [operator.heard(), usageOf(broker.pid())];
    const answers = await operator.command(kiosks);
    const at = (share: number) => answers[Math.ceil(answers.length * share) - 1] ?? Number.NaN;
    await broker.kill();
    operator.forget();
    await broker.start();
    const backMs = await operator.untilOnline(kiosks);
    return {
      kiosks,
      connectS: connectMs / 1_000,
      messagesPerS: (heardLater - heard) / (steadyMs / 1_000),
      brokerCores: (usedLater.cpuSeconds - used.cpuSeconds) / (steadyMs / 1_000),
      brokerMb: usedLater.residentMb,
      answers: answers.length,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      lastMs: at(1),
      backS: backMs / 1_000,
    };
  } finally {
    for (const child of children) {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
    }
    await operator.close();
    await broker.close();
  }
}

/** Processor time and resident memory of a process (Linux). */
function usageOf(pid: number | null): { cpuSeconds: number; residentMb: number } {
  // The program's name, in parentheses, may contain spaces and parentheses.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const resident = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { cpuSeconds: ticks / TICKS_PER_SECOND, residentMb: Number(resident) / 1_024 };
}

function readOptions(args: string[]) {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { kiosks: text, 'now-every': text, steady: text } });
  return {
    kiosks: (values.kiosks ?? '100,1000,10000')
      .split(',')
      .map((each) => wholeNumber('--kiosks', each, 1, 100_000)),
    nowEveryMs: wholeNumber('--now-every', values['now-every'] ?? '10', 1, 3_600) * 1_000,
    steadyMs: wholeNumber('--steady', values.steady ?? '30', 1, 3_600) * 1_000,
  };
}

/** Runs a share of the kiosks in a child process, until it is killed or its parent exits. */
export async function runStormShare([share = '{}']: readonly string[]): Promise<number> {
  process.once('disconnect', () => process.exit());
  runStormKiosks(JSON.parse(share) as StormShare);
  return new Promise<number>(() => {});
}
