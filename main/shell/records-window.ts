import { type BrowserWindow, MessageChannelMain, session } from 'electron';
import { RECORDS_ORIGIN, RECORDS_PORT } from '../../shared/channels';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { RecordsClient } from '../records/records-client';
import type { Schedule } from '../schedule';
import { isEnding } from './kiosk-end';
import type { Liveness } from './liveness';
import { logPageErrors } from './page-errors';
import { isTrustedSender } from './page-port';
import { killByMain } from './page-processes';

export interface Supervision {
  /** The first window, which must have been created in the same turn. */
  readonly first: BrowserWindow;
  readonly make: () => BrowserWindow;
  /** Counts one more replacement; false: there were too many, and it has begun to end the kiosk. */
  readonly mayReplace: () => boolean;
  readonly log: Log;
  readonly liveness: Pick<Liveness, 'register'>;
}

interface RecordsSupervision extends Supervision {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly schedule: Schedule;
  /** Repairs the files of the database; nothing has it open then. */
  readonly repairDatabase: () => void;
  /** Called when a new window replaced a lost one. */
  readonly onBack: () => void;
}

/** How often the records are asked whether they still answer, ms. */
const PING_MS = 2_000;
/** How long an answer may take, ms. Long, because a restart does not make a slow disk faster. */
const NO_ANSWER_MS = 20_000;
/** A window is not replaced for a closed database before this time, ms: five in a minute would end the kiosk. */
const MIN_LIFE_MS = 15_000;

/**
 * Keeps the hidden window open that hosts Dexie, because IndexedDB exists only in a renderer. The window is sandboxed,
 * has no network, and communicates with main over one message port only, which the client gets.
 */
export function superviseRecordsWindow(
  client: RecordsClient,
  { first, make, mayReplace, log, liveness, clock, schedule, repairDatabase, onBack }: RecordsSupervision,
) {
  const signs = liveness.register({
    name: 'records',
    withinMs: NO_ANSWER_MS,
    // A window that answers while its storage fails must not count as alive, so this reads from the database, and a
    // rejection is no answer.
    ask: { everyMs: PING_MS, run: () => void client.run('bookNames', {}).then(signs.heard, () => {}) },
    // Another window takes over as after a crash.
    onSilence() {
      if (!window.isDestroyed()) killByMain(window.webContents);
    },
  });
  /** Whether Chromium has closed the database of the present window, and when that window was opened. */
  let isClosed = false;
  let openedAt = clock.monotonic();
  client.onDatabaseClosed(() => {
    log.error('the database was closed after an error of the disk; another records window opens it');
    isClosed = true;
    const closed = window;
    schedule(Math.max(0, openedAt + MIN_LIFE_MS - clock.monotonic()), () => {
      if (!closed.isDestroyed()) killByMain(closed.webContents);
    });
  });
  const open = (made: BrowserWindow, isReplacement: boolean): BrowserWindow => {
    const { webContents } = made;
    openedAt = clock.monotonic();
    signs.started();
    logPageErrors(webContents, 'records', log);
    webContents.on('render-process-gone', (_event, { reason }) => {
      log.error('the records window ended', { reason });
      close();
      if (!isEnding() && mayReplace()) window = open(make(), true);
    });
    webContents.ipc.on(RECORDS_PORT, (event) => {
      if (!isTrustedSender(event, RECORDS_ORIGIN)) {
        const from = event.senderFrame?.url ?? null;
        log.warn('the records port was requested by an untrusted page', { from });
        return;
      }
      const { port1, port2 } = new MessageChannelMain();
      webContents.postMessage(RECORDS_PORT, null, [port1]);
      client.connect({
        send: (message) => port2.postMessage(message),
        onMessage(listener) {
          port2.on('message', ({ data }) => listener(data));
          port2.start();
        },
      });
      if (isReplacement) onBack();
    });
    return made;
  };
  let window = open(first, false);
  function close(): void {
    client.disconnect();
    if (!window.isDestroyed()) window.destroy();
    if (isClosed) repairDatabase();
    isClosed = false;
  }
  return {
    silentMs: signs.silentMs,
    /** Opens another window, because the books could not be opened; `onBack` is not called. */
    replaceWindow() {
      close();
      window = open(make(), false);
    },
    /** Deletes the database, and opens a new window on an empty one. */
    async deleteDatabase() {
      close();
      await session.defaultSession.clearStorageData({ origin: RECORDS_ORIGIN, storages: ['indexdb'] });
      window = open(make(), false);
    },
  };
}
