import type { Machine } from '../admin/admin-parts';
import { readAutostart, setAutostart } from './autostart';
import { leave, restart } from './restart';
import { computerRestart, runProgram } from './restart-computer';

/** What staff may do to the program and the computer, as far as the operating system lets them. */
export const machineControls = async (): Promise<Machine> => ({
  restartPlayer: restart,
  restartKiosk: await computerRestart(process.platform, runProgram),
  autostart: { read: readAutostart, set: setAutostart },
  leave,
  tryDemo: null,
});
