import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Log } from '../../shared/log';
import { plain } from '../../shared/plain';
import type { Play } from '../../shared/play';
import type { RowOrigin } from '../../shared/proof-row';
import type { Schedule } from '../schedule';
import { asJson, openStateFile } from '../state-file';

/** Where, and as which player, a kiosk plays. */
export type Place = Omit<RowOrigin, 'kiosk'>;

export type Places = Awaited<ReturnType<typeof openPlaces>>;

/** Most places that are remembered; plays of older ones count as played at the oldest one remembered. */
const MAX_PLACES = 50;
/** Wait before another try to store the present place, ms. */
const AGAIN_MS = 600_000;

const text = plain.textOrNull;
const StoredPlaces = z.object({
  version: z.literal(1),
  /** In the order in which the kiosk came there. */
  places: z
    .array(
      z.object({
        /** The books of its plays (rule 26). */
        environment: plain.text,
        playerId: text,
        store: z.object({
          storeId: text,
          zone: text,
          screenId: text,
          labels: z.record(plain.text, plain.text),
        }),
        /** Time of the last play there, ms since the epoch; null: the newest place of these books. */
        until: plain.numberOrNull,
      }),
    )
    .max(MAX_PLACES),
});
type StoredPlaces = z.infer<typeof StoredPlaces>;

/**
 * Remembers where the kiosk played. A play's row is made when it is sent, and by then the settings may name another
 * store or player. It has to end before the run's first play. Rejects only if `books` does; its file is read meanwhile.
 *
 * @param parts.present as the settings of this run say
 * @param parts.books the books of this run: their name, and the time of their newest play of earlier runs, ms since the
 *   epoch (null: none)
 */
export async function openPlaces(parts: {
  readonly path: string;
  readonly present: Place;
  readonly books: Promise<{ readonly environment: string; readonly lastPlayAt: number | null }>;
  readonly schedule: Schedule;
  readonly log: Log;
}) {
  const { path, present, schedule, log } = parts;
  const opening = openStateFile<StoredPlaces>({
    path,
    ...asJson(StoredPlaces),
    nothing: { version: 1, places: [] },
    ifUnread: 'keep',
    log,
    unread: 'earlier places cannot be read; plays that were not sent yet count as played at the present one',
    notStored: 'the place of the kiosk could not be stored',
  });
  // Together: an error of the books that nobody awaits yet would end the kiosk at once.
  const [file, { environment, ...books }] = await Promise.all([opening, parts.books]);
  let { lastPlayAt } = books;
  const remember = (known: StoredPlaces) => withPresent(known, present, { environment, lastPlayAt });

  /** Otherwise the next run would take the plays of this one for plays at the place before. */
  async function storeInTime(): Promise<void> {
    await file.change(remember).catch(() => schedule(AGAIN_MS, () => void storeInTime()));
  }

  await file.changeEvenIfNotStored(remember);
  void storeInTime();
  return {
    of: (play: Pick<Play, 'environment' | 'at'>): Place =>
      file
        .now()
        .places.find((place) => place.environment === play.environment && isWithin(place.until, play.at)) ??
      present,
    /**
     * Moves the ends of places as rule 10 moves the plays of these books: those later than `after` by `by` ms. The first
     * trusted time of a run also moves plays of earlier runs.
     */
    playsMoved({ after, by }: { readonly after: number; readonly by: number }): Promise<void> {
      const isMoved = (at: number | null): at is number => at !== null && at > after;
      if (isMoved(lastPlayAt)) lastPlayAt += by;
      return file.changeEvenIfNotStored((known) => ({
        ...known,
        places: known.places.map((place) =>
          place.environment === environment && isMoved(place.until)
            ? { ...place, until: place.until + by }
            : place,
        ),
      }));
    },
  };
}

const isWithin = (until: number | null, at: number): boolean => until === null || at <= until;

function withPresent(
  known: StoredPlaces,
  { playerId, store }: Place,
  { environment, lastPlayAt }: { readonly environment: string; readonly lastPlayAt: number | null },
): StoredPlaces {
  const place = { environment, playerId, store: { ...store, labels: { ...store.labels } }, until: null };
  const ofBooks = known.places.filter((each) => each.environment === environment);
  const newest = ofBooks.find(({ until }) => until === null);
  if (isDeepStrictEqual(newest, place)) return known;
  const others = known.places.filter((each) => each !== newest);
  // Places where nothing played would push out those of plays that are not sent yet.
  const hasPlayed = lastPlayAt !== null && ofBooks.every(({ until }) => until === null || until < lastPlayAt);
  const left = newest && hasPlayed ? [{ ...newest, until: lastPlayAt }] : [];
  return { version: 1, places: [...others, ...left, place].slice(-MAX_PLACES) };
}
