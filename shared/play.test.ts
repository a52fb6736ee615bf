import { describe, expect, it } from 'vitest';
import { Play } from './play';

describe('a stored play', () => {
  it('of a version without stalls is read, with unknown stalls', () => {
    const older = {
      id: 'a',
      environment: 'store',
      at: 1,
      adId: 'ad',
      requestId: 'r',
      mediaUrl: 'https://cdn.example/a',
      flightId: null,
      campaignId: null,
      source: null,
      sourceId: null,
      delivery: 'offline',
      durationMs: 8_000,
      outcome: 'completed',
      shownAt: 1,
      viewedMs: 8_000,
      endReason: 'ended',
      presentedFrames: 200,
      droppedFrames: 0,
    };
    expect(Play.parse(older)).toEqual({ ...older, stalls: null });
  });
});
