import { join } from 'node:path';
import { app, Menu } from 'electron';
import { registerSchemes } from './app-protocol';
import { forgoSpelling } from './lock-down';
import type { StartOptions } from './start-options';
import { blackenToolkit } from './toolkit-colours';
import { endingInOrder } from './unexpected-errors';

/**
 * What has to happen before Electron is ready. False: another Endcap runs on the
 * same data folder, and this one must end.
 */
export function prepareApplication(options: StartOptions): boolean {
  if (options.dataDir !== null) app.setPath('userData', options.dataDir);
  if (process.platform === 'linux') blackenToolkit(join(app.getPath('userData'), 'toolkit'), process.env);
  // A kiosk talks to the service and to nobody else: Chromium's own errands stay at home.
  app.commandLine.appendSwitch('disable-component-update');
  app.commandLine.appendSwitch('disable-background-networking');
  app.commandLine.appendSwitch('disable-domain-reliability');
  app.commandLine.appendSwitch('disable-features', 'SpareRendererForSitePerProcess,Translate,MediaRouter');
  app.commandLine.appendSwitch('autoplay-policy', 'no-user-gesture-required');
  // Pages of the web have their names looked up by the egress proxies alone (rule 22): neither a hint
  // (`dns-prefetch`) nor WebRTC tells a name server anything.
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND, EXCLUDE 127.0.0.1');
  // A kiosk that something lies over (a notification, a remote support tool) plays on.
  app.commandLine.appendSwitch('disable-backgrounding-occluded-windows');
  // No gesture turns pages or magnifies them, and no menu has keys of its own (rule 21).
  app.commandLine.appendSwitch('disable-pinch');
  app.commandLine.appendSwitch('overscroll-history-navigation', '0');
  Menu.setApplicationMenu(null);
  app.on('session-created', forgoSpelling);
  registerSchemes();
  return app.requestSingleInstanceLock();
}

/**
 * Runs `settle` once, whatever asks the kiosk to end (SIGTERM, SIGINT, the last
 * window), and exits 0 afterwards; 1 when it takes longer than `deadlineMs`. A
 * `process.exitCode` that was set before is kept in either case: who leaves has left.
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
  const onQuit = (event: { preventDefault(): void }) => {
    event.preventDefault();
    end();
  };
  app.on('before-quit', onQuit);
  app.on('window-all-closed', end);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}
