import { hostname } from 'node:os';
import { type Admin, createAdmin } from '../admin/admin';
import type { AdminParts, Machine } from '../admin/admin-parts';
import { type ConnectionCheckParts, checkConnection } from '../admin/connection-check';
import { driveFilesOnDisk } from '../admin/mounted-drives';
import { readAutostart, setAutostart } from '../shell/autostart';
import { leave, restart } from '../shell/restart';
import { computerRestart } from '../shell/restart-computer';
import { runProgram } from '../shell/run-program';
import { addresses, systemKeyring, versions } from '../shell/this-machine';
import type { Base } from './core';

/** What differs between the overlay of a playing kiosk and the first set-up. */
type OverlayOf = Pick<
  AdminParts,
  'key' | 'kiosk' | 'settingsFile' | 'gesture' | 'shortcut' | 'pinHash' | 'language' | 'rotation'
> & {
  readonly check: Pick<ConnectionCheckParts, 'httpOf' | 'device'>;
  /** Overrides what staff may do to the program and the computer. */
  readonly machine?: Partial<Machine>;
};

/** Main's half of the staff's overlay. */
export async function openOverlay(base: Base, { check, machine, ...own }: OverlayOf): Promise<Admin> {
  const { windows, dataDirectory, clock, schedule, random, reading, pause, log } = base;
  return createAdmin({
    ...own,
    channel: windows.adminChannel,
    ...{ dataDirectory, clock, schedule, pause, log, addresses },
    keyring: systemKeyring,
    version: versions.endcap,
    hostName: hostname(),
    checkConnection: (tried, onStep) => checkConnection(tried, { ...check, random, reading, log }, onStep),
    driveFiles: driveFilesOnDisk,
    machine: {
      restartPlayer: restart,
      restartKiosk: await computerRestart(process.platform, runProgram),
      autostart: { read: readAutostart, set: setAutostart },
      leave,
      tryDemo: null,
      ...machine,
    },
  });
}
