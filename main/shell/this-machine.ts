import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { app, powerMonitor, safeStorage, session } from 'electron';
import type { Keyring } from '../settings/sealed-secrets';
import type { Status } from '../status/status';
import { ownMemory } from './own-memory';

/** The version of the Debian package, which names the commit too; without one that of package.json. */
function endcapVersion(): string {
  try {
    return readFileSync(join(process.resourcesPath, 'release'), 'utf8').trim();
  } catch {
    return app.getVersion();
  }
}

/** Versions of the program and what it runs on. */
export const versions: Status['versions'] = {
  endcap: endcapVersion(),
  electron: process.versions.electron ?? null,
  chromium: process.versions.chrome ?? null,
  node: process.versions.node,
};

/** Whether this program is installed, not run from source. */
export const { isPackaged } = app;

export const locale = () => app.getLocale();

export const userAgent = () => app.userAgentFallback;

/** The board's product name; null where it is unknown. */
export const productName = (): Promise<string | null> =>
  readFile('/sys/class/dmi/id/product_name', 'utf8').catch(() => null);

/** Calls the listener when the machine is about to sleep. */
export const onSuspend = (listener: () => void): void => void powerMonitor.on('suspend', listener);

/** Calls the listener when the machine wakes up from sleep. */
export const onResume = (listener: () => void): void => void powerMonitor.on('resume', listener);

/** The system's proxy for an address, in the form in which a PAC script returns it: "PROXY host:port; DIRECT". */
export const systemProxy = (url: string): Promise<string> => session.defaultSession.resolveProxy(url);

/** Memory of the main process, and of all others by kind, in bytes. */
export function memoryNow(): Status['memory'] {
  const processes: Record<string, number> = {};
  for (const { type, memory } of app.getAppMetrics()) {
    const kind = type.toLowerCase().replaceAll(' ', '-');
    processes[kind] = (processes[kind] ?? 0) + memory.workingSetSize * 1024;
  }
  const { rss, heapUsed } = ownMemory();
  return { residentBytes: rss, heapUsedBytes: heapUsed, processes };
}

/**
 * The system's keyring as Chromium finds it: libsecret or KWallet, the keychain of
 * macOS, DPAPI. `basic_text` counts as no keyring: its password is the same everywhere.
 */
export const systemKeyring: Keyring = {
  async name() {
    await app.whenReady();
    if (!safeStorage.isEncryptionAvailable()) return null;
    if (process.platform === 'win32') return 'DPAPI';
    if (process.platform === 'darwin') return 'the keychain';
    const name = safeStorage.getSelectedStorageBackend();
    return name === 'basic_text' || name === 'unknown' ? null : name;
  },
  async seal(secret) {
    await app.whenReady();
    return safeStorage.encryptString(secret).toString('base64');
  },
  async open(sealed) {
    await app.whenReady();
    try {
      return safeStorage.decryptString(Buffer.from(sealed, 'base64'));
    } catch {
      return null;
    }
  },
};
