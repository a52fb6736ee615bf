import { z } from 'zod';
import { plain } from '../../../shared/plain';
import { messageOf } from '../../describe-error';
import type { RunProgram } from '../run-program';
import { AcceptedInPart, type DisplayWay } from './power-rounds';

/** The ways to try on this platform, in order; none except on Linux. */
export function systemWays(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  run: RunProgram,
): readonly DisplayWay[] {
  if (platform !== 'linux') return [];
  return [wlopmWay(env, run), swayWay(env, run), dpmsWay(env, run), ddcWay(run), cecWay(run)];
}

// Output power of a Wayland compositor. weston's kiosk shell (version 10) offers none (decision 49).

const QUICK = { obeysWithinMs: 5_000, readEveryMs: 60_000 };

const PowerModes = z.array(z.object({ output: plain.text, 'power-mode': plain.text }));

/** wlopm speaks wlr-output-power-management, which compositors built on wlroots offer. */
export function wlopmWay(env: NodeJS.ProcessEnv, run: RunProgram): DisplayWay {
  const modes = async () => PowerModes.parse(JSON.parse(await run('wlopm', ['--json'])));
  return {
    name: 'wlopm',
    ...QUICK,
    probe: () =>
      unlessMissing(env.WAYLAND_DISPLAY, 'no Wayland session', async () =>
        (await modes()).length > 0 ? null : 'the compositor has no output',
      ),
    turn: async (on) => void (await run('wlopm', [on ? '--on' : '--off', '*'])),
    read: async () => (await modes()).some((mode) => mode['power-mode'] === 'on'),
  };
}

/** `power` exists since sway 1.8; older versions have `dpms` only. */
const Outputs = z.array(
  z.object({ active: plain.yesOrNo, dpms: plain.yesOrNo.optional(), power: plain.yesOrNo.optional() }),
);

/** sway has its own commands for the power of its outputs. */
export function swayWay(env: NodeJS.ProcessEnv, run: RunProgram): DisplayWay {
  const outputs = async () => {
    const all = Outputs.parse(JSON.parse(await run('swaymsg', ['-t', 'get_outputs', '-r'])));
    return all.filter(({ active }) => active);
  };
  return {
    name: 'sway',
    ...QUICK,
    probe: () =>
      unlessMissing(env.SWAYSOCK, 'the compositor is not sway', async () =>
        (await outputs()).length > 0 ? null : 'sway has no output',
      ),
    async turn(on) {
      const isNew = (await outputs()).some(({ power }) => power !== undefined);
      await run('swaymsg', ['-r', 'output', '*', isNew ? 'power' : 'dpms', on ? 'on' : 'off']);
    },
    read: async () => (await outputs()).some(({ dpms, power }) => power ?? dpms ?? true),
  };
}

/**
 * DPMS of an X server. The timeouts are set to 0, because forcing a state enables them and the display would turn
 * itself off ten minutes later. xset exits with 0 even where there is no DPMS, so the state has to be read.
 */
export function dpmsWay(env: NodeJS.ProcessEnv, run: RunProgram): DisplayWay {
  const query = () => run('xset', ['q']);
  return {
    name: 'dpms',
    ...QUICK,
    probe: () =>
      unlessMissing(env.DISPLAY, 'no X display', async () =>
        /DPMS is (Enabled|Disabled)/.test(await query()) ? null : 'the X server has no DPMS',
      ),
    turn: async (on) => void (await run('xset', ['dpms', '0', '0', '0', 'dpms', 'force', on ? 'on' : 'off'])),
    async read() {
      const said = await query();
      if (/DPMS is Disabled/.test(said)) return true;
      const monitor = /Monitor is (On|Off|in Standby|in Suspend)/.exec(said)?.[1];
      return monitor === undefined ? null : monitor === 'On';
    },
  };
}

/** Why a way cannot be used: the session lacks the variable it needs, or the probe failed. Null: it can be used. */
async function unlessMissing(
  needed: string | undefined,
  without: string,
  look: () => Promise<string | null>,
): Promise<string | null> {
  return needed ? look().catch(messageOf) : without;
}

