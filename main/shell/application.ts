import { accessSync, chmodSync, constants, existsSync, mkdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { app, Menu } from 'electron';
import { registerSchemes } from './app-protocol';
import { lockDownSession } from './lock-down';
import { isOnlyStart } from './only-start';
import type { StartOptions } from './start-options';
import { prepareToolkit } from './toolkit';

const MEMORY = '/dev/shm';

/** Throws where this user cannot write to a folder: the disk is read-only, or the folder is another user's. */
export const demandWritable = (folder: string): void => accessSync(folder, constants.W_OK);

/** Otherwise Chromium writes each picture of the loop to the disk, whenever it was shown (decision 94). */
function keepTemporaryFilesInMemory(environment: NodeJS.ProcessEnv): void {
  // Where /dev/shm is too small: this puts Chromium's shared memory among the temporary files.
  if (app.commandLine.hasSwitch('disable-dev-shm-usage')) return;
  try {
    demandWritable(MEMORY);
    environment.TMPDIR ??= MEMORY;
  } catch {
    // They lie where the system says.
  }
}

/**
 * Sets what must be set before Electron is ready. Returns false if another Endcap already runs on the same data
 * folder; then this process must exit.
 */
export function prepareApplication(options: StartOptions): boolean {
  if (options.dataDir !== null) {
    const made = mkdirSync(options.dataDir, { recursive: true });
    // Only its user may enter. A mode for `mkdirSync` would close the folders above it, too.
    if (made !== undefined) chmodSync(options.dataDir, 0o700);
    app.setPath('userData', options.dataDir);
  }
  if (process.platform === 'linux') {
    prepareToolkit(join(app.getPath('userData'), 'toolkit'), process.env);
    keepTemporaryFilesInMemory(process.env);
  }
  // A cleared session of a guest takes this cache of all pages with it: 0.8 MB were written again after each (decision 94).
  app.commandLine.appendSwitch('disable-gpu-shader-disk-cache');
  // A kiosk talks to the service only: Chromium must make no requests of its own.
  app.commandLine.appendSwitch('disable-component-update');
  app.commandLine.appendSwitch('disable-background-networking');
  app.commandLine.appendSwitch('disable-domain-reliability');
  // `HardwareMediaKeyHandling`: the pause key of a keyboard or headset must not end an ad (rule 21).
  // `WebAuthenticationUseNativeWinApi`: Windows would ask for a passkey in a dialog above the kiosk (rule 21).
  const unwanted =
    'SpareRendererForSitePerProcess,Translate,MediaRouter,HardwareMediaKeyHandling,WebAuthenticationUseNativeWinApi';
  app.commandLine.appendSwitch('disable-features', unwanted);
  app.commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
  // A video in a window of its own would float above the kiosk, by script or by the video's own buttons (rule 21).
  app.commandLine.appendSwitch('blink-settings', 'pictureInPictureEnabled=false');
  // Only the egress proxies look up names for pages of the web (rule 22): neither a hint
  // (`dns-prefetch`) nor WebRTC may ask a name server.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1');
  // A notification or a remote support tool over the window must not stop playback.
  app.commandLine.appendSwitch('disable-backgrounding-occluded-windows');
  // Gestures must not turn or magnify pages, and no menu may have shortcuts (rule 21).
  app.commandLine.appendSwitch('disable-pinch');
  app.commandLine.appendSwitch('overscroll-history-navigation', '0');
  Menu.setApplicationMenu(null);
  app.on('session-created', lockDownSession);
  registerSchemes();
  const folder = app.getPath('userData');
  // Where no lock can be made (the disk is full, damaged or read-only) the start goes on, to play all the same or to say on
  // the screen what is wrong, unless another Endcap plays. Windows makes one in any case.
  const isFree = app.requestSingleInstanceLock() || (process.platform !== 'win32' && !isInUse(folder));
  return isFree && (process.platform !== 'linux' || isOnlyStart(folder));
}

/** Whether the process still runs that holds Chromium's lock on a data folder; an older version holds nothing else. */
function isInUse(folder: string): boolean {
  try {
    const pid = Number(/\d+$/.exec(readlinkSync(join(folder, 'SingletonLock')))?.[0]);
    // After a power cut another process may have its number, but the socket is gone.
    return existsSync(join(folder, 'SingletonSocket')) && process.kill(pid, 0);
  } catch {
    return false;
  }
}
