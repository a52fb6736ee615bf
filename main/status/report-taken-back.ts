import { z } from 'zod';
import type { Log } from '../../shared/log';
import type { Schedule } from '../schedule';
import { readJsonIfThere, readTextIfThere } from '../whole-file';
import type { Tell } from './facts';

const version = z.string().regex(/^[\w.+~:-]{1,100}$/);
/** The file that `/usr/lib/endcap/updates` writes when it reinstalls the version before an update. */
const TakenBack = z.object({
  at: z.iso.datetime(),
  bad: version,
  back: version,
  reason: z.string().max(200),
});

/** A newer version that plays deletes the report a minute later. */
const LOOK_MS = 60_000;

/**
 * Reports to the board and the log an update that was taken back because it did not play, until a newer version plays.
 *
 * @param file null: updates of this kiosk are not taken back
 */
export async function reportTakenBack(
  tell: Tell,
  file: string | null,
  { schedule, log }: { readonly schedule: Schedule; readonly log: Log },
): Promise<void> {
  if (file === null) return;
  const unread = (error: unknown) => {
    log.error('the report of an update that was taken back cannot be read', { file, error });
    return null;
  };
  const report = await readJsonIfThere(file, TakenBack, { onBroken: unread }).catch(unread);
  if (report === null) return;
  const { at, bad, back, reason } = report;
  log.error('an update was taken back', { at, bad, back, reason });
  tell({
    kind: 'attention',
    code: 'update-taken-back',
    problem: {
      message: `The update to version ${bad} was taken back: ${reason}. Version ${back} plays.`,
      advice:
        'Publish a newer version: this kiosk does not try that version again. On the kiosk, "journalctl -u endcap -u endcap-trial" says what happened.',
    },
  });
  const look = async () => {
    const text = await readTextIfThere(file).catch(() => '');
    if (text === null) tell({ kind: 'attention', code: 'update-taken-back', problem: null });
    else schedule(LOOK_MS, () => void look());
  };
  schedule(LOOK_MS, () => void look());
}
