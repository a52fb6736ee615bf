import { z } from 'zod';
import type { Log } from '../../shared/log';
import { readJsonIfThere } from '../whole-file';
import type { Tell } from './facts';

const version = z.string().regex(/^[\w.+~:-]{1,100}$/);
/** The file that `/usr/lib/endcap/updates` writes when it reinstalls the version before an update. */
const TakenBack = z.object({
  at: z.iso.datetime(),
  bad: version,
  back: version,
  reason: z.string().max(200),
});

/**
 * Reports to the board and the log an update that was taken back because it did not play, while the version before it
 * plays.
 *
 * @param file null: updates of this kiosk are not taken back
 * @param running the version that plays now
 */
export async function reportTakenBack(
  tell: Tell,
  file: string | null,
  running: string,
  log: Log,
): Promise<void> {
  if (file === null) return;
  const unread = (error: unknown) => {
    log.error('the report of an update that was taken back cannot be read', { file, error });
    return null;
  };
  const report = await readJsonIfThere(file, TakenBack, { onBroken: unread }).catch(unread);
  // A newer version deletes the report once it has played for a minute.
  if (report?.back !== running) return;
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
}
