import type { FleetProcess } from '../fleet-arguments';
import { runFleet } from '../fleet-command';
import type { FleetQuiet } from '../fleet-connection';

/** A command of `fleet` that runs in the tests' process. */
export interface RunningFleet {
  /** What it printed so far. */
  readonly out: () => string;
  readonly told: () => string;
  /** Ends it as Ctrl+C does. */
  readonly end: () => void;
  readonly done: Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

export function startFleet(
  args: readonly string[],
  more: Partial<FleetProcess> = {},
  quiet?: FleetQuiet,
): RunningFleet {
  const [out, told]: [string[], string[]] = [[], []];
  const ending = new AbortController();
  const process: FleetProcess = {
    env: {},
    now: () => Date.now(),
    out: async (words) => void out.push(words),
    writeError: async (words) => void told.push(words),
    terminal: () => null,
    ended: ending.signal,
    ...more,
  };
  const done = runFleet(args, process, quiet).then(({ exitCode, stdout, stderr }) => ({
    exitCode,
    stdout: out.join('') + stdout,
    stderr: told.join('') + stderr,
  }));
  return { out: () => out.join(''), told: () => told.join(''), end: () => ending.abort(), done };
}

export const fleet = (args: readonly string[], more: Partial<FleetProcess> = {}, quiet?: FleetQuiet) =>
  startFleet(args, more, quiet).done;
