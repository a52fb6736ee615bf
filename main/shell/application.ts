import { join } from 'node:path';
import { app, Menu } from 'electron';
import { registerSchemes } from './app-protocol';
import { disableSpellcheck } from './lock-down';
import type { StartOptions } from './start-options';
import { prepareToolkit } from './toolkit';
import { endingInOrder } from './unexpected-errors';

/**
 * Sets what must be set before Electron is ready. Returns false if another Endcap already runs on the same data
 * folder; then this process must exit.
 */
export function prepareApplication(options: StartOptions): boolean {
  if (options.dataDir !== null) app.setPath('userData', options.dataDir);
  if (process.platform === 'linux') prepareToolkit(join(app.getPath('userData'), 'toolkit'), process.env);
  // A kiosk talks to the service only: Chromium must make no requests of its own.
  app.commandLine.appendSwitch('disable-component-update');
  app.commandLine.appendSwitch('disable-background-networking');
  app.commandLine.appendSwitch('disable-domain-reliability');
  app.commandLine.appendSwitch('disable-features', 'SpareRendererForSitePerProcess,Translate,MediaRouter');
  app.commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
  // Only the egress proxies look up names for pages of the web (rule 22): neither a hint
  // (`dns-prefetch`) nor WebRTC may ask a name server.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1');
  // A notification or a remote support tool over the window must not stop playback.
  app.commandLine.appendSwitch('disable-backgrounding-occluded-windows');
  // Gestures must not turn or magnify pages, and no menu may have shortcuts (rule 21).
  app.commandLine.appendSwitch('disable-pinch');
  app.commandLine.appendSwitch('overscroll-history-navigation', '0');
  Menu.setApplicationMenu(null);
  app.on('session-created', disableSpellcheck);
  registerSchemes();
  return app.requestSingleInstanceLock();
}

/**
 * Runs `settle` once when the kiosk is asked to end (SIGTERM, SIGINT, the last window closed). Exits with 0
 * afterwards, or with 1 if `settle` rejects or takes longer than `deadlineMs`. A `process.exitCode` that was set
 * before is kept in all cases.
 */
export function endInOrder(settle: () => Promise<void>, deadlineMs: number): void {
  let ending = false;
  const exit = (code: number) => app.exit(typeof process.exitCode === 'number' ? process.exitCode : code);
  const end = () => {
    if (ending) return;
    ending = true;
    endingInOrder();
    setTimeout(() => exit(1), deadlineMs);
    settle().then(
      () => exit(0),
      () => exit(1),
    );
  };
  app.on('before-quit', (event) => {
    event.preventDefault();
    end();
  });
  app.on('window-all-closed', end);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
