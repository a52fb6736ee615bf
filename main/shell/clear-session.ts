import type { Session } from 'electron';

/** A cipher suite that no server and no Chromium has (TLS_NULL_WITH_NULL_NULL). */
const NO_CIPHER_SUITE = 0x0000;

/**
 * Removes all that a visit left in its session (rule 17): storage, caches, credentials and
 * connections, and what servers made Chromium remember of them, which they could read
 * as a mark: HSTS and TLS sessions.
 */
export async function clearSession(session: Session): Promise<void> {
  await session.closeAllConnections();
  // With the HTTP cache Chromium clears what it knows of hosts: HSTS, alternative services.
  await session.clearData();
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
