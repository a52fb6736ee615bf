import { readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { app, powerMonitor, screen } from 'electron';
import type { Machine } from '../admin/admin-parts';
import type { ScreenSize } from '../service/ads-reading/choose-media';
import type { Status } from '../signals/status';

/** What runs here. */
export const versions: Status['versions'] = {
  endcap: app.getVersion(),
  electron: process.versions.electron ?? null,
  chromium: process.versions.chrome ?? null,
  node: process.versions.node,
};

/** How this program names itself to servers. */
export const userAgent = () => app.userAgentFallback;

/** Size of the picture as the shopper sees it, px. */
export function screenSize(rotation: number): ScreenSize {
  const { size, scaleFactor } = screen.getPrimaryDisplay();
  const [width, height] = [Math.round(size.width * scaleFactor), Math.round(size.height * scaleFactor)];
  return rotation === 90 || rotation === 270 ? { width: height, height: width } : { width, height };
}

/** The board's product name; null where nothing tells it. */
export const productName = (): Promise<string | null> =>
  readFile('/sys/class/dmi/id/product_name', 'utf8').catch(() => null);

export const hostName = hostname;

/** Addresses of this machine on the network. */
export const addresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal }) => !internal)
    .map(({ address }) => address);

/** The machine slept and woke up. */
export const onResume = (listener: () => void): void => void powerMonitor.on('resume', listener);

/** What staff may do to the program and the computer. */
export const machineControls: Machine = {
  restartPlayer() {
    app.relaunch();
    app.quit();
  },
  // Only the operating system may say whether a kiosk restarts the computer; no setting grants it yet.
  restartKiosk: null,
  leave: () => app.quit(),
  tryDemo: null,
};
