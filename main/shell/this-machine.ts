import { readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { app, powerMonitor, screen } from 'electron';
import type { ScreenSize } from '../service/ads-reading/choose-media';
import type { Status } from '../signals/status';

/** What runs here. */
export const versions: Status['versions'] = {
  endcap: app.getVersion(),
  electron: process.versions.electron ?? null,
  chromium: process.versions.chrome ?? null,
  node: process.versions.node,
};

/** This program, as Electron runs it. */
export const thisProgram = {
  /** Installed, and not run from source. */
  isPackaged: app.isPackaged,
  locale: () => app.getLocale(),
};

/** How this program names itself to servers. */
export const userAgent = () => app.userAgentFallback;

/** Size of the picture as the shopper sees it, px; always that of the display as it is now. */
export function screenSize(rotation: number, changed: () => void): ScreenSize {
  const turned = rotation === 90 || rotation === 270;
  const side = (name: 'width' | 'height'): number => {
    const { size, scaleFactor } = screen.getPrimaryDisplay();
    return Math.round(size[name] * scaleFactor);
  };
  screen.on('display-metrics-changed', changed);
  return {
    get width() {
      return side(turned ? 'height' : 'width');
    },
    get height() {
      return side(turned ? 'width' : 'height');
    },
  };
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
