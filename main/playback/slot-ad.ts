import type { AdIds, Audience, FrequencyCap } from '../../shared/ad';
import type { NativeCardPart } from '../../shared/native';
import {
  MAX_GUEST_ERROR_LENGTH,
  MAX_GUEST_ERRORS,
  type Play,
  type PlayDecision,
  type Showing,
} from '../../shared/play';
import type { Mark, StageCreative } from '../../shared/stage';
import { matchingGroup } from '../decisions/audience';
import type { BooksChange, Entry } from '../decisions/decider';
import type { DrawnFile } from '../media/quarantine';
import type { Signals } from '../signals/signals';
import { addressesPlain, withoutSecrets } from '../status/shown-text';

/** Longest that one ad may take the screen, ms: other ads and their caps wait for it. */
export const MAX_AD_MS = 600_000;

export const UNCHANGED: BooksChange = { flight: null, recency: null, sourceMix: null };

/** Of an ad without a flight and a source: nothing of its play is counted. */
export const UNCOUNTED: Entry = { books: UNCHANGED, rollBack() {}, makeVoid: () => UNCHANGED };

/** What is known about a slot's ad in records, status and log. */
export type SlotFacts = Pick<
  Play,
  | 'adId'
  | 'requestId'
  | 'flightId'
  | 'campaignId'
  | 'source'
  | 'sourceId'
  | 'mediaUrl'
  | 'delivery'
  | 'native'
> & {
  /** As the ad states it, ms; null: by the settings, or as long as the video lasts. */
  readonly durationMs: number | null;
  readonly frequencyCaps: readonly FrequencyCap[];
  /** Its audience; null: everyone. Absent for native ads and house creatives, which have none. */
  readonly audience?: Audience | null;
  readonly ids?: AdIds;
};

/** An ad as it is reported to the rest of the kiosk; `at`: when it began, ms since the epoch; null: it waits. */
export function showingOf(
  facts: Pick<SlotFacts, 'delivery' | 'adId' | 'flightId' | 'campaignId' | 'sourceId' | 'mediaUrl'>,
  durationMs: number | null,
  at: number | null = null,
): Showing {
  const { delivery, adId, flightId, campaignId, sourceId } = facts;
  const mediaUrl = withoutSecrets(facts.mediaUrl);
  return { delivery, adId, flightId, campaignId, sourceId, mediaUrl, at, durationMs };
}

const NO_AD = { adId: null, flightId: null, campaignId: null, sourceId: null, mediaUrl: null };

/** The brand card, on the screen since `at`, ms since the epoch. */
export const brandCard = (at: number): Showing => ({ delivery: null, ...NO_AD, at, durationMs: null });

/** What happens to a slot's ad on the screen, in the order in which it can. */
export type SlotEvent =
  | 'shown'
  | 'firstQuartile'
  | 'midpoint'
  | 'thirdQuartile'
  /** Viewed for one second without a break (rule 16); a video that is no part of a card for two. */
  | 'viewed'
  | 'complete'
  /** A mark of its creative, by its index. */
  | { readonly mark: number };

/**
 * An ad chosen for a slot, whatever its source: the stored playlist, online, native or house. The player treats them
 * all alike.
 */
export interface SlotAd {
  readonly facts: SlotFacts;
  /** Addresses of all the files it is shown with; they stay on disk while it plays or comes next (rule 13). */
  readonly files: readonly string[];
  /** The files it is drawn with, by SHA-256; known once `creative` has resolved (rule 11). */
  readonly drawn: readonly DrawnFile[];
  /** The points of its creative that the stage reports; absent: none. */
  readonly marks?: readonly Mark[];
  /** Errors so far in the guest that `creative` opened last. */
  readonly guestErrors: readonly string[];
  /** Whether it may still play at a time, ms since the epoch (rules 5 to 7, 16). */
  mayPlay(at: number): boolean;
  /** The same once its play is on the books, where that play may fill a cap; absent: it has no caps. */
  stillFits?(at: number): boolean;
  isSame(other: SlotAd): boolean;
  /** Whether the fleet's operator blocks it now (rule 30). */
  isBlocked(): boolean;
  /** What the stage is to prepare; null when its files are gone. */
  creative(): Promise<StageCreative | null>;
  /** Puts a play on the books in memory; null when it may not play after all. */
  enter(at: number): Entry | null;
  /** @param at when, ms since the epoch: the time that the play's record has, too */
  happened(event: SlotEvent, playId: string, at: number): void;
  /** A tap landed on it; whether a person made it is still to be judged (rule 18). Only native ads take taps. */
  tapped?(part: NativeCardPart): void;
  /** It left the screen, or never came to it. */
  over?(): void;
  /**
   * It could not be prepared for its slot, or is late. Called before another ad is chosen for the slot, and before
   * `failed`.
   */
  missed?(code: string): void;
  /**
   * It could not be shown, or broke off; `code` is the stage's. `playId` is null before it was reserved.
   *
   * @param drawn the files that its slot was drawn with: perhaps prepared for another ad with the same creative
   */
  failed(code: string, detail: string, playId: string | null, drawn: readonly DrawnFile[]): void;
}

