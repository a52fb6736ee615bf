import type { Refusal, ToldCommand } from '../fleet/link/commands';
import type { SegmentResult } from '../fleet/shipping-decisions';
import type { PlayerFact } from '../playback/player-fact';
import type { WayName } from '../shell/display-switch/power-rounds';
import type { Problem, Status } from './status';
import type { ServiceOperation } from './status-bounds';

export type RejectedAd = Status['rejectedAds']['rejected'][number];

type Section = 'settings' | 'kiosk' | 'proof' | 'fleet' | 'signalsServer';

/** A whole section: it replaces the one before. */
type SectionFact = {
  [Name in Section]: {
    readonly kind: 'section';
    readonly name: Name;
    readonly value: NonNullable<Status[Name]>;
  };
}[Section];

/**
 * All events that parts of the kiosk report to the status board, which reduces them to a status and counts
 * them.
 */
export type Fact =
  | PlayerFact
  | { readonly kind: 'service-succeeded'; readonly operation: ServiceOperation }
  | { readonly kind: 'service-failed'; readonly operation: ServiceOperation; readonly problem: Problem }
  /** A problem that somebody has to solve; null: it is over. */
  | { readonly kind: 'attention'; readonly code: string; readonly problem: Omit<Problem, 'code'> | null }
  /** An answer with ads came; at start: one is stored, of which no rejected ads are known. */
  | { readonly kind: 'playlist'; readonly rejected: readonly RejectedAd[] }
  | { readonly kind: 'no-fill' }
  /** A cap keeps this number of ads from playing; `window` as in the metadata. */
  | { readonly kind: 'cap-hit'; readonly window: string; readonly ads: number }
  /** The local API answered; `route` is one of its own paths or `other`. */
  | { readonly kind: 'request-answered'; readonly route: string; readonly status: number }
  /** An attempt to send a segment of proof of play, with its result. */
  | { readonly kind: 'segment-tried'; readonly result: SegmentResult }
  | { readonly kind: 'fleet-message'; readonly result: 'sent' | 'failed' | 'dropped' | 'received' }
  /** A command, or a document of blocks, came over the live link; `outcome`: `done`, or why it was refused. */
  | { readonly kind: 'fleet-command'; readonly command: ToldCommand; readonly outcome: 'done' | Refusal }
  /**
   * The display was switched on or off; `isDone`: the command succeeded, and the display does not report
   * otherwise.
   */
  | { readonly kind: 'display-switched'; readonly way: WayName; readonly isDone: boolean }
  | SectionFact;

export type Tell = (fact: Fact) => void;
