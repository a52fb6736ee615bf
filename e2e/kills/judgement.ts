import type { FlightCounters } from '../../shared/books';
import { instant } from '../../shared/clock';
import type { Play } from '../../shared/play';
import { type Cap, capsExceeded } from './cap-recount';
import type { StoredBooks } from './victim';

/** An impression as the collector saw it. */
export interface Impression {
  readonly adId: string;
  readonly flightId: string;
  /** When the frame was shown by the kiosk's clock, ms since the epoch. */
  readonly shownAt: number;
  /** As it was requested; its cache buster makes it unique. */
  readonly url: string;
}

export interface Evidence {
  readonly books: StoredBooks;
  /** What the collector had before the books were read. */
  readonly impressions: readonly Impression[];
  /** Plays that were in the books when they were read before. */
  readonly seenBefore: ReadonlyMap<string, Play>;
  readonly capsOf: ReadonlyMap<string, readonly Cap[]>;
}

export interface Judgement {
  readonly capsExceeded: readonly string[];
  /** Stored plays that are gone or changed, and impressions without a play. */
  readonly playsLost: readonly string[];
  readonly countersWrong: readonly string[];
}

/** A frame is shown later than the time stamped on its play, by a varying amount; ms. */
const SHOWN_BLUR_MS = 2_000;
/** A play is stamped with the planned moment of its first frame, which may come a little earlier, ms. */
const EARLY_MS = 150;
/** Longest time between an open play's stamp and its first frame, ms. */
const SHOWN_WITHIN_MS = 20_000;

/** Compares the books with everything that was observed from outside, play by play. */
export function judge({ books, impressions, seenBefore, capsOf }: Evidence): Judgement {
  const counted = books.plays.filter(({ outcome }) => outcome !== 'given-back');
  return {
    capsExceeded: [...capsOf].flatMap(([flightId, caps]) => {
      const stored = counted.filter((play) => play.flightId === flightId).map(({ at }) => at);
      const shown = impressions.filter((one) => one.flightId === flightId).map(({ shownAt }) => shownAt);
      // The hour or day of a play is decided by its stamp, not by its first frame.
      const lookingBack = caps.filter(({ window }) => !/_(HOUR|DAY|WEEK)$/.test(window));
      return [
        ...capsExceeded(stored, caps).map((words) => `${flightId} in the books, ${words}`),
        ...capsExceeded(shown, lookingBack, SHOWN_BLUR_MS).map((words) => `${flightId} as shown, ${words}`),
      ];
    }),
    playsLost: [...forgotten(books.plays, seenBefore), ...withoutPlay(impressions, counted)],
    countersWrong: wrongCounters(books, counted),
  };
}

function forgotten(plays: readonly Play[], seenBefore: ReadonlyMap<string, Play>): string[] {
  const known = new Map(plays.map((play) => [play.id, play]));
  return [...seenBefore.values()].flatMap((before) => {
    const now = known.get(before.id);
    if (!now) return [`play ${before.id} of ${before.adId} is gone`];
    return now.at === before.at && now.flightId === before.flightId
      ? []
      : [`play ${before.id} of ${before.adId} has changed`];
  });
}

/** Impressions without a play in the books; each play accounts for one impression. */
function withoutPlay(impressions: readonly Impression[], counted: readonly Play[]): string[] {
  const left = new Map<string, Play[]>();
  for (const play of counted) left.set(play.adId, [...(left.get(play.adId) ?? []), play]);
  return [...impressions]
    .sort((one, other) => one.shownAt - other.shownAt)
    .flatMap(({ adId, shownAt }) => {
      const plays = left.get(adId) ?? [];
      const isIts = (play: Play) =>
        play.shownAt === null
          ? play.at <= shownAt + EARLY_MS && shownAt - play.at < SHOWN_WITHIN_MS
          : instant(play.shownAt) === instant(shownAt);
      const found = plays.find((play) => play.shownAt !== null && isIts(play)) ?? plays.find(isIts);
      if (!found) {
        const stored = plays.map(({ at, shownAt: shown }) => `${instant(at)} (${shown && instant(shown)})`);
        return [`${adId} was shown at ${instant(shownAt)} without a stored play; left: ${stored.join(', ')}`];
      }
      left.set(
        adId,
        plays.filter((play) => play !== found),
      );
      return [];
    });
}

/** Counters and totals that differ from a count of the stored plays. */
function wrongCounters({ plays, flights, environments }: StoredBooks, counted: readonly Play[]): string[] {
  const ofFlight = new Map<string, number[]>();
  for (const { flightId, at } of counted) {
    if (flightId !== null) ofFlight.set(flightId, [...(ofFlight.get(flightId) ?? []), at]);
  }
  const stored = new Map(flights.map((counters) => [counters.flightId, counters]));
  const recorded = environments.reduce((sum, { playCount }) => sum + playCount, 0);
  return [
    ...(recorded === plays.length ? [] : [`${recorded} plays on record, ${plays.length} stored`]),
    ...[...new Set([...ofFlight.keys(), ...stored.keys()])].flatMap((flightId) => {
      const times = (ofFlight.get(flightId) ?? []).sort((one, other) => one - other);
      const counters = stored.get(flightId);
      return counters && agree(counters, times)
        ? []
        : [`${flightId}: ${counters?.total ?? 'no'} plays by its counters, ${times.length} stored`];
    }),
  ];
}

const HOUR_MS = 3_600_000;

function agree(counters: FlightCounters, times: readonly number[]): boolean {
  const recent = times.filter((at) => at > (counters.recentDroppedTo ?? Number.NEGATIVE_INFINITY));
  const hours = new Map<number, number>();
  for (const at of times) {
    const hour = Math.floor(at / HOUR_MS);
    if (hour > (counters.hoursDroppedTo ?? Number.NEGATIVE_INFINITY))
      hours.set(hour, (hours.get(hour) ?? 0) + 1);
  }
  return (
    counters.total === times.length &&
    same(counters.recent, recent) &&
    same(counters.hours, [...hours.keys()]) &&
    same(counters.hourPlays, [...hours.values()])
  );
}

const same = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((value, index) => value === other[index]);
