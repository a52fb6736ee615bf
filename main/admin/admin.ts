import { join } from 'node:path';
import { type AdminNews, type ConnectionStep, overlayContract } from '../../shared/admin';
import { tellOn } from '../../shared/rpc';
import type { Settings } from '../settings/settings';
import { openActionRecord } from './action-record';
import { endOnce, type Note } from './actions';
import type { AdminParts } from './admin-parts';
import { type AdminCommands, AdminError, answerAdminCalls } from './answer-calls';
import { isShortcut } from './gesture';
import { noKioskCommands } from './kiosk-commands';
import { createKioskPages, type FleetActions } from './kiosk-pages';
import { Overlay } from './overlay';
import { overlayCommands } from './overlay-commands';
import { openPinAttempts } from './pin-attempts';
import { readPinHash } from './pin-hash';
import { openPreferences } from './preferences';
import { createSetUp } from './set-up';
import { setUpCommands } from './set-up-commands';

export interface Admin {
  /** Volume of videos that was chosen on the kiosk, 0 to 1; null: the settings decide. */
  volume(): number | null;
  /** Null on a kiosk without settings. */
  readonly fleet: FleetActions | null;
  /** Opens the overlay as the gesture does. */
  open(): void;
  /** Stops a running export and sends nothing more. Call it at shutdown, or before another `Admin` takes over. */
  close(): Promise<void>;
}

/** The main process's half of the admin overlay; the window's half is `renderer/admin`. */
export async function createAdmin(parts: AdminParts): Promise<Admin> {
  const { channel, dataDirectory, clock, schedule, log, kiosk, machine } = parts;
  const inData = (name: string) => join(dataDirectory, name);
  const [attempts, record, preferences] = await Promise.all([
    openPinAttempts(inData('pin-attempts.json'), clock, log),
    openActionRecord(inData('actions.ndjson'), log),
    openPreferences(inData('overlay.json'), parts.language, log),
  ]);
  const setUp = createSetUp(
    { ownFile: inData('settings.json'), file: parts.settingsFile },
    dataDirectory,
    parts.keyring,
    log,
  );
  const tell = tellOn(channel, overlayContract.fromServer);
  const send = (news: AdminNews) => tell('news', news);

  let pinHash = readPin(parts);
  const hasPin = () => pinHash !== null;
  const overlay = new Overlay({ ...parts, attempts, preferences, hasPin, send });
  const endSoon = endOnce(schedule);
  let isTesting = false;

  const chosenVolume = preferences.volume();
  if (chosenVolume !== null) kiosk?.setVolume(chosenVolume);

  const note: Note = (action, detail = null, outcome = 'done') =>
    void record.note({ at: clock.now(), action, detail, outcome });
  const noteOf =
    (key: string): Note =>
    (action, detail = null, outcome = 'done') =>
      void record.note({ at: clock.now(), action, detail, outcome, who: { kind: 'fleet', key } });

  /** One test at a time; each step is sent as it ends. */
  async function test(settings: Settings): Promise<ConnectionStep[]> {
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
      preferences,
      setUp,
      send,
      note,
      noteOf,
      endSoon,
      test,
    });

  const commands: AdminCommands = {
    ...(pages ? pages.commands : noKioskCommands()),
    ...overlayCommands({ ...parts, overlay, attempts, preferences, note, pinHash: () => pinHash }),
    ...setUpCommands({
      setUp,
      settingsFile: parts.settingsFile,
      hasPin,
      takePin(hash) {
        pinHash = readPinHash(hash);
      },
      test,
      machine,
      endSoon,
      note,
    }),
  };

  answerAdminCalls({ port: channel, commands, permits: (who) => overlay.permits(who), log });
  channel.onInput(() => overlay.step({ type: 'input' }));
  channel.onKey((pressed) => {
    if (!isShortcut(pressed, parts.shortcut)) return false;
    overlay.open();
    return true;
  });
  overlay.start();

  return {
    fleet: pages?.fleet ?? null,
    volume: preferences.volume,
    open: () => overlay.open(),
    async close() {
      overlay.end();
      await pages?.stop();
    },
  };
}

function readPin({ pinHash, log }: AdminParts): ReturnType<typeof readPinHash> {
  const read = pinHash === null ? null : readPinHash(pinHash);
  if (pinHash !== null && read === null) {
    log.error('admin.pinHash is not what `npm run pin` prints; the overlay only shows');
  }
  return read;
}
