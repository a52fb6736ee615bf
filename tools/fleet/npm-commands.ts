import { parseArgs } from 'node:util';
import { takeOptions, wholeNumber } from '../run/arguments.ts';
import { killsEnvironment, RUNS, runPlaywright, SEED, textOption } from '../run/harnesses.ts';
import { callerFolder } from '../run/places.ts';
import { type Command, kioskAnd } from '../run/prepare.ts';
import { runBuilt, runBundled, runVitest } from '../run/programs-of-ours.ts';
import { ensureSystemPackages } from '../run/system-packages.ts';

/** The commands of package.json that act on a fleet, or make one. */
export const FLEET_COMMANDS: Readonly<Record<string, Command>> = {
  // npm run -s fleet-link -- COMMAND …: `endcap fleet` from source; shows the kiosks of a fleet and acts on them
  'fleet-link': { run: (args) => runBuilt('fleet', args) },

  // npm run fleet | fleet-growth | fleet-sql | fleet-verify [-- its arguments]: proof of play in ClickHouse
  fleet: {
    run: (args) => (args.includes('--real') ? realFleet(args) : fleet('fleet', args)),
    needs: (args) => (args.includes('--real') ? kioskAnd('clickhouse-server', 'mosquitto') : undefined),
    brings: () => ['out/fleet-report'],
  },
  'fleet-growth': { run: (args) => fleet('growth', args) },
  'fleet-sql': { run: (args) => fleet('sql', args) },
  'fleet-verify': { run: (args) => fleet('verify', args) },
  // npm run fleet-chaos -- [--kills 50] [--kiosks 3] [--seed S]: kills kiosks, their networks and servers of a cluster
  // in the middle of segments; exit 1 unless the bill equals the kiosks' books
  'fleet-chaos': {
    run: chaos,
    needs: () => kioskAnd('clickhouse-server', 'zkServer.sh'),
  },
  // npm run fleet-storm [-- --kiosks 100,1000,10000]: simulated kiosks on one broker: all connect, are commanded, come back
  'fleet-storm': { run: (args) => fleet('storm', args) },
  // npm run fleet-sight [-- arguments for vitest]: alert rules and dashboards on Prometheus, VictoriaMetrics, ClickHouse
  'fleet-sight': {
    run: (args) => longTests('sight', args),
    needs: () => ({ programs: ['prometheus', 'promtool', 'victoria-metrics', 'clickhouse-server'] }),
  },
  // npm run fleet-brokers [-- --real | arguments for vitest]: kills the nodes of a NATS cluster that simulated kiosks are
  // connected to, and then a real one; with --real the real one alone
  'fleet-brokers': {
    run: async (args) => {
      const code = args[0] === '--real' ? 0 : await longTests('brokers', args);
      const isWhole = args.length === 0 || args[0] === '--real';
      return code === 0 && isWhole ? runPlaywright(RUNS, {}, { more: ['brokers.run'] }) : code;
    },
    needs: () => kioskAnd('nats-server'),
  },
  // npm run fleet-chdb [-- arguments for vitest]: the tests of tools/fleet on ClickHouse 26
  'fleet-chdb': { run: onChdb },
};

/** Runs a command of `tools/fleet`. It starts a ClickHouse of its own unless it is given the address of one. */
async function fleet(
  name: 'fleet' | 'growth' | 'sql' | 'storm' | 'verify',
  args: readonly string[],
): Promise<number> {
  const hasServer = args.some((arg) => arg.startsWith('--url'));
  const ownServer = name === 'growth' || (name === 'fleet' && !hasServer) ? ['clickhouse-server'] : [];
  const broker = name === 'storm' || name === 'fleet' ? ['mosquitto'] : [];
  await ensureSystemPackages([...ownServer, ...broker]);
  return await runBundled('fleet', 'tools/fleet/command.ts', [name, ...args], callerFolder());
}

/** Real kiosks play and ship, then the simulated ones come beside them. */
async function realFleet(args: readonly string[]): Promise<number> {
  const { values, rest } = takeOptions(args, ['real']);
  const env = { ENDCAP_FLEET_ARGS: JSON.stringify(rest) };
  const displays = wholeNumber('--real', values.real);
  return await runPlaywright(RUNS, env, { more: ['real-fleet.run'], displays });
}

async function chaos(args: readonly string[]): Promise<number> {
  const options = { kills: textOption('50'), kiosks: textOption('3'), seed: SEED };
  const { values } = parseArgs({ args: [...args], options });
  const displays = wholeNumber('--kiosks', values.kiosks);
  return await runPlaywright(RUNS, killsEnvironment(values.kills, values.seed), {
    more: ['chaos.run'],
    displays,
  });
}

/** The tests of a folder of `tools/fleet` that run for minutes. */
const longTests = (folder: string, args: readonly string[]) =>
  runVitest(['--config', `tools/fleet/${folder}/vitest.config.mts`, ...args]);

/** The tests of `tools/fleet` on ClickHouse 26. */
async function onChdb(args: readonly string[]): Promise<number> {
  const { startChdb } = await import('./chdb.mjs');
  const { url, close } = await startChdb();
  try {
    const env = { ENDCAP_TEST_CLICKHOUSE: url };
    return await runVitest(['tools/fleet', '--no-file-parallelism', ...args], env);
  } finally {
    close();
  }
}
