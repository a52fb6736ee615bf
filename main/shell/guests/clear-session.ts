import type { Session } from 'electron';

/** A cipher suite that no server and no Chromium has (TLS_NULL_WITH_NULL_NULL). */
const NO_CIPHER_SUITE = 0x0000;

/** What a visit may leave behind. `hosts`: what Chromium knows of hosts (HSTS and alternative services). */
export type Left = 'nothing' | 'hosts';

/**
 * Everything that `clearData` clears except `cache`. Clearing that would forget what is known of hosts, and would also
 * empty the memory caches of every other page, so each picture of the loop would be decoded again and leak 4 MB.
 */
const ALL_BUT_CACHE = [
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
 * Removes what a visit left in its session (rule 17): storage, caches, credentials, connections,
 * and what a server could recognise the kiosk by: TLS sessions, and HSTS unless it may stay.
 */
export async function clearSession(session: Session, leaves: Left): Promise<void> {
  await session.closeAllConnections();
  await session.clearData(leaves === 'hosts' ? { dataTypes: [...ALL_BUT_CACHE] } : {});
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
