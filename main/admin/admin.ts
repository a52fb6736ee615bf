import { join } from 'node:path';
import { type AdminNews, type ConnectionStep, overlayContract } from '../../shared/admin';
import { tellOn } from '../../shared/rpc';
import type { Settings } from '../settings/settings';
import { openActionRecord } from './action-record';
import type { Note } from './actions';
import type { AdminParts } from './admin-parts';
import { type AdminCommands, answerAdminCalls, Refusal } from './answer-calls';
import { endOnce } from './ending';
import { isShortcut } from './gesture';
import { noKioskCommands } from './kiosk-commands';
import { createKioskPages } from './kiosk-pages';
import { Overlay } from './overlay';
import { overlayCommands } from './overlay-commands';
import { openPinAttempts } from './pin-attempts';
import { readPinHash } from './pin-hash';
import { openPreferences } from './preferences';
import { createSetUp } from './set-up';
import { setUpCommands } from './set-up-commands';
import { openSigningKey } from './signing-key';

export interface Admin {
  /** For the status and for who verifies exports. */
  readonly publicKey: string;
  readonly fingerprint: string;
  /** Sound of videos as it was chosen on the kiosk; null: as the settings say. */
  volume(): number | null;
  /** Opens the overlay as the gesture does. */
  open(): void;
  /** Breaks off what runs and says no more: for an orderly end, or for the one that takes over. */
  close(): Promise<void>;
}

/** The main process's half of the admin overlay; the window's half is `renderer/admin`. */
export async function createAdmin(parts: AdminParts): Promise<Admin> {
  const { channel, dataDirectory, clock, schedule, log, kiosk, machine } = parts;
  const inData = (name: string) => join(dataDirectory, name);
  const [key, attempts, record, preferences] = await Promise.all([
    openSigningKey(inData('signing-key.pem'), log),
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

  /** One test at a time; its steps are told as they end. */
  async function test(settings: Settings): Promise<ConnectionStep[]> {
    if (isTesting) throw new Refusal('busy', 'A connection test is under way.');
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
      key,
      record,
      preferences,
      setUp,
      send,
      note,
      endSoon,
      test,
    });

  const commands: AdminCommands = {
    ...overlayCommands({ ...parts, overlay, attempts, preferences, note, pinHash: () => pinHash }),
    ...(pages ? pages.commands : noKioskCommands()),
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
    publicKey: key.publicKey,
    fingerprint: key.fingerprint,
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
