import { join } from 'node:path';
import { app } from 'electron';
import type { Log } from '../../shared/log';
import type { AdminChannel } from '../admin/admin-parts';
import { createRecordsClient, type RecordsClient } from '../records/records-client';
import { timers } from '../service/schedule';
import { openAdminChannel } from './admin-channel';
import { createDecidedClock, type DecidedClock } from './decided-clock';
import { type MediaStores, serveMedia } from './media-protocol';
import {
  type KioskScreen,
  keepKioskWindow,
  keepRecordsWindow,
  type RecordsWindowKeeper,
} from './supervised-windows';

/** The two windows of a playing kiosk, and what talks through them. They are kept open until `end`. */
export interface Windows {
  readonly clock: DecidedClock;
  readonly stage: KioskScreen;
  readonly adminChannel: AdminChannel;
  readonly records: RecordsClient;
  readonly recordsWindow: RecordsWindowKeeper;
  /** What `media://` leads to from now on. */
  showMedia(stores: MediaStores): void;
  /** Another records window took over from one that died. Those that did so before are not told of. */
  onRecordsBack(listener: () => void): void;
  /** The kiosk ends: what dies now stays dead. */
  end(): void;
}

/** Opens both windows; they load while the rest of the kiosk is built. */
export function openWindows(options: {
  /** Folder of the built preloads. */
  readonly preloads: string;
  readonly kiosk: boolean;
  readonly rotation: 0 | 90 | 180 | 270;
  readonly language: string;
  readonly log: Log;
}): Windows {
  const { preloads, log } = options;
  const clock = createDecidedClock();
  const records = createRecordsClient(timers);
  let ending = false;
  let recordsBack = () => {};
  const supervision = { clock, log, isEnding: () => ending, giveUp: () => app.exit(1) };
  const showMedia = serveMedia();
  // Before the kiosk window is there: nothing the overlay's page says is lost.
  const adminChannel = openAdminChannel((contents) => stage.owns(contents), log);
  const recordsWindow = keepRecordsWindow(records, {
    ...supervision,
    preload: join(preloads, 'records.js'),
    onBack: () => recordsBack(),
  });
  const stage = keepKioskWindow({
    ...supervision,
    preload: join(preloads, 'kiosk.js'),
    kiosk: options.kiosk,
    devTools: !app.isPackaged,
    rotation: options.rotation,
    language: options.language,
  });
  return {
    clock,
    stage,
    adminChannel,
    records,
    recordsWindow,
    showMedia,
    onRecordsBack(listener) {
      recordsBack = listener;
    },
    end() {
      ending = true;
    },
  };
}
