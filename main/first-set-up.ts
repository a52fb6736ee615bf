import { release } from 'node:os';
import type { Log } from '../shared/log';
import { createAdmin } from './admin/admin';
import { checkConnection } from './admin/connection-check';
import { driveFilesOnDisk } from './admin/mounted-drives';
import { createReading } from './reading/reading';
import { readingWorkerFile } from './reading/worker-file';
import { createEgress } from './service/egress';
import { systemLookup } from './service/fence/system-lookup';
import { nativeDevice } from './service/native/native-device';
import { timers } from './service/schedule';
import { systemKeyring } from './shell/keyring';
import { machineControls } from './shell/machine-controls';
import { systemProxy } from './shell/system-proxy';
import { addresses, hostName, productName, userAgent, versions } from './shell/this-machine';
import type { Windows } from './shell/windows';

/**
 * Installed without settings: never demo ads in a store. Fills the screen with the
 * set-up until its answers are stored (`settings`) or somebody asked for the demo;
 * the windows stay open for the kiosk that takes over.
 *
 * @param language of the machine; another can be chosen on the screen
 */
export async function firstSetUp({
  windows,
  dataDirectory,
  language,
  log,
}: {
  readonly windows: Windows;
  readonly dataDirectory: string;
  readonly language: string;
  readonly log: Log;
}): Promise<'settings' | 'demo'> {
  const { clock, adminChannel: channel } = windows;
  const reading = createReading({ worker: readingWorkerFile(), schedule: timers, log });
  const device = nativeDevice({
    platform: process.platform,
    release: release(),
    arch: process.arch,
    productName: await productName(),
    userAgent: userAgent(),
  });
  const egressParts = {
    ...{ lookup: systemLookup, systemProxy, schedule: timers, clock },
    userAgent: `Endcap/${versions.endcap}`,
  };
  let take: (outcome: 'settings' | 'demo') => void = () => {};
  const outcome = new Promise<'settings' | 'demo'>((resolve) => {
    take = resolve;
  });
  const admin = await createAdmin({
    channel,
    dataDirectory,
    clock,
    schedule: timers,
    pause: () => new Promise((resolve) => setImmediate(resolve)),
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
    checkConnection: (tried, onStep) =>
      checkConnection(
        tried,
        {
          httpOf: (settings) => createEgress(settings, egressParts).http(),
          ...{ random: Math.random, log, device, reading },
        },
        onStep,
      ),
    driveFiles: driveFilesOnDisk,
    machine: {
      ...(await machineControls()),
      restartPlayer: () => take('settings'),
      tryDemo: () => take('demo'),
    },
  });
  log.warn('no settings were found: the kiosk waits to be set up on its screen');
  windows.onEnd(async () => {
    await admin.close();
    log.info('Endcap ended before it was set up');
  });
  const taken = await outcome;
  windows.onEnd(async () => {});
  await admin.close();
  return taken;
}
