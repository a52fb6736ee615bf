import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { electronExecutable, root } from '../kiosk';
import { processTree } from '../process-tree';
import { until } from '../until';
import { xdotool } from '../xdotool';
import type { Fault } from './run-faults';
import type { Scene } from './scene';

const kill = (pid: number) => process.kill(pid, 'SIGKILL');
/** Stops processes for this time (SIGSTOP), as an overloaded machine does. */
async function standStill(pids: readonly number[], ms: number): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  await sleep(ms);
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // The process has ended in the meantime.
    }
  }
}
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const database = ({ dataDir }: Scene) => join(dataDir, 'IndexedDB');
const xrandr = (...words: readonly string[]) => execFileSync('xrandr', words);
const kioskWindow = () => xdotool('search', '--name', '^Endcap$').trim().split('\n')[0] ?? '';
/** How the log reports the loss. */
const RESTORED = /"lostPlays":\d+,"restoredFlights":\d+/;
/** The clock was set by two answers that agree. */
const JUMPED = /the clock was set .*"isJump":true/;
/** Shifts the service's clock; resolves once the kiosk believes it, about a minute later. */
async function jump(scene: Scene, offSeconds: number): Promise<void> {
  const before = (await scene.kiosk()).log().length;
  scene.service.setFaults(offSeconds === 0 ? {} : { clockOffsetSeconds: offSeconds });
  await until(async () => JUMPED.test((await scene.kiosk()).log().slice(before)), 90_000, 'a jump');
}
/** Runs a script in the page at this address; it need not end. */
async function runIn(scene: Scene, address: string, script: string): Promise<void> {
  const { app } = await scene.kiosk();
  await app.evaluate(
    ({ webContents }, asked) => {
      const contents = webContents.getAllWebContents().find((one) => one.getURL() === asked.address);
      void contents?.executeJavaScript(asked.script);
    },
    { address, script },
  );
}
/** A service that fails in this way for five seconds. */
const serviceFault = (
  name: string,
  faults: Parameters<Scene['service']['setFaults']>[0],
): Omit<Fault, 'group'> => ({
  name,
  leastMs: 6_000,
  happen: async ({ service }) => {
    service.setFaults(faults);
    await sleep(5_000);
    service.setFaults({});
  },
});

const ofGroup = (group: Fault['group'], faults: readonly Omit<Fault, 'group'>[]): readonly Fault[] =>
  faults.map((fault) => ({ group, ...fault }));

