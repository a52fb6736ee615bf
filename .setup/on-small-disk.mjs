import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { say } from './say.mjs';

// Runs the faults with a folder that has a small disk of its own, in memory; where the system lets no
// ordinary user have one, without it, and without the row about a full disk.
const [disk = '', megabytes = ''] = process.argv.slice(2);
const faults = ['node_modules/playwright/cli.js', 'test', '-c', 'e2e/faults/playwright.config.ts'];
const ownMounts = ['--map-current-user', '--keep-caps', '--mount'];
const mount = `mount -t tmpfs -o size=${megabytes}M,mode=0700 tmpfs "$1" && shift`;
// What could mount must not be handed down: Chromium builds its sandbox as anybody else would.
const unprivileged = 'exec setpriv --ambient-caps=-all --inh-caps=-all "$@"';

const canMount = spawnSync('unshare', [...ownMounts, 'sh', '-c', mount, 'sh', disk]).status === 0;
if (!canMount) say('there is no small disk to be had here: the row about a full disk is left out');
const [program, args] = canMount
  ? [
      'unshare',
      [...ownMounts, 'sh', '-c', `${mount} && ${unprivileged}`, 'sh', disk, process.execPath, ...faults],
    ]
  : [process.execPath, faults];
const { status } = spawnSync(program, args, {
  stdio: 'inherit',
  env: { ...process.env, ENDCAP_FAULTS_DISK: canMount ? disk : '' },
});
process.exitCode = status ?? 1;
