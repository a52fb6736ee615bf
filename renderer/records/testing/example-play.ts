import type { Play } from '../../../shared/play';

/** A play that completed as planned; `change` replaces fields. */
export const examplePlay = ({ at = 0, ...change }: Partial<Play> = {}): Play => ({
  id: 'play',
  environment: 'store',
  at,
  adId: 'ad-1',
  requestId: 'request-1',
  flightId: 'flight-1',
  campaignId: 'campaign-1',
  source: 'SOURCE_TYPE_CMS',
  sourceId: 'cms-1',
  mediaUrl: 'http://127.0.0.1/one.mp4',
  delivery: 'offline',
  durationMs: 8_000,
  outcome: 'completed',
  shownAt: at,
  viewedMs: 8_000,
  presentedFrames: 200,
  droppedFrames: 0,
  stalls: 0,
  endReason: 'ended',
  ...change,
});
