import { appendFile, rename, rm, stat } from 'node:fs/promises';
import { z } from 'zod';
import { DecidingBooks } from '../../shared/books';
import { plain } from '../../shared/plain';
import { SequencePosition } from '../../shared/proof-sequence';
import { StoredPlaylist } from '../../shared/records';
import { portions } from '../reading/portions';
import { oneByOne } from '../turns';
import { jsonOf, readJsonIfThere, readTextIfThere, writeWholeFile } from '../whole-file';

/** What main stores of the books outside IndexedDB, in case the database is lost (rule 25). */
export const BooksSnapshot = DecidingBooks.extend({
  version: z.literal(1),
  environment: plain.text,
  /** When it was taken, ms since the epoch. */
  at: plain.number,
  playCount: plain.count,
  /** How long the kiosk had run in all, ms; absent in snapshots of older versions. */
  ranMs: plain.number.exactOptional(),
  /** A number that the sequence of settled plays had reached (rule 27). */
  sequence: SequencePosition.exactOptional(),
  /** When the last good answer came, ms since the epoch: unchanged answers renew it, but not the copied playlist. */
  playlistAt: plain.number.exactOptional(),
  /** Entries of the journal that it includes: the process can have died before the journal was emptied. */
  journalled: z.array(plain.text).exactOptional(),
});
export type BooksSnapshot = z.infer<typeof BooksSnapshot>;

const PlaylistCopy = z.object({ environment: plain.text, playlist: StoredPlaylist });

/** One reservation since the snapshot: all that caps need to know of it. */
const JournalEntry = z.object({ id: plain.text, flightId: plain.textOrNull, at: plain.number });
export type JournalEntry = z.infer<typeof JournalEntry>;

/** What the files hold of the books: the last whole snapshot, and what was reserved since. */
export interface KeptBooks {
  readonly snapshot: BooksSnapshot;
  readonly journal: readonly JournalEntry[];
}

export type SnapshotFiles = ReturnType<typeof snapshotFiles>;

/** A journal this long, some 40,000 plays, belongs to a snapshot that is never replaced, bytes. */
const MAX_JOURNAL_BYTES = 4 * 1024 * 1024;

/** Most ads or counters that are serialised at once, about 1 ms; fewer where they are large. */
const ITEMS_AT_ONCE = 100;

/**
 * Stores the snapshot, journal and playlist as `FILE`, `FILE.journal` and `FILE.playlist`.
 *
 * @param pause lets other work run; resolves when this work may continue
 */
export function snapshotFiles(file: string, pause: () => Promise<void>) {
  const journal = `${file}.journal`;
  const playlistFile = `${file}.playlist`;
  const inOrder = oneByOne();
  /** The ids in the journal: those that earlier runs left, and those of this run. */
  let left: string[] = [];
  let noted: string[] = [];
  return {
    /**
     * What earlier runs left; null when there is no snapshot of this environment. Rejects when there is one that cannot be
     * read now.
     *
     * @param onDamaged called when it is invalid, damaged or of a newer version, after it became `FILE.unreadable`;
     *   absent: it stays, as if it were missing
     */
    read: (environment: string, onDamaged?: (error: unknown) => void): Promise<KeptBooks | null> =>
      inOrder(async () => {
        const broken: unknown[] = [];
        const snapshot = await readJsonIfThere(file, BooksSnapshot, {
          onBroken: (error) => broken.push(error),
        });
        if (broken.length > 0 && onDamaged) {
          await rename(file, `${file}.unreadable`);
          onDamaged(broken[0]);
        }
        const lines = ((await readTextIfThere(journal)) ?? '').split('\n');
        const ofThisRun = new Set(noted);
        // A line may be torn: a process can have died while writing it. So each entry begins a new line.
        const entries = lines
          .flatMap((line) => JournalEntry.safeParse(jsonOf(line)).data ?? [])
          .filter(({ id }) => !ofThisRun.has(id));
        left = entries.map(({ id }) => id);
        if (snapshot?.environment !== environment) return null;
        const included = new Set(snapshot.journalled);
        return { snapshot, journal: entries.filter(({ id }) => !included.has(id)) };
      }),
    /** Replaces the snapshot in one step, and empties the journal. Resolves with the length of what was written. */
    write: ({ flights, recency, ...rest }: BooksSnapshot): Promise<number> =>
      inOrder(async () => {
        // Serialised here, within the queue: the journal takes no entry until the snapshot is written.
        const pieces = await piecesOf(
          { flights, recency },
          { ...rest, journalled: [...left, ...noted] },
          pause,
        );
        await writeWholeFile(file, pieces, 0o600);
        await rm(journal, { force: true });
        left = [];
        noted = [];
        return pieces.reduce((length, piece) => length + piece.length, 0);
      }),
    /** A copy of the stored playlist; a file of its own, because it is large and rarely changes. */
    async writePlaylist(environment: string, { ads, ...rest }: StoredPlaylist): Promise<void> {
      const playlist = await piecesOf({ ads }, rest, pause);
      const pieces = [`{"environment":${JSON.stringify(environment)},"playlist":`, ...playlist, '}'];
      await inOrder(() => writeWholeFile(playlistFile, pieces, 0o600));
    },
    /** Null where it cannot be read, too: the service sends another. */
    async readPlaylist(environment: string): Promise<StoredPlaylist | null> {
      const copy = await readJsonIfThere(playlistFile, PlaylistCopy).catch(() => null);
      return copy?.environment === environment ? copy.playlist : null;
    },
    /**
     * Adds a reservation to the journal. It survives the process but not a power cut; the database survives both.
     * Rejects when the journal is full.
     */
    note: (entry: JournalEntry): Promise<void> =>
      inOrder(async () => {
        const before = await stat(journal).catch(() => null);
        if (before && before.size >= MAX_JOURNAL_BYTES) throw new Error('the journal of the books is full');
        noted.push(entry.id);
        await appendFile(journal, `\n${JSON.stringify(entry)}\n`, { mode: 0o600 });
      }),
  };
}

/**
 * The JSON of an object with long lists, in pieces that are made step by step: for ten thousand items at once, all other
 * work would wait.
 */
async function piecesOf(
  lists: Readonly<Record<string, readonly unknown[]>>,
  rest: object,
  pause: () => Promise<void>,
): Promise<readonly string[]> {
  const pieces = ['{'];
  for (const [name, list] of Object.entries(lists)) {
    pieces.push(`${JSON.stringify(name)}:[`);
    let comma = '';
    for (const portion of portions(list, ITEMS_AT_ONCE)) {
      pieces.push(comma, JSON.stringify(portion).slice(1, -1));
      comma = ',';
      await pause();
    }
    pieces.push('],');
  }
  return [...pieces, JSON.stringify(rest).slice(1)];
}
