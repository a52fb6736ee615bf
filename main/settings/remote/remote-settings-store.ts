import type { Log } from '../../../shared/log';
import { oneByOne } from '../../turns';
import { readJsonIfThere, writeWholeFile } from '../../whole-file';
import { atStart, NO_STORED_SETTINGS, StoredRemoteSettings, takenBack } from './remote-settings';

/** The operator's settings in the data folder, over restarts. */
export type RemoteSettingsStore = Awaited<ReturnType<typeof openRemoteSettings>>;

type Step = (kept: StoredRemoteSettings) => StoredRemoteSettings;

/**
 * Opens the stored remote settings for this run. A trial begins only if that is stored: if the run then ends
 * for any reason, the trial has failed. If the file cannot be read now, nothing is stored in this run: the next start
 * may read it.
 *
 * @param now ms since the epoch
 */
export async function openRemoteSettings(path: string, now: () => number, log: Log) {
  let isUnread = false;
  const tell = (error: unknown) =>
    log.error('the remote settings cannot be read; the file alone is in force', { file: path, error });
  const stored = await readJsonIfThere(path, StoredRemoteSettings, tell).catch((error: unknown) => {
    tell(error);
    isUnread = true;
    return null;
  });
  let kept = stored ?? NO_STORED_SETTINGS;
  async function store(next: StoredRemoteSettings): Promise<void> {
    if (isUnread) throw new Error(`${path} could not be read at the start, so it is not replaced.`);
    await writeWholeFile(path, `${JSON.stringify(next)}\n`, 0o600);
  }

  const begun = atStart(kept, now());
  if (begun !== kept) {
    try {
      await store(begun);
      kept = begun;
    } catch (error) {
      log.error('the start of a trial of remote settings could not be stored', { error });
      kept = takenBack(kept, 'The start of the trial could not be stored. Check the disk.', now());
    }
  }

  const inOrder = oneByOne();
  return {
    now: (): StoredRemoteSettings => kept,
    /**
     * One change after the other. Resolves when it is on the disk; rejects where it is not, and then nothing
     * has changed.
     */
    change: (step: Step): Promise<void> =>
      inOrder(async () => {
        const next = step(kept);
        await store(next);
        kept = next;
      }),
    /** The same for a change that applies even if it cannot be stored. Never rejects. */
    changeEvenIfNotStored: (step: Step): Promise<void> =>
      inOrder(async () => {
        kept = step(kept);
        await store(kept).catch((error: unknown) =>
          log.error('the result of remote settings could not be stored', { error }),
        );
      }),
  };
}
