import type { Ad, FrequencyCap, TargetingCondition } from '../../shared/ad';
import { foldCondition } from './audience';
import type { SourceInPlaylist } from './source-mix';

/** The recency of ads that have not played yet; lower than every sequence. */
export const NEVER_PLAYED = -1;

/** The media index of ads without a file that this kiosk can show. */
export const NO_MEDIA = 0;

/**
 * A playlist as columns: one row per ad, in response order. Values that ads share (source, audience, the caps of a
 * flight, media, recency) are stored once and referenced by index, so that a change touches one cell. Choosing is one
 * pass over flat arrays: its cost does not depend on the number of past plays, on how many ads are eligible, or on the
 * clock. An index ordered by time would have to be rebuilt at every jump.
 *
 * The arrays in the second half change in place; the others never change.
 */
export interface PlaylistColumns {
  readonly ads: readonly Ad[];

  readonly sourceOf: Int32Array;
  readonly audienceOf: Int32Array;
  readonly capsOf: Int32Array;
  readonly mediaOf: Int32Array;
  readonly recencyOf: Int32Array;

  readonly sources: readonly SourceInPlaylist[];
  readonly sourceIndex: ReadonlyMap<string, number>;
  /** Distinct audiences as groups of condition indices; null is everyone. */
  readonly audiences: ReadonlyArray<readonly (readonly number[])[] | null>;
  readonly conditions: readonly TargetingCondition[];
  /** Distinct cap lists, each of one flight. */
  readonly caps: readonly CapList[];
  readonly capsOfFlight: ReadonlyMap<string, readonly number[]>;
  readonly mediaUrls: readonly string[];
  readonly mediaIndex: ReadonlyMap<string, number>;
  readonly recencyKeys: readonly string[];
  readonly recencyIndex: ReadonlyMap<string, number>;

  /** Per row: the last moment at which the ad is valid, ms. */
  readonly validUntil: Float64Array;
  /** Per row: 1 when the ad may not be shown, whatever else holds (rule 30). */
  readonly isBlocked: Uint8Array;
  /** Per row: orders ads that share a recency key; `NEVER_PLAYED` or a sequence. */
  readonly turn: Float64Array;
  /** Per condition: 1 when it holds. */
  readonly conditionHolds: Uint8Array;
  /** Per audience: 1 when it matches. */
  readonly audienceMatches: Uint8Array;
  /** Per cap list: when each of its caps lets the flight play again, and when all do, ms. */
  readonly capsFreeFrom: (readonly number[])[];
  readonly freeFrom: Float64Array;
  /** Per media: 1 when it is verified on disk. */
  readonly mediaIsReady: Uint8Array;
  /** Per recency key: `NEVER_PLAYED` or a sequence. */
  readonly lastPlayed: Float64Array;
}

export interface CapList {
  readonly flightId: string | null;
  readonly caps: readonly FrequencyCap[];
}

/** The source of an ad in the source mix (rule 9); '' for ads without a `source_id`. */
export function sourceIdOf(ad: Ad): string {
  return ad.metadata.sourceId ?? '';
}

