import { type CommandOutput, outputOf } from './command-line';
import { runFleet } from './fleet-command';
import { runGrowth } from './growth-command';
import { runSql } from './sql-command';
import { runStorm, runStormShare } from './storm/storm-command';
import { runVerify } from './verify/verify-command';

// The process of `npm run fleet`, `fleet-verify`, `fleet-sql`, `fleet-growth` and `fleet-storm`.
const COMMANDS: Readonly<
  Record<string, (args: readonly string[], output: CommandOutput) => Promise<number>>
> = {
  fleet: runFleet,
  growth: runGrowth,
  verify: runVerify,
  sql: runSql,
  storm: runStorm,
  // The child processes of `storm`.
  'storm-kiosks': runStormShare,
};

const [name = '', ...args] = process.argv.slice(2);
const output = outputOf(process.stdout, process.stderr);
process.exitCode = (await COMMANDS[name]?.(args, output)) ?? 2;
