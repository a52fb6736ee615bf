import { runAsUser } from './as-user.mjs';
import { watchNpm } from './keep-running.mjs';
import { startedAsRoot } from './places.mjs';
import { prepare } from './prepare.mjs';
import { asCommand, CommandError } from './say.mjs';

/**
 * A command of package.json. Its modules are loaded when it is asked for.
 * @typedef {object} Command
 * @property {(args: string[]) => Promise<number>} run resolves with the exit code
 * @property {(args: string[]) => import('./prepare.mjs').Needs | undefined} [needs] what is set up before it runs. Root
 *   sets that up, and has the command run by an ordinary user; without `needs` it runs as whoever called it
 * @property {(args: string[]) => string[]} [brings] files and folders that it writes for the person
 */

const KIOSK = { electron: true, built: true };

/** @type {Record<string, Command>} */
const COMMANDS = {
  // npm start -- [--config FILE] [--data-dir DIR] [--windowed] [more for Electron]
  start: { run: async (args) => (await import('./kiosk.mjs')).start(args) },
  // npm run setup [-- --official]: everything a start needs, so that the start needs no network
  setup: { run: async (args) => (await import('./kiosk.mjs')).setUp(args.includes('--official')) },
  // npm run dev -- [the options of npm start]
  dev: { run: async (args) => (await import('./dev.mjs')).startDev(args) },
  // npm test [-- --only static|unit|package|e2e [arguments for vitest or playwright]]; its last line is the sum
  test: {
    run: async (args) => (await import('./test.mjs')).runTests(args),
    needs: ([, group]) => TEST_NEEDS[group ?? 'all'] ?? {},
    brings: () => ['test-results'],
  },

  // npm run bench [-- NAME … [-g TITLE] [--slots N] [--minutes N]]: the benchmarks of e2e/bench whose file names hold a
  // NAME, of those with -g only the parts whose titles hold TITLE; those of many slots over N, the footprint after
  // N minutes; results in out/bench.json
  bench: {
    run: async (args) => (await import('./harnesses.mjs')).bench(args),
    needs: () => ({
      programs: ['Xvfb', 'ffmpeg', 'clickhouse-server', 'mosquitto'],
      ...KIOSK,
    }),
    brings: () => ['out/bench.json'],
  },
  // npm run kills -- [200] [--seed S]: kills a playing kiosk so often and looks what is left; exit 1 on any loss
  kills: {
    run: async (args) => (await import('./harnesses.mjs')).kills(args),
    needs: () => ({ programs: ['Xvfb'], ...KIOSK }),
  },
  // npm run faults [-- WORDS,WORDS]: does every fault whose row holds one of the WORDS to a playing kiosk;
  // their rows of docs/faults.md are renewed
  faults: {
    run: async (args) => (await import('./harnesses.mjs')).faults(args),
    needs: () => ({ programs: ['Xvfb', 'ffmpeg', 'xdotool', 'xrandr'], ...KIOSK }),
    brings: () => ['docs/faults.md'],
  },
  // npm run siege: attacks a playing kiosk for an hour; exit 1 on the first step that breaks an invariant.
  // --write puts the summary into docs/security.md
  siege: {
    run: async (args) => (await import('./harnesses.mjs')).siege(args),
    needs: () => ({ programs: ['Xvfb', 'ffmpeg', 'xdotool', 'xwininfo'], ...KIOSK }),
    brings: (args) => ['test-results/siege', ...(args.includes('--write') ? ['docs/security.md'] : [])],
  },
  // npm run screenshot: the picture of the README, of the demo as it plays right after its start
  // npm run screenshot -- overlay: every page of the staff's overlay and the set-up, into test-results/overlay;
  // some of them and sheets of all into docs/overlay
  // npm run screenshot -- touch: every page that shoppers touch, with the reach line, into test-results/touch; sheets
  // of all into docs/touch
  // npm run screenshot -- announcements: announcements on both displays, into test-results/announcements; sheets of all
  // into docs/announcements
  // npm run screenshot -- creatives: every kind of creative in every rotation, into docs/creatives
  screenshot: {
    run: async (args) => (await import('./screenshot.mjs')).takePictures(args),
    needs: () => ({ ...TEST_NEEDS.e2e }),
    brings: ([what]) =>
      what === undefined ? ['e2e/screenshots/playing.png'] : [`docs/${what}`, `test-results/${what}`],
  },

  // npm run fuzz -- READER [--minutes N] [--seed S] [--replay FILE]: reads hostile inputs; exit 1 on a finding
  fuzz: { run: async (args) => (await import('./programs-of-ours.mjs')).fuzz(args) },
  // npm run service [-- its arguments]: the embedded ad service alone, without Electron
  service: { run: async (args) => (await import('./programs-of-ours.mjs')).serve(args) },
  // npm run -s inspect -- ADS.xml […]: standard output is the report's alone
  inspect: { run: async (args) => (await import('./programs-of-ours.mjs')).runBuilt('inspect', args) },
  // npm run -s pin: asks for a PIN and prints what `admin.pinHash` takes; standard output is the hash's alone
  pin: { run: async (args) => (await import('./programs-of-ours.mjs')).runBuilt('pin', args) },
  // npm run -s verify-plays -- FILE KEY: whether an export is whole, and whose it is
  'verify-plays': {
    run: async (args) => (await import('./programs-of-ours.mjs')).runBuilt('verify-plays', args),
  },

  // npm run -s fleet-link -- COMMAND …: `endcap fleet` from source; shows the kiosks of a fleet and acts on them
  'fleet-link': { run: async (args) => (await import('./programs-of-ours.mjs')).runBuilt('fleet', args) },

  // npm run fleet | fleet-growth | fleet-sql | fleet-verify [-- its arguments]: proof of play in ClickHouse
  fleet: {
    run: async (args) =>
      args.includes('--real')
        ? (await import('./harnesses.mjs')).realFleet(args)
        : (await import('./programs-of-ours.mjs')).fleet('fleet', args),
    needs: (args) =>
      args.includes('--real')
        ? { programs: ['Xvfb', 'clickhouse-server', 'mosquitto'], ...KIOSK }
        : undefined,
    brings: () => ['out/fleet-report'],
  },
  'fleet-growth': { run: async (args) => (await import('./programs-of-ours.mjs')).fleet('growth', args) },
  'fleet-sql': { run: async (args) => (await import('./programs-of-ours.mjs')).fleet('sql', args) },
  'fleet-verify': { run: async (args) => (await import('./programs-of-ours.mjs')).fleet('verify', args) },
  // npm run fleet-chaos -- [--kills 50] [--kiosks 3] [--seed S]: kills kiosks, their networks and servers of a cluster
  // in the middle of segments; exit 1 unless the bill equals the kiosks' books
  'fleet-chaos': {
    run: async (args) => (await import('./harnesses.mjs')).chaos(args),
    needs: () => ({ programs: ['Xvfb', 'clickhouse-server', 'java', 'zkServer.sh'], ...KIOSK }),
  },
  // npm run fleet-storm [-- --kiosks 100,1000,10000]: simulated kiosks on one broker: all connect, are commanded, come back
  'fleet-storm': { run: async (args) => (await import('./programs-of-ours.mjs')).fleet('storm', args) },
  // npm run fleet-sight [-- arguments for vitest]: alert rules and dashboards on Prometheus, VictoriaMetrics, ClickHouse
  'fleet-sight': { run: async (args) => (await import('./programs-of-ours.mjs')).fleetTests('sight', args) },
  // npm run fleet-brokers [-- --real | arguments for vitest]: kills the nodes of a NATS cluster that simulated kiosks are
  // connected to, and then a real one; with --real the real one alone
  'fleet-brokers': {
    run: async (args) => {
      if (args[0] !== '--real') {
        const code = await (await import('./programs-of-ours.mjs')).fleetTests('brokers', args);
        if (code !== 0 || args.length > 0) return code;
      }
      return (await import('./harnesses.mjs')).runPlaywright('real-fleet', {}, { more: ['brokers.run'] });
    },
    needs: () => ({ programs: ['Xvfb', 'nats-server'], ...KIOSK }),
  },
  // npm run fleet-chdb [-- arguments for vitest]: the tests of tools/fleet on ClickHouse 26
  'fleet-chdb': { run: async (args) => (await import('./programs-of-ours.mjs')).fleetOnChdb(args) },

  // npm run package [-- --allow-third-party-runtime] [--arm64] [--electron-dist DIR] [more for electron-builder]: the
  // application, on Linux a .deb of it
  package: { run: async (args) => (await import('./application.mjs')).makePackage(args) },
  // npm run apt-repository -- --out DIR --key KEY [--url URL] [--percent N] [--window A-B] [PACKAGE.deb …]: makes or
  // extends the signed repository that kiosks take updates from
  'apt-repository': {
    run: async (args) => (await import('../packaging/apt/command.mjs')).aptRepository(args),
  },
  // npm run install-test: the Debian package on a clean Debian, from its installation to its purge
  // npm run install-test -- upgrade: unattended updates from a repository, and the way back from a bad one
  'install-test': {
    run: async ([name]) => (await import('./application.mjs')).installTest(name ?? 'install'),
  },
};

