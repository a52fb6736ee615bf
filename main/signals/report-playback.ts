import type { Clock } from '../../shared/clock';
import { countWindow } from '../decisioning/flight-counters';
import type { PlayerFact } from '../playback/player';
import type { SlotFacts } from '../playback/slot-ad';
import type { Metrics } from './metrics';
import type { ShowingKind } from './status';
import type { ShowingFact, StatusBoard } from './status-board';

const SHOWING_KINDS: Readonly<Record<SlotFacts['delivery'], ShowingKind>> = {
  offline: 'ad',
  online: 'ad',
  native: 'native',
  house: 'house',
};

/** Ends the sentence "Ads are held back: …". */
const HOLD_WORDS: Readonly<Record<string, string>> = {
  closed: 'the store is closed',
  'window-hidden': 'the window is hidden',
};

export interface PlaybackReportParts {
  readonly board: StatusBoard;
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Something else is on the screen. */
  readonly screenChanged: () => void;
}

export interface PlaybackReport {
  tell(fact: PlayerFact): void;
  /** Whether the visible video's frames advance, for the health check. */
  video(): 'advancing' | 'none' | 'stalled';
}

/** Carries what the player tells to the status and the metrics. */
export function reportPlayback({
  board,
  metrics,
  clock,
  screenChanged,
}: PlaybackReportParts): PlaybackReport {
  let video: 'advancing' | 'none' | 'stalled' = 'none';
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
        board.tell({
          kind: 'next',
          showing: fact.facts && showing(fact.facts, null, fact.facts.durationMs),
        });
        return;
      case 'reserved':
        for (const { window, limit } of fact.facts.frequencyCaps) {
          const { counters } = fact;
          if (counters && countWindow(counters, window, fact.play.at).used >= limit) metrics.capHit(window);
        }
        return;
      case 'settled':
        if (fact.play.endReason === 'stalled') video = 'stalled';
        board.tell({ kind: 'play-settled', play: fact.play });
        board.tell({ kind: 'attention-over', code: 'books-failing' });
        if (fact.play.outcome !== 'reserved') metrics.playSettled(fact.play.outcome, fact.play.source);
        return;
      case 'decided':
        metrics.decided(fact.found ? 'ad' : 'card', fact.tookMs);
        return;
      case 'held':
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
  return { tell, video: () => video };
}
