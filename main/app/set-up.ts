import { createAdmin } from '../admin/admin';
import { checkConnection } from '../admin/connection-check';
import { driveFilesOnDisk } from '../admin/mounted-drives';
import { createReading } from '../reading/reading';
import { readingWorkerFile } from '../reading/worker-file';
import { timers } from '../service/schedule';
import { systemKeyring } from '../shell/keyring';
import { machineControls } from '../shell/machine-controls';
import { addresses, hostName, versions } from '../shell/this-machine';
import { type Base, pause } from './core';
import { httpOf, thisDevice } from './network';

type Outcome = 'settings' | 'demo';

/**
 * Installed without settings: never demo ads in a store. Fills the screen with the
 * set-up until its answers are stored (`settings`) or somebody asked for the demo;
 * the windows stay open for the kiosk that takes over.
 *
 * @param language of the machine; another can be chosen on the screen
 */
export async function firstSetUp(
  { windows, dataDirectory, lifecycle, log }: Base,
  language: string,
): Promise<Outcome> {
  const { clock, adminChannel: channel } = windows;
  const reading = createReading({ worker: readingWorkerFile(), schedule: timers, log });
  const device = await thisDevice();
  const checkParts = { httpOf: httpOf(clock, null), random: Math.random, log, device, reading };
  const outcome = Promise.withResolvers<Outcome>();
  const admin = await createAdmin({
    channel,
    dataDirectory,
    clock,
    schedule: timers,
    pause,
    log,
    kiosk: null,
    settingsFile: null,
    keyring: systemKeyring,
    // It is open already.
    gesture: { corner: 'top-left', taps: 5, withinSeconds: 3 },
    shortcut: null,
    pinHash: null,
    language,
    rotation: 0,
    version: versions.endcap,
    hostName: hostName(),
    addresses,
    checkConnection: (tried, onStep) => checkConnection(tried, checkParts, onStep),
    driveFiles: driveFilesOnDisk,
    machine: {
      ...(await machineControls()),
      restartPlayer: () => outcome.resolve('settings'),
      tryDemo: () => outcome.resolve('demo'),
    },
  });
  const overlay = lifecycle.keep({ dispose: admin.close });
  log.warn('no settings were found: the kiosk waits to be set up on its screen');
  const taken = await outcome.promise;
  await lifecycle.disposeNow(overlay);
  return taken;
}
