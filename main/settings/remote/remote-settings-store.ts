import type { Log } from '../../../shared/log';
import { asJson, openStateFile } from '../../state-file';
import {
  atStart,
  LOST_SETTINGS,
  NO_STORED_SETTINGS,
  StoredRemoteSettings,
  takenBack,
} from './remote-settings';

/** The operator's settings in the data folder, over restarts. */
export type RemoteSettingsStore = Awaited<ReturnType<typeof openRemoteSettings>>;

/**
 * Opens the stored remote settings for this run. A trial begins only if that is stored: if the run then ends
 * for any reason, the trial has failed. If the file cannot be read now, nothing is stored in this run: the next start
 * may read it.
 *
 * @param now ms since the epoch
 */
export async function openRemoteSettings(path: string, now: () => number, log: Log) {
  const file = await openStateFile<StoredRemoteSettings>({
    path,
    ...asJson(StoredRemoteSettings),
    nothing: NO_STORED_SETTINGS,
    lost: LOST_SETTINGS,
    log,
    ifUnread: 'keep-for-next-start',
    unread: 'the remote settings cannot be read; the file alone is in force',
    notStored: 'the result of remote settings could not be stored',
  });
  try {
    await file.change((kept) => atStart(kept, now()));
  } catch (error) {
    log.error('the start of a trial of remote settings could not be stored', { error });
    const why = 'The start of the trial could not be stored. Check the disk.';
    await file.changeEvenIfNotStored((kept) => takenBack(kept, why, now()));
  }
  return file;
}