/**
 * Opens a guest for a page, a verified file, to be held by the stage; null when the file cannot be read. The guest is
 * closed when the stage removes it. `onError` is called for each error of its scripts and each violation of its policy,
 * ten times at most.
 */
export type OpenPage = (
  path: string,
  onError: (detail: string) => void,
) => Promise<Pick<Extract<StageCreative, { kind: 'page' }>, 'url' | 'partition' | 'leadMs'> | null>;

/**
 * Whether a creative prepared for one ad serves the other: the same file, shown for as long, with the same marks. Never
 * for a native card, which is more than its file.
 */
export function sameCreative(
  { facts: a, marks: ofA = [] }: SlotAd,
  { facts: b, marks: ofB = [] }: SlotAd,
): boolean {
  const isCard = a.delivery === 'native' || b.delivery === 'native';
  const isSameFile = a.mediaUrl === b.mediaUrl && a.durationMs === b.durationMs;
  return !isCard && isSameFile && JSON.stringify(ofA) === JSON.stringify(ofB);
}

export interface SlotAds {
  /**
   * The best eligible ad for a slot at `at` (ms since the epoch), or null. Reserves nothing, and may be called again; it
   * may log, count cap hits, and drop online ads that come too late.
   */
  choose(at: number): SlotAd | null;
}

export type GuestErrors = ReturnType<typeof createGuestErrors>;

/** Collects errors of scripts and violations of the policy in one guest, for its play (`Play.guestErrors`). */
export function createGuestErrors() {
  const all: string[] = [];
  return {
    /** In the order in which they came; grows while the guest lives. */
    all: all as readonly string[],
    /** Stores an error; ignores repeats, and errors beyond `MAX_GUEST_ERRORS`. */
    add(detail: string): void {
      // Cut before comparing: errors that differ only in the part cut off look the same to a reader.
      const error = addressesPlain(detail).slice(0, MAX_GUEST_ERROR_LENGTH).toWellFormed();
      if (all.length < MAX_GUEST_ERRORS && !all.includes(error)) all.push(error);
    },
  };
}

export interface PlayDecisionParts {
  /** Whether the service's audience match of online ads is trusted (rule 6). */
  readonly trustsOnline: boolean;
  readonly signals: Pick<Signals, 'current' | 'ages'>;
}

/** Returns why an ad may play now, for its record (rule 29): numbers of people, never who they are. */
export function playDecision({ trustsOnline, signals }: PlayDecisionParts) {
  return ({ delivery, audience = null, frequencyCaps }: SlotFacts): PlayDecision => {
    const { shopper } = signals.ages();
    const people = {
      peopleCount: shopper?.count ?? null,
      signalAgeMs: shopper === null ? null : Math.round(shopper.ageMs),
      caps: [...frequencyCaps],
    };
    if (delivery === 'native' || delivery === 'house')
      return { allowedBy: delivery, matchedGroup: null, ...people };
    if (delivery === 'online' && trustsOnline) return { allowedBy: 'trusted', matchedGroup: null, ...people };
    if (audience === null) return { allowedBy: 'untargeted', matchedGroup: null, ...people };
    const matchedGroup = matchingGroup(audience, signals.current());
    return { allowedBy: 'matched-group', matchedGroup, ...people };
  };
}
