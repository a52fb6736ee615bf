import { examplePlay } from '../../../renderer/records/testing/example-play';
import type { Play } from '../../../shared/play';
import type { ProvenPlay } from '../../../shared/play-report';

export const PLAYED_AT = Date.UTC(2026, 10, 20, 9, 30);

/** A completed play with two beacons sent. */
export function provenPlay(id: string, overrides: Partial<Play> = {}): ProvenPlay {
  const at = overrides.at ?? PLAYED_AT;
  return {
    play: examplePlay({ id, at, mediaUrl: 'https://cdn.example/one.mp4', shownAt: at + 20, ...overrides }),
    beacons: { sent: 2, unknown: 0, failed: 0, pending: 0 },
  };
}
