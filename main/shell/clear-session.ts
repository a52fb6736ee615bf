import type { Session } from 'electron';

/** A cipher suite that no server and no Chromium has (TLS_NULL_WITH_NULL_NULL). */
const NO_CIPHER_SUITE = 0x0000;

/** `hosts`: what Chromium knows of hosts, which is HSTS and alternative services. */
export type Left = 'nothing' | 'hosts';

/**
 * All that `clearData` knows but its cache. With that Chromium clears what it knows of hosts, and empties the
 * memory caches of every other page too: each picture of the loop would be decoded anew, and 4 MB left behind for it.
 */
const BUT_HOSTS = [
  'backgroundFetch',
  'cookies',
  'downloads',
  'fileSystems',
  'indexedDB',
  'localStorage',
  'serviceWorkers',
  'webSQL',
] as const;

/**
 * Removes all that a visit left in its session (rule 17): storage, caches, credentials and
 * connections, and what servers made Chromium remember of them, which they could read
 * as a mark: TLS sessions, and HSTS unless it may stay.
 */
export async function clearSession(session: Session, leaves: Left): Promise<void> {
  await session.closeAllConnections();
  await session.clearData(leaves === 'hosts' ? { dataTypes: [...BUT_HOSTS] } : {});
  await Promise.all([
    session.clearStorageData(),
    session.clearCache(),
    session.clearSharedDictionaryCache(),
    session.clearCodeCaches({}),
    session.clearAuthCache(),
    session.clearHostResolverCache(),
  ]);
  // Electron has no call for TLS sessions: Chromium drops them when the configuration of TLS changes.
  session.setSSLConfig({ disabledCipherSuites: [NO_CIPHER_SUITE] });
  session.setSSLConfig({});
  await session.closeAllConnections();
}
