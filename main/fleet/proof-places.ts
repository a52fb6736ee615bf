import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Log } from '../../shared/log';
import type { Play } from '../../shared/play';
import type { RowOrigin } from '../../shared/proof-row';
import { asJson, openStateFile } from '../state-file';

/** Where, and as which player, a kiosk plays. */
export type Place = Omit<RowOrigin, 'kiosk'>;

export type PlaceOf = (play: Pick<Play, 'environment' | 'at'>) => Place;

/** Most places that are remembered; plays of older ones count as played at the present one. */
const MOST_PLACES = 50;

const text = z.string().nullable();
const StoredPlaces = z.object({
  version: z.literal(1),
  /** In the order in which the kiosk came there. */
  places: z
    .array(
      z.object({
        /** The books of its plays (rule 26). */
        environment: z.string(),
        playerId: text,
        store: z.object({
          ...{ storeId: text, zone: text, screenId: text },
          labels: z.record(z.string(), z.string()),
        }),
        /** Time of the last play there, ms since the epoch; null: the newest place of these books. */
        until: z.number().nullable(),
      }),
    )
    .max(MOST_PLACES),
});
type StoredPlaces = z.infer<typeof StoredPlaces>;

/**
 * Remembers where the kiosk played. A play's row is made when it is sent, and by then the settings may name another
 * store or player.
 *
 * @param present as the settings of this run say
 * @param books the books of this run: their name, and the time of their newest play of earlier runs, ms since the epoch
 *   (null: none). No jump of the clock moves a later play to before it (rule 10).
 * @returns the place of a play
 */
export async function openPlaces(
  path: string,
  present: Place,
  books: { readonly environment: string; readonly lastPlayAt: number | null },
  log: Log,
): Promise<PlaceOf> {
  const file = await openStateFile<StoredPlaces>({
    ...{ path, ...asJson(StoredPlaces), nothing: { version: 1, places: [] }, ifUnread: 'keep', log },
    unread: 'earlier places cannot be read; plays that were not sent yet count as played at the present one',
    notStored: 'the place of the kiosk could not be stored',
  });
  await file.changeEvenIfNotStored((known) => withPresent(known, present, books));
  const { places } = file.now();
  return ({ environment, at }) =>
    places.find(
      (place) => place.environment === environment && (place.until === null || at <= place.until),
    ) ?? present;
}

function withPresent(
  known: StoredPlaces,
  { playerId, store }: Place,
  { environment, lastPlayAt }: Parameters<typeof openPlaces>[2],
): StoredPlaces {
  const place = { environment, playerId, store: { ...store, labels: { ...store.labels } }, until: null };
  const ofBooks = known.places.filter((each) => each.environment === environment);
  const newest = ofBooks.find(({ until }) => until === null);
  if (isDeepStrictEqual(newest, place)) return known;
  const others = known.places.filter((each) => each !== newest);
  const hasPlayed = lastPlayAt !== null && ofBooks.every(({ until }) => until === null || until < lastPlayAt);
  const left = newest && hasPlayed ? [{ ...newest, until: lastPlayAt }] : [];
  return { version: 1, places: [...others, ...left, place].slice(-MOST_PLACES) };
}
