import type { AdIds, Audience, FrequencyCap } from '../../shared/ad';
import type { NativeCardPart } from '../../shared/native';
import type { Play, Showing } from '../../shared/play';
import type { RecordsInput } from '../../shared/records';
import type { StageCreative } from '../../shared/stage';
import type { DrawnFile } from '../media/quarantine';
import { withoutSecrets } from '../status/shown-text';

/** What a reservation, or taking one back, changes in the books; stored in one transaction with the play. */
export type BooksChange = Pick<RecordsInput<'reservePlay'>, 'flight' | 'recency' | 'sourceMix'>;

export const UNCHANGED: BooksChange = { flight: null, recency: null, sourceMix: null };

/** A play as it stands in the books in memory. */
export interface Entry {
  readonly books: BooksChange;
  /** It could not be stored. */
  rollBack(): void;
  /** No frame of it was shown: what to store. */
  giveBack(): BooksChange;
}

/** What is told of a slot's ad, in records, status and log. */
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
  /** Whom it asks for; null: everyone. Absent for ads that ask for nobody: native and house. */
  readonly audience?: Audience | null;
  /** How its document names it. */
  readonly ids?: AdIds;
};

/** An ad as the rest of the kiosk hears of it, `at` null: it waits. */
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

/** Nothing of anybody's is on the screen since `at`, ms since the epoch. */
export const brandCard = (at: number): Showing => ({ delivery: null, ...NO_AD, at, durationMs: null });

/** What happens to a slot's ad on the screen, in the order in which it can. */
export type SlotEvent =
  | 'shown'
  | 'firstQuartile'
  | 'midpoint'
  | 'thirdQuartile'
  /** Viewed for one continuous second (rule 16). */
  | 'viewed'
  | 'complete'
  /** A mark of its creative, by its place. */
  | { readonly mark: number };

/**
 * An ad chosen for a slot, whatever its source: from the stored playlist, asked
 * for online, or native. The player treats them all alike.
 */
export interface SlotAd {
  readonly facts: SlotFacts;
  /** Addresses of all the files it is shown with; they stay on disk while it plays or comes next (rule 13). */
  readonly files: readonly string[];
  /** What it is drawn with, by its bytes; known once `creative` has answered (rule 11). */
  readonly drawn: readonly DrawnFile[];
  /** Errors in its guest so far, those of the guest that `creative` answered with last. */
  readonly guestErrors: readonly string[];
  /** Whether it may still play at a time, ms since the epoch (rules 5 to 7, 16). */
  mayPlay(at: number): boolean;
  isSame(other: SlotAd): boolean;
  /** Whether the fleet's operator blocks it now (rule 30). */
  isBlocked(): boolean;
  /** What the stage is to prepare; null when its files are gone. */
  creative(): Promise<StageCreative | null>;
  /** Puts a play on the books in memory; null when it may not play after all. */
  enter(at: number): Entry | null;
  happened(event: SlotEvent, playId: string): void;
  /** A tap landed on it; whether a person made it is still to be judged (rule 18). */
  tapped(part: NativeCardPart): void;
  /** It left the screen, or never came to it. */
  over(): void;
  /** It could not be prepared for its slot, or is late; told before another ad is chosen for that, and before `failed`. */
  missed?(code: string): void;
  /** It could not be shown, or broke off: `code` as the stage said it. `playId` is null before it was reserved. */
  failed(code: string, detail: string, playId: string | null): void;
}

/**
 * Readies a guest for a page of a verified file, to be held by the stage; null when it
 * cannot be read. It is closed when the stage lets go of it. `onError` hears of each error of
 * its scripts and each violation of its policy, ten at most.
 */
export type OpenPage = (
  path: string,
  onError: (detail: string) => void,
) => Promise<{ readonly url: string; readonly partition: string } | null>;

/** Whether a creative prepared for one serves the other: the same file, shown for as long. A native card is more than its file. */
export function sameCreative({ facts: a }: SlotAd, { facts: b }: SlotAd): boolean {
  const isCard = a.delivery === 'native' || b.delivery === 'native';
  return !isCard && a.mediaUrl === b.mediaUrl && a.durationMs === b.durationMs;
}

/** Chooses the ad of a slot. */
export interface SlotAds {
  /** The best eligible ad for a slot at `at` (ms since the epoch), without side effects, or null. */
  choose(at: number): SlotAd | null;
}

/** VAST 4.2 error codes (section 2.3.6.3) of what can go wrong on the stage. */
const CODES: Readonly<Record<string, number>> = {
  'load-failed': 401,
  'start-timeout': 402,
  stalled: 402,
  'decode-failed': 405,
  error: 405,
};

/** The `[ERRORCODE]` of a stage failure; 400, "general linear error", for any other. */
export function vastErrorCode(failure: string): number {
  return CODES[failure] ?? 400;
}
