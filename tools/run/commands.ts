import { FLEET_COMMANDS } from '../fleet/npm-commands.ts';
import { installTest, makePackage } from '../packaging/application.ts';
import { aptRepository } from '../packaging/apt/command.ts';
import { runAsUser } from './as-user.ts';
import { bench, faults, kills, siege } from './harnesses.ts';
import { watchNpm } from './keep-running.ts';
import { setUp, start } from './kiosk.ts';
import { ordinaryUser } from './ordinary-user.ts';
import { type Command, kioskAnd, type Needs, prepare } from './prepare.ts';
import { fuzz, runBuilt, serve } from './programs-of-ours.ts';
import { CommandError } from './say.ts';
import { takePictures } from './screenshot.ts';
import { readTestArguments, runTests } from './test.ts';

const E2E = [
  ...['ffmpeg', 'xdotool', 'xrandr', 'weston', 'tinyproxy', 'certutil'],
  ...['sway', 'ddcutil', 'cec-ctl', 'clickhouse-server', 'mosquitto', 'espeak-ng', 'dbus-daemon'],
];
const PACKAGE = ['dpkg-deb', 'systemd-analyze', 'reprepro', 'gpg'];

/** What the groups of `npm test` need. */
const TEST_NEEDS: Readonly<Record<string, Needs>> = {
  unit: { programs: ['Xvfb', 'xdpyinfo', 'clickhouse-server', 'mosquitto', 'espeak-ng', 'jq'] },
  package: { programs: PACKAGE, electron: true },
  e2e: kioskAnd(...E2E),
  all: kioskAnd(...E2E, 'xdpyinfo', 'jq', ...PACKAGE),
};

const COMMANDS: Readonly<Record<string, Command>> = {
  // npm start -- [--config FILE] [--data-dir DIR] [--windowed] [more for Electron]
  start: { run: start },
  // npm run setup [-- --official]: everything a start needs, so that the start needs no network
  setup: { run: setUp },
  // npm run dev -- [the options of npm start]
  dev: { run: async (args) => (await import('./dev.ts')).startDev(args) },
  // npm test [-- --only static|unit|package|e2e [arguments for vitest or playwright]]; its last line is the sum
  test: {
    run: runTests,
    needs: (args) => TEST_NEEDS[readTestArguments(args).group ?? 'all'] ?? {},
    brings: () => ['test-results'],
  },

  // npm run bench [-- NAME … [-g TITLE] [--slots N] [--minutes N]]: the benchmarks of e2e/bench whose file names hold a
  // NAME, of those with -g only the parts whose titles hold TITLE; those of many slots over N, the footprint after
  // N minutes; results in out/bench.json
  bench: {
    run: bench,
    needs: () => kioskAnd('ffmpeg', 'clickhouse-server', 'mosquitto'),
    brings: () => ['out/bench.json'],
  },
  // npm run kills -- [200] [--seed S]: kills a playing kiosk that many times and checks its books; exit 1 on any loss
  kills: { run: kills, needs: () => kioskAnd() },
  // npm run faults [-- WORDS,WORDS]: causes each fault whose row contains one of the WORDS on a playing kiosk, and
  // updates the rows of docs/faults.md
  faults: {
    run: faults,
    needs: () => kioskAnd('ffmpeg', 'xdotool', 'xrandr'),
    brings: () => ['docs/faults.md'],
  },
  // npm run siege: attacks a playing kiosk for an hour; exit 1 on the first step that breaks an invariant.
  // --write puts the summary into docs/security.md
  siege: {
    run: siege,
    needs: () => kioskAnd('ffmpeg', 'xdotool'),
    brings: (args) => ['test-results/siege', ...(args.includes('--write') ? ['docs/security.md'] : [])],
  },
  // npm run screenshot -- overlay: every page of the staff's overlay and the set-up, into test-results/overlay;
  // some of them and sheets of all into docs/overlay
  // npm run screenshot -- touch: every page that shoppers touch, with the reach line, into test-results/touch; sheets
  // of all into docs/touch
  // npm run screenshot -- announcements: announcements on both displays, into test-results/announcements; sheets of all
  // into docs/announcements
  // npm run screenshot -- creatives: every kind of creative in every rotation, into docs/creatives
  screenshot: {
    run: takePictures,
    needs: () => TEST_NEEDS.e2e,
    brings: ([what]) => [`docs/${what}`, `test-results/${what}`],
  },

  // npm run fuzz -- READER [--minutes N] [--seed S] [--replay FILE]: reads hostile inputs; exit 1 on a finding
  fuzz: { run: fuzz },
  // npm run service [-- its arguments]: the embedded ad service alone, without Electron
  service: { run: serve },
  // npm run -s inspect -- ADS.xml […]: standard output is the report's alone
  inspect: { run: (args) => runBuilt('inspect', args) },
  // npm run -s pin: asks for a PIN and prints what `admin.pinHash` takes; standard output is the hash's alone
  pin: { run: (args) => runBuilt('pin', args) },
  // npm run -s verify-plays -- FILE KEY: whether an export is complete, and which kiosk signed it
  'verify-plays': { run: (args) => runBuilt('verify-plays', args) },

  ...FLEET_COMMANDS,

  // npm run package [-- --allow-third-party-runtime] [--arm64] [--electron-dist DIR] [more for electron-builder]: the
  // application, on Linux a .deb of it
  package: { run: makePackage },
  // npm run apt-repository -- --out DIR --key KEY [--url URL] [--percent N] [--window A-B] [PACKAGE.deb …]: makes or
  // extends the signed repository that kiosks take updates from
  'apt-repository': { run: aptRepository },
  // npm run install-test: the Debian package on a clean Debian, from its installation to its purge
  // npm run install-test -- upgrade: unattended updates from a repository, and the way back from a bad one
  'install-test': { run: installTest },
};

async function runCommand([name = '', ...args]: readonly string[]): Promise<number> {
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
  const user = await ordinaryUser();
  if (user === null) return command.run(args);
  return await runAsUser(user, name, args, { brings: command.brings?.(args) ?? [] });
}

/** The messages of Node for a wrong argument also say what to do. */
const isForeseen = (error: unknown): error is Error =>
  error instanceof CommandError ||
  (error instanceof TypeError && 'code' in error && `${error.code}`.startsWith('ERR_PARSE_ARGS'));

try {
  process.exitCode = await runCommand(process.argv.slice(2));
} catch (error) {
  if (isForeseen(error)) process.stderr.write(`${error.message}\n`);
  else console.error(error);
  process.exitCode = 1;
}
