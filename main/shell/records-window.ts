import type { BrowserWindow } from 'electron';
import type { Clock } from '../../shared/clock';
import type { Log } from '../../shared/log';
import type { RecordsClient } from '../records/records-client';
import type { Schedule } from '../schedule';
import { oneByOne } from '../turns';
import type { Liveness } from './liveness';
import { logPageErrors } from './page-errors';
import { killByMain } from './page-processes';
import type { OpenRecordsPort } from './records-port';

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
  readonly isEnding: () => boolean;
  /** Repairs the files of the database; nothing has it open then. */
  readonly repairDatabase: () => Promise<void>;
  /** Nothing has the database open then. */
  readonly deleteDatabase: () => Promise<void>;
  readonly openPort: OpenRecordsPort;
  /** Called when a new window replaced a lost one. */
  readonly onBack: () => void;
}

/** How often the records are asked whether they still answer, ms. */
const PING_MS = 2_000;
/** How long an answer may take, ms. Long, because a restart does not make a slow disk faster. */
const NO_ANSWER_MS = 20_000;
/** A window is not replaced for a closed database before this time, ms: five in a minute would end the kiosk. */
const MIN_LIFE_MS = 15_000;
/** After this a repair counts as one that never ends, ms: the window must answer again, and the kiosk ends in time. */
const MAX_REPAIR_MS = 600_000;

/**
 * Keeps the hidden window open that hosts Dexie, because IndexedDB exists only in a renderer. The window is sandboxed,
 * has no network, and communicates with main over one message port only, which the client gets.
 */
export function superviseRecordsWindow(client: RecordsClient, parts: RecordsSupervision) {
  const { make, mayReplace, isEnding, log, clock, schedule, repairDatabase, openPort, onBack } = parts;
  const signs = parts.liveness.register({
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
      if (!isEnding() && mayReplace()) void openAnother(true);
    });
    openPort(webContents, log, (port) => {
      client.connect(port);
      if (isReplacement) onBack();
    });
    return made;
  };
  let window = open(parts.first, false);
  function close(): void {
    client.disconnect();
    if (!window.isDestroyed()) window.destroy();
  }
  const inOrder = oneByOne();
  /** Between two windows, which a repair may make long. */
  let isAway = false;
  const openAnother = (isReplacement: boolean, before?: () => Promise<void>) =>
    inOrder(async () => {
      close();
      isAway = true;
      // A slow disk may take longer for this than a window may be silent.
      if (isClosed || before) signs.mayBeSilent();
      const stopWaiting = schedule(MAX_REPAIR_MS, signs.started);
      if (isClosed) await repairDatabase();
      isClosed = false;
      await before?.();
      stopWaiting();
      isAway = false;
      if (!isEnding()) window = open(make(), isReplacement);
    });
  return {
    /** How long it has been silent, ms; null: there is none. */
    silentMs: () => (isAway ? null : signs.silentMs()),
    /**
     * Opens another window, because the books could not be opened; `onBack` is not called.
     *
     * @param mayBeTorn repairs the database first: a window's error comes before the news that its database was closed
     */
    replaceWindow(mayBeTorn: boolean): Promise<void> {
      isClosed ||= mayBeTorn;
      return openAnother(false);
    },
    /** Deletes the database, and opens a new window on an empty one. */
    deleteDatabase: () => openAnother(false, parts.deleteDatabase),
  };
}
