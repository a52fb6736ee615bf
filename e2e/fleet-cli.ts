import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from './kiosk';

/** `endcap fleet …`, running from source in its own process. */
export interface RunningFleetCommand {
  out(): string;
  /** Sends SIGINT, as Ctrl+C does. */
  end(): void;
  /** Resolves when it has ended. `told`: its standard error. */
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
