import { readFile } from 'node:fs/promises';
import type { Log } from '../../../shared/log';
import { oneByOne } from '../../one-by-one';
import { createWholeFile } from '../../whole-file';
import { atStart, KeptRemote, NOTHING_KEPT, takenBack } from './remote-settings';

/** The operator's settings in the data folder, over restarts. */
export interface KeptRemoteSettings {
  now(): KeptRemote;
  /**
   * One change after the other. Resolves when it is on the disk; rejects where it is not, and then nothing
   * has changed.
   */
  change(step: (kept: KeptRemote) => KeptRemote): Promise<void>;
  /** The same for a change that applies even if it cannot be stored. Never rejects. */
  changeAnyway(step: (kept: KeptRemote) => KeptRemote): Promise<void>;
}

/**
 * Opens the stored remote settings for this run. A trial begins only if that is stored: if the run then ends
 * for any reason, the trial has failed.
 *
 * @param now ms since the epoch
 */
export async function openRemoteSettings(
  path: string,
  now: () => number,
  log: Log,
): Promise<KeptRemoteSettings> {
  const file = createWholeFile(path, 0o600);
  let kept = await read(path, log);
  const store = (next: KeptRemote) => file.write(`${JSON.stringify(next)}\n`);

  async function begin(): Promise<void> {
    const begun = atStart(kept, now());
    if (begun === kept) return;
    try {
      await store(begun);
      kept = begun;
    } catch (error) {
      log.error('a trial of remote settings could not be noted', { error });
      kept = takenBack(kept, 'The trial could not be noted on the disk. Check the disk.', now());
    }
  }

  await begin();
  const inOrder = oneByOne();
  return {
    now: () => kept,
    change: (step) =>
      inOrder(async () => {
        const next = step(kept);
        await store(next);
        kept = next;
      }),
    changeAnyway: (step) =>
      inOrder(async () => {
        kept = step(kept);
        await store(kept).catch((error: unknown) =>
          log.error('the result of remote settings could not be stored', { error }),
        );
      }),
  };
}

async function read(path: string, log: Log): Promise<KeptRemote> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return NOTHING_KEPT;
  try {
    return KeptRemote.parse(JSON.parse(text));
  } catch (error) {
    log.error('the remote settings cannot be read; the file alone is in force', { file: path, error });
    return NOTHING_KEPT;
  }
}
