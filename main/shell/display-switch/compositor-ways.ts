import { z } from 'zod';
import { messageOf } from '../../describe-error';
import type { RunProgram } from '../run-program';
import type { DisplayWay } from './display-control';

// Output power of a Wayland compositor. weston's kiosk shell (version 10) offers none (decision 49).

/** Environment variables that identify the session's display. */
export interface SessionEnvironment {
  readonly WAYLAND_DISPLAY?: string | undefined;
  readonly SWAYSOCK?: string | undefined;
  readonly DISPLAY?: string | undefined;
}

const QUICK = { obeysWithinMs: 5_000, readEveryMs: 60_000 };

const PowerModes = z.array(z.object({ output: z.string(), 'power-mode': z.string() }));

/** wlopm speaks wlr-output-power-management, which compositors built on wlroots offer. */
export function wlopmWay(environment: SessionEnvironment, run: RunProgram): DisplayWay {
  const modes = async () => PowerModes.parse(JSON.parse(await run('wlopm', ['--json'])));
  return {
    name: 'wlopm',
    ...QUICK,
    probe: () =>
      unlessMissing(environment.WAYLAND_DISPLAY, 'no Wayland session', async () =>
        (await modes()).length > 0 ? null : 'the compositor has no output',
      ),
    turn: async (on) => void (await run('wlopm', [on ? '--on' : '--off', '*'])),
    read: async () => (await modes()).some((mode) => mode['power-mode'] === 'on'),
  };
}

/** `power` exists since sway 1.8; older versions have `dpms` only. */
const Outputs = z.array(
  z.object({ active: z.boolean(), dpms: z.boolean().optional(), power: z.boolean().optional() }),
);

/** sway has its own commands for the power of its outputs. */
export function swayWay(environment: SessionEnvironment, run: RunProgram): DisplayWay {
  const outputs = async () => {
    const all = Outputs.parse(JSON.parse(await run('swaymsg', ['-t', 'get_outputs', '-r'])));
    return all.filter(({ active }) => active);
  };
  return {
    name: 'sway',
    ...QUICK,
    probe: () =>
      unlessMissing(environment.SWAYSOCK, 'the compositor is not sway', async () =>
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
export function dpmsWay(environment: SessionEnvironment, run: RunProgram): DisplayWay {
  const query = () => run('xset', ['q']);
  return {
    name: 'dpms',
    ...QUICK,
    probe: () =>
      unlessMissing(environment.DISPLAY, 'no X display', async () =>
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
