import { app, safeStorage } from 'electron';
import type { Keyring } from '../settings/sealed-secrets';

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