const E2E = [
  ...['Xvfb', 'ffmpeg', 'xdotool', 'xrandr', 'xwininfo', 'weston', 'tinyproxy', 'certutil'],
  ...['sway', 'ddcutil', 'cec-ctl', 'clickhouse-server', 'mosquitto', 'espeak-ng'],
];
/** @type {Record<string, import('./prepare.mjs').Needs>} */
const TEST_NEEDS = {
  static: {},
  unit: { programs: ['Xvfb', 'xdpyinfo', 'clickhouse-server', 'mosquitto', 'espeak-ng'] },
  package: { programs: ['dpkg-deb', 'systemd-analyze', 'reprepro', 'gpg'], electron: true },
  e2e: { programs: E2E, ...KIOSK },
  all: {
    programs: [...E2E, 'xdpyinfo', 'dpkg-deb', 'systemd-analyze', 'reprepro', 'gpg'],
    ...KIOSK,
  },
};

const [name = '', ...args] = process.argv.slice(2);
await asCommand(async () => {
  const command = COMMANDS[name];
  if (command === undefined) {
    throw new CommandError(
      `usage: node tools/run/index.mjs COMMAND …, one of ${Object.keys(COMMANDS).join(' ')}`,
    );
  }
  watchNpm();
  const needs = command.needs?.(args);
  if (needs === undefined) return command.run(args);
  try {
    await prepare(needs);
  } catch (error) {
    if (name === 'test') process.once('exit', () => console.log('0 passed, 1 failed'));
    throw error;
  }
  if (!startedAsRoot) return command.run(args);
  return (await runAsUser(name, args, command.brings?.(args) ?? [])) ?? command.run(args);
});
