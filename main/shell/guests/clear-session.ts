import type { Session } from 'electron';
import type { Log } from '../../../shared/log';
import { beforeDeadline, startDeadline } from '../../deadline';
import type { Schedule } from '../../schedule';

/** A cipher suite that no server and no Chromium has (TLS_NULL_WITH_NULL_NULL). */
const NO_CIPHER_SUITE = 0x0000;
/** Longest time that clearing may take, ms: Chromium may never answer, for example where its network process died. */
const CLEAR_MS = 30_000;
/** Wait before clearing is tried again after an error, ms. */
const CLEAR_AGAIN_MS = 1_000;

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
 * @param signal ends it between two steps
 */
export async function clearSession(session: Session, leaves: Left, signal?: AbortSignal): Promise<void> {
  await session.closeAllConnections();
  signal?.throwIfAborted();
  await session.clearData(leaves === 'hosts' ? { dataTypes: [...ALL_BUT_CACHE] } : {});
  signal?.throwIfAborted();
  await Promise.all([
    session.clearStorageData(),
    session.clearCache(),
    session.clearSharedDictionaryCache(),
    session.clearCodeCaches({}),
    session.clearAuthCache(),
    session.clearHostResolverCache(),
  ]);
  signal?.throwIfAborted();
  // Electron has no call for TLS sessions: Chromium drops them when the configuration of TLS changes.
  session.setSSLConfig({ disabledCipherSuites: [NO_CIPHER_SUITE] });
  session.setSSLConfig({});
  await session.closeAllConnections();
}

/**
 * Clears a session, again after each error and each time it takes too long. In a loop: calls inside each other would
 * pile up while clearing keeps failing.
 */
export async function clearUntilDone(
  session: Session,
  leaves: Left,
  { schedule, log }: { readonly schedule: Schedule; readonly log: Log },
): Promise<void> {
  for (;;) {
    try {
      // A clearing that is late goes no further than its present step, or it would close the connections of the next visit.
      await beforeDeadline(startDeadline(CLEAR_MS, schedule), (signal) =>
        clearSession(session, leaves, signal),
      );
      return;
    } catch (error) {
      log.warn('a partition could not be cleared; it is tried again', { error });
      await new Promise<void>((done) => void schedule(CLEAR_AGAIN_MS, done));
    }
  }
}