/** Lays out a playlist. Every ad starts as not matching, not ready, never played and not capped. */
export function layOut(ads: readonly Ad[], mediaUrl: (ad: Ad) => string | null): PlaylistColumns {
  const steps = layOutInSteps(ads, mediaUrl);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** `layOut` in steps: yields after every ad, so that a large playlist does not block main. */
export function* layOutInSteps(
  ads: readonly Ad[],
  mediaUrl: (ad: Ad) => string | null,
): Generator<void, PlaylistColumns, void> {
  const sources = new Interned<{ readonly sourceId: string; ads: number }>();
  const conditions = new Interned<TargetingCondition>();
  const audiences = new Interned<readonly (readonly number[])[] | null>();
  const capLists = new Interned<readonly FrequencyCap[]>();
  const caps = new Interned<CapList>();
  const media = new Interned<string>();
  const recency = new Interned<string>();
  audiences.indexOf('', () => null);
  // No file has the empty URL, so nothing ever makes it ready.
  media.indexOf('', () => '');

  const sourceOf = new Int32Array(ads.length);
  const audienceOf = new Int32Array(ads.length);
  const capsOf = new Int32Array(ads.length);
  const mediaOf = new Int32Array(ads.length);
  const recencyOf = new Int32Array(ads.length);
  const capsOfFlight = new Map<string, number[]>();

  for (const [row, ad] of ads.entries()) {
    const sourceId = sourceIdOf(ad);
    const source = sources.indexOf(sourceId, () => ({ sourceId, ads: 0 }));
    (sources.values[source] as { ads: number }).ads += 1;
    sourceOf[row] = source;

    const { audience, flightId, frequencyCaps } = ad.metadata;
    if (audience !== null) {
      const groups = audience.groups.map((group) =>
        group.conditions.map((condition) =>
          conditions.indexOf(JSON.stringify(condition), () => foldCondition(condition)),
        ),
      );
      audienceOf[row] = audiences.indexOf(JSON.stringify(groups), () => groups);
    }

    const known = caps.size;
    const list = capLists.indexOf(capsKey(frequencyCaps), () => frequencyCaps);
    const ownCaps = caps.indexOf(flightId === null ? `${list}` : `${list} ${flightId}`, () => ({
      flightId,
      caps: frequencyCaps,
    }));
    capsOf[row] = ownCaps;
    if (ownCaps === known && flightId !== null) {
      const ofFlight = capsOfFlight.get(flightId);
      if (ofFlight === undefined) capsOfFlight.set(flightId, [ownCaps]);
      else ofFlight.push(ownCaps);
    }

    const url = mediaUrl(ad) ?? '';
    mediaOf[row] = media.indexOf(url, () => url);
    const key = recencyKey(ad, url);
    recencyOf[row] = recency.indexOf(key, () => key);
    yield;
  }

  return {
    ads,
    sources: sources.values,
    sourceIndex: sources.indices,
    sourceOf,
    audienceOf,
    capsOf,
    mediaOf,
    recencyOf,
    audiences: audiences.values,
    conditions: conditions.values,
    caps: caps.values,
    capsOfFlight,
    mediaUrls: media.values,
    mediaIndex: media.indices,
    recencyKeys: recency.values,
    recencyIndex: recency.indices,
    validUntil: new Float64Array(ads.length),
    isBlocked: new Uint8Array(ads.length),
    turn: new Float64Array(ads.length).fill(NEVER_PLAYED),
    conditionHolds: new Uint8Array(conditions.size),
    audienceMatches: new Uint8Array(audiences.size),
    capsFreeFrom: new Array(caps.size).fill([]),
    freeFrom: new Float64Array(caps.size).fill(Number.NEGATIVE_INFINITY),
    mediaIsReady: new Uint8Array(media.size),
    lastPlayed: new Float64Array(recency.size).fill(NEVER_PLAYED),
  };
}

/** As unambiguous as JSON, and several times as fast: each window is preceded by its length. */
function capsKey(caps: readonly FrequencyCap[]): string {
  let key = '';
  for (const { window, limit } of caps) key += `${limit} ${window.length} ${window} `;
  return key;
}

/** Stores each distinct value once, under the index of its first occurrence. */
class Interned<T> {
  readonly values: T[] = [];
  readonly indices = new Map<string, number>();

  get size(): number {
    return this.values.length;
  }

  indexOf(key: string, make: () => T): number {
    const known = this.indices.get(key);
    if (known !== undefined) return known;
    const index = this.values.length;
    this.indices.set(key, index);
    this.values.push(make());
    return index;
  }
}

/**
 * The key of an ad's recency (rule 9): source, flight and media URL, so that recency survives a refresh in which the
 * same creative comes back as another ad.
 */
export function recencyKey(ad: Ad, mediaUrl: string): string {
  return JSON.stringify([ad.metadata.sourceId, ad.metadata.flightId, mediaUrl]);
}