// Commands to the display itself over its cable. Untested on hardware (docs/install.md).

/** A display may wake slowly after one of these switched it off. It is read seldom, because each read is traffic. */
const SLOW = { obeysWithinMs: 20_000, readEveryMs: 15 * 60_000 };

/** Values of VCP feature D6, power mode. In 4 ("off" by DPM) a display answers DDC; in 5 (by its button) it may not. */
const POWER_ON = '0x01';
const POWER_OFF = '0x04';

/** DDC/CI by ddcutil; needs permission to use /dev/i2c-*. */
export function ddcWay(run: RunProgram): DisplayWay {
  /** The most displays found so far: a display that is off may not be found. */
  let known: readonly string[] = [];
  async function look(): Promise<void> {
    const said = await run('ddcutil', ['detect', '--brief']);
    const found = [...said.matchAll(/^Display (\d+)$/gm)].map(([, number = '']) => number);
    if (found.length > known.length) known = found;
  }
  const readPower = async (display: string) =>
    powerOf(await run('ddcutil', ['getvcp', 'D6', '--terse', '--display', display]));
  return {
    name: 'ddc',
    ...SLOW,
    async probe() {
      try {
        await look();
        const [first] = known;
        if (first === undefined) return 'no display that speaks DDC/CI was found';
        return (await readPower(first)) === null ? 'the display has no power mode (D6)' : null;
      } catch (error) {
        return messageOf(error);
      }
    },
    async turn(on) {
      if (known.length === 0) await look();
      if (known.length === 0) throw new Error('ddcutil found no display');
      const errors: string[] = [];
      for (const display of known)
        await run('ddcutil', [
          ...['setvcp', 'D6', on ? POWER_ON : POWER_OFF],
          ...['--noverify', '--display', display],
        ]).catch((error: unknown) => errors.push(`display ${display}: ${messageOf(error)}`));
      if (errors.length === 0) return;
      const all = errors.join('; ');
      throw errors.length < known.length ? new AcceptedInPart(all) : new Error(all);
    },
    async read() {
      // Many displays do not answer while they are off.
      const all = await Promise.all(known.map((display) => readPower(display).catch(() => null)));
      if (all.includes(true)) return true;
      return all.length === 0 || all.includes(null) ? null : false;
    },
  };
}

/** `VCP D6 SNC x01`: 1 is on, 2 to 5 are standby, suspend and off. */
function powerOf(said: string): boolean | null {
  const value = /^VCP D6 (?:SNC|CNC(?: x[0-9a-f]{2}){3}) x0([1-5])\s*$/im.exec(said)?.[1];
  return value === undefined ? null : value === '1';
}

/** CEC logical address of a television. */
const TV = '0';
/** cec-ctl prints one of these if no device acknowledged a message; it still exits with 0. */
const NOT_TAKEN = /Not Acknowledged|Max Retries|Tx, Timeout|Arbitration Lost|Low Drive/;

/** CEC by cec-ctl, with the first adapter; needs permission to use /dev/cec0. */
export function cecWay(run: RunProgram): DisplayWay {
  async function send(...message: string[]): Promise<string> {
    const said = await run('cec-ctl', ['--skip-info', '--to', TV, ...message]);
    if (NOT_TAKEN.test(said)) throw new Error('cec-ctl: no television took the message');
    return said;
  }
  const register = () => run('cec-ctl', ['--skip-info', '--playback', '--osd-name', 'Endcap']);
  async function read(): Promise<boolean | null> {
    const state = /pwr-state: (on|standby|to-on|to-standby)\b/.exec(await send('--give-device-power-status'));
    return state === null ? null : state[1] === 'on' || state[1] === 'to-on';
  }
  return {
    name: 'cec',
    ...SLOW,
    // A television that acknowledges the request but does not answer it can still be switched.
    probe: () =>
      register()
        .then(read)
        .then(() => null, messageOf),
    async turn(on) {
      await register();
      await send(on ? '--image-view-on' : '--standby');
    },
    read,
  };
}
