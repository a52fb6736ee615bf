import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './kiosk';

/** `endcap fleet …` from source, in a process of its own. */
export interface RunningFleetCommand {
  /** What it printed so far. */
  out(): string;
  /** As Ctrl+C. */
  end(): void;
  /** When it has ended. `told`: its standard error. */
  readonly done: Promise<{ readonly code: number | null; readonly out: string; readonly told: string }>;
}

export function startFleetCommand(args: readonly string[]): RunningFleetCommand {
  const child = spawn(process.execPath, [join(root, 'out/main/command.js'), 'fleet', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, told] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
  });
  const done = once(child, 'close').then(([code]: (number | null)[]) => ({ code: code ?? null, out, told }));
  return { out: () => out, end: () => void child.kill('SIGINT'), done };
}

export const fleetCommand = (args: readonly string[]) => startFleetCommand(args).done;
