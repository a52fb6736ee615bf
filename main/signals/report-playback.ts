import type { Clock } from '../../shared/clock';
import { instant } from '../../shared/instant';
import type { PlayerFact } from '../playback/player';
import type { SlotFacts } from '../playback/slot-ad';
import type { SlotAhead } from '../playback/slots-ahead';
import type { Counting, DecisionResult } from './metric-list';
import { MAX_UPCOMING, type ShowingKind, type StatusSections } from './status';
import { type ShowingFact, type StatusBoard, withoutSecrets } from './status-board';

const SHOWING_KINDS: Readonly<Record<SlotFacts['delivery'], ShowingKind>> = {
  offline: 'ad',
  online: 'ad',
  native: 'native',
  house: 'house',
};

const DECISIONS: Readonly<Record<SlotFacts['delivery'] | 'card' | 'held', DecisionResult>> = {
  offline: 'ad',
  online: 'online',
  native: 'native',
  house: 'house',
  card: 'card',
  held: 'held',
};

/** Ends the sentence "Ads are held back: …". */
const HOLD_WORDS: Readonly<Record<string, string>> = {
  closed: 'the store is closed',
  'window-hidden': 'the window is hidden',
  'display-off': 'no display is switched on',
};

export interface PlaybackReportParts {
  readonly board: StatusBoard;
  readonly metrics: Pick<
    Counting,
    'playSettled' | 'decided' | 'choiceTook' | 'slotOverran' | 'framesPresented' | 'framesDropped' | 'stalled'
  >;
  readonly clock: Clock;
  /** Something else is on the screen. */
  readonly screenChanged: () => void;
}

export interface PlaybackReport {
  tell(fact: PlayerFact): void;
  /** What is prepared, and when the slot that runs ends (ms since the epoch; now, where nothing runs). */
  ahead(): { readonly prepared: SlotFacts | null; readonly from: number };
  /** Whether the visible video's frames advance, for the health check. */
  video(): 'advancing' | 'none' | 'stalled';
}

/** The slots to come as a section of the status. */
export function upcomingStatus(slots: readonly SlotAhead[]): StatusSections['upcoming'] {
  return slots.slice(0, MAX_UPCOMING).map(({ at, durationMs, facts }) => ({
    kind: SHOWING_KINDS[facts.delivery],
    adId: facts.adId,
    flightId: facts.flightId,
    campaignId: facts.campaignId,
    sourceId: facts.sourceId,
    mediaUrl: withoutSecrets(facts.mediaUrl),
    startsAt: instant(at),
    durationMs,
  }));
}

/** Carries what the player tells to the status and the metrics. */
export function reportPlayback({
  board,
  metrics,
  clock,
  screenChanged,
}: PlaybackReportParts): PlaybackReport {
  let video: 'advancing' | 'none' | 'stalled' = 'none';
  let prepared: SlotFacts | null = null;
  let endsAt = 0;
  let lastDecided: DecisionResult | null = null;
  /** The card and a hold are decided once, however often nothing else is found. */
  function decided(result: DecisionResult): void {
    const isStill = result === lastDecided && (result === 'card' || result === 'held');
    if (!isStill) metrics.decided(result);
    lastDecided = result;
  }
  const showing = (facts: SlotFacts, startedAt: number | null, durationMs: number | null): ShowingFact => ({
    kind: SHOWING_KINDS[facts.delivery],
    adId: facts.adId,
    flightId: facts.flightId,
    campaignId: facts.campaignId,
    sourceId: facts.sourceId,
    mediaUrl: facts.mediaUrl,
    startedAt,
    durationMs,
  });
  function tell(fact: PlayerFact): void {
    switch (fact.kind) {
      case 'showing':
        video = fact.moving ? 'advancing' : 'none';
        endsAt = fact.startedAt + (fact.durationMs ?? 0);
        board.tell({ kind: 'showing', showing: showing(fact.facts, fact.startedAt, fact.durationMs) });
        screenChanged();
        return;
      case 'nothing-showing':
        video = 'none';
        board.tell({
          kind: 'showing',
          showing: {
            kind: 'card',
            adId: null,
            flightId: null,
            campaignId: null,
            sourceId: null,
            mediaUrl: null,
            startedAt: clock.now(),
            durationMs: null,
          },
        });
        screenChanged();
        return;
      case 'next':
        prepared = fact.facts;
        board.tell({
          kind: 'next',
          showing: fact.facts && showing(fact.facts, null, fact.facts.durationMs),
        });
        return;
      case 'reserved':
        return;
      case 'settled': {
        const { presentedFrames, droppedFrames, stalls } = fact.play;
        if (presentedFrames !== null) metrics.framesPresented(presentedFrames);
        if (droppedFrames !== null) metrics.framesDropped(droppedFrames);
        if (stalls !== null) metrics.stalled(stalls);
        if (fact.play.endReason === 'stalled') video = 'stalled';
        board.tell({ kind: 'play-settled', play: fact.play });
        board.tell({ kind: 'attention-over', code: 'books-failing' });
        if (fact.play.outcome !== 'reserved') metrics.playSettled(fact.play.outcome, fact.play.source);
        return;
      }
      case 'chosen':
        metrics.choiceTook(fact.tookMs);
        return;
      case 'decided':
        decided(DECISIONS[fact.next]);
        return;
      case 'left-screen':
        metrics.slotOverran(fact.overrunMs);
        return;
      case 'held':
        if (fact.reason !== null) decided('held');
        board.tell(
          fact.reason === null
            ? { kind: 'released' }
            : { kind: 'held', reason: HOLD_WORDS[fact.reason] ?? fact.reason },
        );
        return;
      case 'books-failing':
        board.tell({
          kind: 'attention',
          problem: {
            code: 'books-failing',
            message: 'The books cannot be written, so no ad may play.',
            advice: `Check the disk of the kiosk, then restart it. (${fact.fault.slice(0, 200)})`,
          },
        });
        return;
    }
  }
  return { tell, video: () => video, ahead: () => ({ prepared, from: Math.max(endsAt, clock.now()) }) };
}
