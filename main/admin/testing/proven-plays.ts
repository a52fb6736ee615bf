import type { Play } from '../../../shared/play';
import type { ProvenPlay } from '../../../shared/proof-of-play';

export const PLAYED_AT = Date.UTC(2026, 10, 20, 9, 30);

/** A completed play with two beacons sent. */
export function provenPlay(id: string, overrides: Partial<Play> = {}): ProvenPlay {
  const at = overrides.at ?? PLAYED_AT;
  return {
    play: {
      id,
      environment: 'store',
      at,
      adId: 'ad-1',
      requestId: 'request-1',
      flightId: 'flight-1',
      campaignId: 'campaign-1',
      source: 'SOURCE_TYPE_CMS',
      sourceId: 'cms-1',
      mediaUrl: 'https://cdn.example/one.mp4',
      delivery: 'offline',
      durationMs: 8_000,
      outcome: 'completed',
      shownAt: at + 20,
      viewedMs: 8_000,
      presentedFrames: 200,
      droppedFrames: 0,
      stalls: 0,
      endReason: 'ended',
      ...overrides,
    },
    beacons: { sent: 2, unknown: 0, failed: 0, pending: 0 },
  };
}