/** Every fault, in the order in which it is tried. */
export const FAULTS: readonly Fault[] = [
  ...ofGroup('process', [
    {
      name: 'the kiosk window is killed',
      healsWithinMs: 5_000,
      logged: /the kiosk window ended/,
      happen: async (scene) => kill(await scene.pageProcess('endcap://kiosk/')),
    },
    {
      name: 'the records window is killed',
      healsWithinMs: 5_000,
      logged: /the records window ended/,
      happen: async (scene) => kill(await scene.pageProcess('endcap://records/')),
    },
    {
      name: 'the graphics process is killed',
      healsWithinMs: 5_000,
      logged: /the graphics process ended/,
      happen: async (scene) => kill(await scene.process('GPU')),
    },
    {
      name: 'the network process is killed',
      happen: async (scene) => kill(await scene.process('Utility')),
    },
    {
      name: 'the main process is killed',
      happen: async (scene) => kill(await scene.mainProcess()),
    },
    {
      name: 'all processes are killed at once, as in a power cut',
      happen: async (scene) => {
        for (const pid of processTree(await scene.mainProcess())) {
          try {
            kill(pid);
          } catch {
            // It ended together with the others.
          }
        }
      },
    },
    {
      name: 'it is asked to end (SIGTERM)',
      happen: async (scene) => process.kill(await scene.mainProcess(), 'SIGTERM'),
    },
    {
      name: 'the page of the kiosk window runs in circles',
      logged: /the kiosk window ended/,
      leastMs: 8_000,
      happen: (scene) => runIn(scene, 'endcap://kiosk/', 'for (;;);'),
    },
    {
      name: 'the page of the kiosk window eats all memory',
      logged: /the kiosk window ended/,
      leastMs: 8_000,
      happen: (scene) =>
        runIn(
          scene,
          'endcap://kiosk/',
          'const all = []; for (;;) all.push(Array.from({ length: 1e5 }, Math.random));',
        ),
    },
    {
      name: 'the process of the kiosk window stands still',
      logged: /the kiosk window ended/,
      leastMs: 8_000,
      happen: async (scene) => process.kill(await scene.pageProcess('endcap://kiosk/'), 'SIGSTOP'),
    },
    {
      name: 'the graphics process stands still',
      logged: /the graphics process ended/,
      leastMs: 8_000,
      happen: async (scene) => process.kill(await scene.process('GPU'), 'SIGSTOP'),
    },
    {
      name: 'the records window runs in circles',
      logged: /the records window ended/,
      leastMs: 25_000,
      happen: (scene) => runIn(scene, 'endcap://records/', 'for (;;);'),
    },
    {
      name: 'the main process stands still for five seconds',
      leastMs: 7_000,
      happen: async (scene) => standStill([await scene.mainProcess()], 5_000),
    },
    {
      name: 'the whole machine sleeps for eight seconds',
      leastMs: 10_000,
      happen: async (scene) => standStill(processTree(await scene.mainProcess()), 8_000),
    },
    {
      // With graphics hardware, the kiosk then draws without it; otherwise it can only restart.
      name: 'the graphics process dies three times',
      logged: /Endcap ended in order[\s\S]*drawn without the graphics hardware|could not be started over/,
      happen: async (scene) => {
        const before = scene.restarts();
        for (let times = 0; times < 3 && scene.restarts() === before; times += 1) {
          await scene.freshCreatives();
          await scene.process('GPU').then(kill, () => {});
          await sleep(1_500);
        }
      },
    },
  ]),
  ...ofGroup('disk', [
    {
      name: 'a creative is deleted from the cache',
      happen: async ({ dataDir }) => {
        const [file] = filesIn(join(dataDir, 'media')).filter((each) => !each.endsWith('.json'));
        if (file) rmSync(file);
      },
    },
    {
      name: 'the whole cache is deleted',
      happen: async ({ dataDir }) => {
        for (const file of filesIn(join(dataDir, 'media'))) rmSync(file, { force: true });
      },
    },
    {
      name: 'the creatives in the cache are overwritten with rubbish',
      happen: async ({ dataDir }) => {
        for (const file of filesIn(join(dataDir, 'media')))
          if (!file.endsWith('.json')) writeFileSync(file, randomBytes(readFileSync(file).length));
      },
    },
    {
      name: 'the snapshot of the books and its journal are deleted',
      happen: async ({ dataDir }) => {
        for (const name of readdirSync(dataDir))
          if (name.startsWith('books.json')) rmSync(join(dataDir, name), { force: true });
      },
    },
    {
      name: 'the data folder cannot be written for five seconds',
      leastMs: 8_000,
      happen: async ({ dataDir }) => {
        const folders = [dataDir, join(dataDir, 'media')];
        for (const folder of folders) chmodSync(folder, 0o500);
        await sleep(5_000);
        for (const folder of folders) chmodSync(folder, 0o700);
      },
    },
  ]),
  ...ofGroup('database', [
    {
      name: 'the database is deleted while the kiosk is down',
      lossTold: RESTORED,
      happen: (scene) =>
        scene.whileDown(async () => rmSync(database(scene), { recursive: true, force: true })),
    },
    {
      name: 'every file of the database is overwritten with rubbish',
      lossTold: RESTORED,
      happen: (scene) =>
        scene.whileDown(async () => {
          for (const file of filesIn(database(scene))) writeFileSync(file, randomBytes(200));
        }),
    },
    {
      name: "the database's directory of files is empty",
      lossTold: RESTORED,
      happen: (scene) =>
        scene.whileDown(async () => {
          for (const file of filesIn(database(scene))) if (/MANIFEST-/.test(file)) truncateSync(file, 0);
        }),
    },
    {
      name: 'the end of the database log is torn',
      happen: (scene) =>
        scene.whileDown(async () => {
          for (const file of filesIn(database(scene)))
            if (/\d+\.log$/.test(file))
              writeFileSync(file, Buffer.concat([readFileSync(file), randomBytes(37)]));
        }),
    },
    {
      name: 'snapshot, journal and playlist copy are rubbish at a start',
      happen: (scene) =>
        scene.whileDown(async () => {
          for (const name of ['books.json', 'books.json.journal', 'books.json.playlist'])
            writeFileSync(join(scene.dataDir, name), '{"version":1,"flights":[{{');
        }),
    },
  ]),
  ...ofGroup('clock', [
    {
      name: "the service's clock jumps two hours ahead",
      // Plays that were stored since the last correct time are shifted with the clock.
      restamps: true,
      logged: JUMPED,
      withinMs: 120_000,
      happen: (scene) => jump(scene, 7_200),
    },
    {
      name: "the service's clock jumps back to where it was",
      restamps: true,
      logged: JUMPED,
      withinMs: 120_000,
      happen: (scene) => jump(scene, 0),
    },
  ]),
  ...ofGroup('network', [
    serviceFault('the service answers with errors', {
      ads: { kind: 'status', status: 500 },
      token: { kind: 'status', status: 500 },
      media: { kind: 'status', status: 500 },
    }),
    serviceFault('the service accepts and says nothing', { ads: { kind: 'hang' }, token: { kind: 'hang' } }),
    serviceFault('the service breaks every connection off', {
      ads: { kind: 'reset' },
      token: { kind: 'reset' },
      media: { kind: 'reset' },
    }),
    serviceFault('the service answers with rubbish', { ads: { kind: 'garbage' } }),
  ]),
  ...ofGroup('display', [
    {
      name: 'the display breaks its connections off',
      happen: async () => void xdotool('windowkill', kioskWindow()),
    },
    {
      name: 'another program moves the window away and makes it small',
      happen: async () =>
        void xdotool('windowmove', kioskWindow(), '900', '600', 'windowsize', kioskWindow(), '90', '60'),
    },
    {
      name: 'the display becomes smaller, and large again',
      leastMs: 6_000,
      happen: async () => {
        // Xvfb knows only its own size until another mode is added.
        xrandr('--newmode', 'small', ...'38.25 800 832 912 1024 600 603 607 624'.split(' '));
        xrandr('--addmode', 'screen', 'small');
        xrandr('--output', 'screen', '--mode', 'small');
        await sleep(2_000);
        xrandr('--output', 'screen', '--mode', '1280x720');
      },
    },
    {
      name: 'the display is switched off for three seconds',
      leastMs: 6_000,
      happen: async () => {
        xrandr('--fb', '1280x720', '--output', 'screen', '--off');
        await sleep(3_000);
        xrandr('--output', 'screen', '--mode', '1280x720');
      },
    },
  ]),
  ...ofGroup('settings', [
    {
      name: 'the settings file is broken while it plays',
      happen: async ({ dataDir }) => {
        const file = join(dataDir, 'config.json');
        const text = readFileSync(file);
        writeFileSync(file, '{');
        await sleep(2_000);
        writeFileSync(file, text);
      },
    },
    {
      name: 'a second Endcap is started on the same data folder',
      happen: async ({ dataDir }) => {
        const { status } = startOnce(dataDir, process.env);
        if (status !== 0) throw new Error(`the second one ended with ${status}`);
      },
    },
    {
      name: 'an Endcap with settings that cannot be used is started beside it',
      happen: async ({ dataDir }) => {
        const other = join(dataDir, 'other');
        mkdirSync(other);
        writeFileSync(join(other, 'config.json'), '{');
        const { status } = startOnce(other, process.env);
        if (status !== 1) throw new Error(`it ended with ${status}, not with 1`);
      },
    },
  ]),
  ...ofGroup('display', [
    {
      name: 'an Endcap is started beside it where there is no display',
      happen: async ({ dataDir }) => {
        const other = join(dataDir, 'without-display');
        mkdirSync(other);
        writeFileSync(join(other, 'config.json'), readFileSync(join(dataDir, 'config.json')));
        const { DISPLAY: _none, WAYLAND_DISPLAY: _neither, ...rest } = process.env;
        const { status, signal } = startOnce(other, rest);
        if (status === 0 || signal === 'SIGKILL') throw new Error('it did not end for the service manager');
      },
    },
  ]),
];

/** For a kiosk whose data folder is on a small disk of its own. */
export const DISK_FULL: Fault = {
  group: 'disk',
  name: 'the disk is full for ten seconds',
  leastMs: 12_000,
  happen: async ({ dataDir }) => {
    const filler = join(dataDir, '..', 'filler');
    const file = openSync(filler, 'w');
    try {
      for (;;) writeSync(file, Buffer.alloc(64 * 1024));
    } catch {
      // The disk is full.
    }
    closeSync(file);
    await sleep(10_000);
    rmSync(filler);
  },
};

/** Starts a second kiosk, as a person or a service manager might; it must exit by itself. */
function startOnce(dataDir: string, env: NodeJS.ProcessEnv) {
  return spawnSync(
    electronExecutable(),
    [root, `--config=${join(dataDir, 'config.json')}`, `--data-dir=${dataDir}`],
    { cwd: root, env, timeout: 20_000, killSignal: 'SIGKILL' },
  );
}
