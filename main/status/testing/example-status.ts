import type { Showing } from '../../../shared/play';
import type { Fact } from '../facts';
import type { Status } from '../status';
import { type KnownFacts, noFacts, type StatusRead, statusOf, withFact } from '../status-board';

/**
 * The state after these facts; the first is reported at `at` (ms since the epoch), each further one 1 ms
 * later.
 */
export const toldAfter = (facts: readonly Fact[], at = 0): KnownFacts =>
  facts.reduce((told, fact, index) => withFact(told, fact, at + index), noFacts(at));

/** The sources of a kiosk that has done nothing yet; the system's clock is 250 ms behind. */
export const exampleRead = (now: number): StatusRead => ({
  clock: { now, systemNow: now - 250, correctionMs: 250, trusted: true, lastTrustedAt: null },
  signals: { shopper: null, cart: null, weather: null },
  memory: { residentBytes: 100, heapUsedBytes: 50, processes: { kiosk: 200 } },
  versions: { endcap: '1.0.0', electron: '42.0.0', chromium: null, node: '24.0.0' },
  processStartedAt: 1_600_000_000_500,
  token: null,
  upcoming: [],
  books: { environment: 'e', plays: 0, unsettledAtStart: 0, lost: {}, restoredFrom: null, lastPlayAt: null },
  media: { files: 2, bytes: 3000, quotaBytes: 4000, freeBytes: 5000, problems: [] },
  cacheProblems: [],
  quarantine: [],
  beacons: { sent: 7, failed: 6, pending: 5, unknown: 4, expired: 2, lost: 1 },
  egress: { proxy: null, uncheckedHosts: 0, additionalCas: 0 },
  playlistAt: null,
  tally: {
    ads: 9,
    playable: 8,
    eligible: 3,
    expired: 1,
    audience: 2,
    capped: 4,
    uncountable: 1,
    noMedia: 2,
    blocked: 0,
  },
  restarts: { kiosk: 1, records: 0, graphics: 2, service: 0 },
});

export const exampleStatus = (now = 0, facts: readonly Fact[] = [], read: Partial<StatusRead> = {}): Status =>
  statusOf(toldAfter(facts, now), { ...exampleRead(now), ...read });

/** Something is on the screen. */
export const shows = (delivery: Showing['delivery'], change: Partial<Showing> = {}): Fact => ({
  kind: 'showing',
  showing: {
    delivery,
    adId: 'ad-1',
    flightId: null,
    campaignId: null,
    sourceId: null,
    mediaUrl: null,
    at: 0,
    durationMs: null,
    ...change,
  },
  files: [],
  drawn: [],
  moving: false,
});
