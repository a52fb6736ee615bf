import type { StoredBooks } from '../../shared/records';
import type { Problem } from '../status/status';
import type { createBooksLosses, LossParts } from './books-losses';
import type { KeptBooks } from './snapshot';

/** Why the snapshot may not be replaced. */
type SnapshotProblem = Omit<Problem, 'code'>;

const UNREAD: SnapshotProblem = {
  message:
    'The snapshot of the books cannot be read. It is not replaced, because a lost database is restored from it.',
  advice:
    'It is read again each minute. If this stays, check the disk of the kiosk, and who may read books.json and books.json.journal in its data folder.',
};
const TO_BE_RESTORED: SnapshotProblem = {
  message: 'The database has lost plays that are in the snapshot, which could not be read at the start.',
  advice: 'Restart the kiosk: it restores them from the snapshot.',
};

const COUNTS_LOST: Problem = {
  code: 'counts-lost',
  message:
    'The database of the books is empty, and their snapshot is damaged or of a newer version. It was renamed to books.json.unreadable. Earlier plays do not count against caps.',
  advice:
    'Pause campaigns whose caps matter. If this follows an update that was taken back, a newer version is the remedy; otherwise check the disk of the kiosk. This is reported until the player is restarted.',
};

/** Reads the snapshot at the start. One that cannot be read then is not replaced before it could be. */
export function snapshotReader(
  { files, environment, log }: Pick<LossParts, 'files' | 'environment' | 'log'>,
  { lossOf }: Pick<ReturnType<typeof createBooksLosses>, 'lossOf'>,
) {
  let isDamaged = false;
  let lossProblem: Problem | null = null;
  let unread: { readonly opening: Promise<StoredBooks>; readonly problem: SnapshotProblem } | null = null;

  function noteDamage(error: unknown): void {
    log.error('the snapshot of the books is damaged or of a newer version; it was renamed', { error });
    isDamaged = true;
  }

  return {
    /**
     * The stored books, and what earlier runs left of them; null: nothing, or it cannot be read now. Where `opening` fails
     * it waits for the snapshot, too: who gives up the database asks for `problem` first.
     *
     * @param opening the stored books as they are opened
     */
    async read(opening: Promise<StoredBooks>): Promise<readonly [StoredBooks, KeptBooks | null]> {
      unread = null;
      const reading = files.read(environment, noteDamage).catch((error: unknown) => {
        log.error('the snapshot of the books cannot be read; it is read again each minute', { error });
        unread = { opening, problem: UNREAD };
        return null;
      });
      const stored = await opening.finally(() => reading);
      const kept = await reading;
      // A database with plays is taken to have what the snapshot held.
      if (isDamaged && stored.playCount === 0) lossProblem = COUNTS_LOST;
      return [stored, kept];
    },
    /** Both the database and the snapshot were lost; null: they were not. */
    lossProblem: (): Problem | null => lossProblem,
    /** Reads again what could not be read. What the database lacks of it is left for the next start to restore. */
    async mayBeReplaced(): Promise<boolean> {
      if (unread?.problem !== UNREAD) return unread === null;
      const { opening } = unread;
      try {
        const kept = await files.read(environment, noteDamage);
        const isWhole = kept === null || (await lossOf(await opening, kept)) === null;
        unread = isWhole ? null : { opening, problem: TO_BE_RESTORED };
      } catch {
        return false;
      }
      return unread === null;
    },
    problem: (): SnapshotProblem | null => unread?.problem ?? null,
  };
}
