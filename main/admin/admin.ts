import { join } from 'node:path';
import {
  type AdminNews,
  type ConnectionStep,
  overlayContract,
  type RecordedAction,
} from '../../shared/admin';
import { oneWaySender } from '../../shared/rpc';
import type { Settings } from '../settings/settings';
import { openActionRecord } from './action-record';
import { endOnce, type Note } from './actions';
import type { AdminParts } from './admin-parts';
import { type AdminCommands, AdminError, answerAdminCalls } from './answer-calls';
import { isShortcut } from './gesture';
import { createKioskPages } from './kiosk-pages';
import { createOverlay } from './overlay';
import { openPinAttempts } from './pin-attempts';
import { readPinHash } from './pin-hash';
import { createSetUp } from './set-up';
import { setUpCommands } from './set-up-commands';

export type Admin = Awaited<ReturnType<typeof createAdmin>>;

/** The main process's half of the admin overlay; the window's half is `renderer/admin`. */
export async function createAdmin(parts: AdminParts) {
  const { channel, dataDirectory, clock, schedule, log, kiosk } = parts;
  const inData = (name: string) => join(dataDirectory, name);
  const [attempts, record] = await Promise.all([
    openPinAttempts(inData('pin-attempts.json'), clock, log),
    openActionRecord(inData('actions.ndjson'), log),
  ]);
  const setUp = createSetUp(parts.settingsFile, dataDirectory, parts.keyring, log);
  const tell = oneWaySender(channel, overlayContract.fromServer);
  const send = (news: AdminNews) => tell('news', news);

  const { pinHash: hash, shortcut } = kiosk?.settings.admin ?? { pinHash: null, shortcut: null };
  let pinHash = hash && readPinHash(hash.reveal());
  const endSoon = endOnce(schedule);
  let isTesting = false;

  const noteOf =
    (who?: RecordedAction['who']): Note =>
    (action, detail = null, outcome = 'done') =>
      void record.note({ at: clock.now(), action, detail, outcome, ...(who && { who }) });
  const note = noteOf();
  const overlay = createOverlay({ ...parts, attempts, pinHash: () => pinHash, send, note });

  /** One test at a time; each step is sent as it ends. */
  async function test(settings: Settings): Promise<readonly ConnectionStep[]> {
    if (isTesting) throw new AdminError('busy', 'A connection test is under way.');
    isTesting = true;
    try {
      return await parts.checkConnection(settings, (done) => send({ kind: 'connection-step', step: done }));
    } finally {
      isTesting = false;
    }
  }

  const pages =
    kiosk &&
    createKioskPages(kiosk, {
      ...parts,
      overlay,
      record,
      setUp,
      note,
      endSoon,
      test,
      noteOf: (key) => noteOf({ kind: 'fleet', key }),
    });

  const commands: AdminCommands = {
    // The session of a first set-up permits none of these calls.
    ...(pages?.commands as NonNullable<typeof pages>['commands']),
    ...overlay.commands,
    ...setUpCommands({
      ...parts,
      setUp,
      test,
      endSoon,
      note,
      takePin(hash) {
        pinHash = readPinHash(hash);
      },
    }),
  };

  answerAdminCalls({ port: channel, commands, permits: overlay.permits, log });
  parts.onPress(() => overlay.step({ type: 'input' }));
  // Its minute stood still, and somebody else may be there.
  parts.onWake(() => overlay.step({ type: 'close' }));
  channel.onKey((pressed) => {
    if (!isShortcut(pressed, shortcut)) return false;
    overlay.open();
    return true;
  });
  overlay.start();

  return {
    /** Null on a kiosk without settings. */
    fleet: pages?.fleet ?? null,
    /** Stops a running export and sends nothing more. Call it at shutdown, or before another `Admin` takes over. */
    close() {
      overlay.end();
      pages?.stop();
    },
  };
}
