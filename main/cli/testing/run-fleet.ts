import type { FleetProcess } from '../fleet-arguments';
import { runFleet } from '../fleet-command';
import type { FleetQuiet } from '../fleet-connection';

/** A command of `fleet` that runs in the tests' process. */
export function startFleet(args: readonly string[], more: Partial<FleetProcess> = {}, quiet?: FleetQuiet) {
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
  return {
    /** What it printed so far. */
    out: () => out.join(''),
    told: () => told.join(''),
    /** Ends it as Ctrl+C does. */
    end: () => ending.abort(),
    done,
  };
}

export const fleet = (args: readonly string[], more: Partial<FleetProcess> = {}, quiet?: FleetQuiet) =>
  startFleet(args, more, quiet).done;
