import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Admin, createAdmin } from '../admin/admin';
import type { AdminParts, MachineControls } from '../admin/admin-parts';
import { type ConnectionCheckParts, checkConnection } from '../admin/connection-check';
import { driveFilesOnDisk } from '../admin/mounted-drives';
import { openPreferences } from '../admin/preferences';
import { ownAddresses } from '../egress/own-networks';
import { readAutostart, setAutostart } from '../shell/autostart';
import { leave, restart } from '../shell/kiosk-end';
import { computerRestart } from '../shell/restart-computer';
import { runProgram } from '../shell/run-program';
import { onResume, systemKeyring, versions } from '../shell/this-machine';
import type { Base } from './core';
import { onPress } from './events';
import { httpOf, thisDevice } from './network';

/** What differs between the overlay of a playing kiosk and the first set-up. */
type OverlayOf = Pick<AdminParts, 'kiosk' | 'settingsFile' | 'preferences'> & {
  readonly check: Pick<ConnectionCheckParts, 'httpOf' | 'device'>;
  /** Overrides what staff may do to the program and the computer. */
  readonly machine?: Partial<MachineControls>;
};

/** Main's half of the staff's overlay. */
export async function openOverlay(base: Base, { check, machine, ...own }: OverlayOf): Promise<Admin> {
  return createAdmin({
    ...base,
    ...own,
    channel: base.windows.adminChannel,
    onPress: (listener) => onPress(base.events, listener),
    onWake: onResume,
    onExport: (isRunning) => base.events.emit('exporting', isRunning),
    addresses: ownAddresses,
    keyring: systemKeyring,
    version: versions.endcap,
    hostName: hostname(),
    checkConnection: (tried, onStep) => checkConnection(tried, { ...base, ...check }, onStep),
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

type Outcome = 'settings' | 'demo';
const WAITS = 'the kiosk waits to be set up on its screen';

/**
 * The set-up of an installed kiosk without settings, which must not show demo ads in a store. Fills the
 * screen until its settings are stored (`settings`) or the demo is chosen (`demo`). The windows stay open for
 * the kiosk that follows.
 *
 * @param language of the machine; another can be chosen on the screen
 */
export async function firstSetUp(base: Base, language: string): Promise<Outcome> {
  const { lifecycle, dataDirectory, clock, log } = base;
  const outcome = Promise.withResolvers<Outcome>();
  const admin = await openOverlay(base, {
    kiosk: null,
    settingsFile: null,
    preferences: await openPreferences(join(dataDirectory, 'overlay.json'), language, log),
    check: { httpOf: httpOf(clock, null), device: await thisDevice() },
    machine: {
      restartPlayer: () => outcome.resolve('settings'),
      tryDemo: () => outcome.resolve('demo'),
    },
  });
  lifecycle.keep({ dispose: admin.close });
  base.windows.serviceManager.describe(() => `No settings were found: ${WAITS}.`);
  log.warn(`no settings were found: ${WAITS}`);
  const taken = await outcome.promise;
  admin.close();
  return taken;
}
