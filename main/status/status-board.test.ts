import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Play } from '../../shared/play';
import { MAX_RECENT_PLAYS, MAX_REJECTED, Status } from './status';
import {
  type Board,
  emptyBoard,
  type Fact,
  type ShowingFact,
  statusOf,
  withFact,
  withoutSecrets,
} from './status-board';

const versions = { endcap: '1.0.0', electron: null, chromium: null, node: '24.0.0' };
const problem = { code: 'unreachable', message: 'No network', advice: null };

function statusAt(board: Board, now: number): Status {
  return statusOf(board, versions, {
    now,
    systemNow: now - 250,
    trusted: true,
    lastTrustedAt: null,
    signals: { shopper: null, cart: null, weather: null },
    memory: { residentBytes: 1, heapUsedBytes: 1 },
  });
}

function boardOf(...facts: Fact[]): Board {
  return facts.reduce((board, fact, i) => withFact(board, fact, (i + 1) * 1000), emptyBoard(0));
}

function showing(kind: ShowingFact['kind']): Fact {
  return {
    kind: 'showing',
    showing: {
      kind,
      adId: 'ad-1',
      flightId: null,
      campaignId: null,
      sourceId: null,
      mediaUrl: null,
      startedAt: 0,
      durationMs: null,
    },
  };
}

function playAt(at: number): Play {
  return {
    id: `p${at}`,
    environment: 'e',
    at,
    adId: 'ad-1',
    requestId: 'r',
    flightId: null,
    campaignId: null,
    source: null,
    sourceId: null,
    mediaUrl: 'u',
    delivery: 'offline',
    durationMs: null,
    outcome: 'completed',
    shownAt: at,
    viewedMs: 1,
    presentedFrames: null,
    droppedFrames: null,
    stalls: null,
    endReason: 'ended',
  };
}

const answers: Fact = { kind: 'service-succeeded', operation: 'ads' };
const fails: Fact = { kind: 'service-failed', operation: 'ads', problem };
const held: Fact = { kind: 'held', reason: 'the overlay is open' };
const attention: Fact = { kind: 'attention', problem };

describe('the state', () => {
  it.each<[string, Fact[], Status['state']]>([
    ['nothing was told', [], 'starting'],
    ['the service answered and nothing was shown', [answers], 'starting'],
    ['an ad is shown and the service answers', [answers, showing('ad')], 'playing'],
    ['a native ad is shown and the service answers', [answers, showing('native')], 'playing'],
    ['an ad is shown and the service never answered', [showing('ad')], 'playing-from-store'],
    ['an ad is shown and the service fails', [answers, fails, showing('ad')], 'playing-from-store'],
    ['the service answers again', [fails, showing('ad'), answers], 'playing'],
    ['another operation fails', [answers, showing('ad'), { ...fails, operation: 'beacons' }], 'playing'],
    ['a house creative is shown', [answers, showing('house')], 'no-content'],
    ['the brand card is shown', [showing('card')], 'no-content'],
    ['nothing is shown any more', [showing('ad'), { kind: 'showing', showing: null }], 'no-content'],
    ['ads are held back', [answers, showing('ad'), held], 'held'],
    ['ads are let go again', [answers, showing('ad'), held, { kind: 'released' }], 'playing'],
    ['somebody has to act', [answers, showing('ad'), held, attention], 'attention'],
    [
      'somebody acted',
      [answers, showing('ad'), attention, { kind: 'attention-over', code: 'unreachable' }],
      'playing',
    ],
  ])('when %s', (_when, facts, state) => {
    const status = statusAt(boardOf(...facts), 60_000);
    expect(status.state).toBe(state);
    expect(status.sentence).toMatch(/\w/);
  });

  it('is dated from when it became so', () => {
    const board = boardOf(answers, showing('ad'), showing('ad'), answers);
    expect(statusAt(board, 60_000).since).toBe('1970-01-01T00:00:02.000Z');
  });

  it('is what the facts make it, in whatever order the unrelated ones come', () => {
    const facts: Fact[] = [
      answers,
      fails,
      showing('ad'),
      showing('card'),
      held,
      { kind: 'released' },
      attention,
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...facts), { maxLength: 20 }), (told) => {
        const last = (kinds: readonly string[]) => told.filter(({ kind }) => kinds.includes(kind)).at(-1);
        const shown = last(['showing']);
        const state = statusAt(boardOf(...told), 100_000).state;
        if (told.includes(attention)) expect(state).toBe('attention');
        else if (last(['held', 'released'])?.kind === 'held') expect(state).toBe('held');
        else if (shown === undefined) expect(state).toBe('starting');
        else if (shown.kind === 'showing' && shown.showing?.kind === 'card') expect(state).toBe('no-content');
        else {
          const reached = last(['service-succeeded', 'service-failed'])?.kind === 'service-succeeded';
          expect(state).toBe(reached ? 'playing' : 'playing-from-store');
        }
      }),
    );
  });
});

describe('the status', () => {
  it('fits its schema from the first moment on', () => {
    expect(Status.safeParse(statusAt(emptyBoard(0), 0)).error).toBeUndefined();
  });

  it('fits its schema whatever times it is told', () => {
    // Far beyond what a calendar holds, in both directions.
    const time = fc.double({ min: -1e18, max: 1e18, noNaN: true });
    fc.assert(
      fc.property(time, time, (at, now) => {
        const board = withFact(emptyBoard(at), { kind: 'token-received', expiresAt: at }, at);
        expect(Status.safeParse(statusAt(board, now)).success).toBe(true);
      }),
    );
  });

  it('keeps the last success beside the last error', () => {
    const { ads } = statusAt(boardOf(answers, fails), 60_000).service;
    expect(ads).toEqual({
      lastSuccessAt: '1970-01-01T00:00:01.000Z',
      lastError: { ...problem, at: '1970-01-01T00:00:02.000Z' },
      failing: true,
    });
    expect(statusAt(boardOf(answers, fails, answers), 60_000).service.ads).toMatchObject({
      lastError: problem,
      failing: false,
    });
  });

  it('counts ages to the moment it is asked', () => {
    const board = boardOf(
      { kind: 'token-received', expiresAt: 50_000 },
      { kind: 'playlist', playlist: { ads: 3, playable: 2, rejected: [], receivedAt: 500 } },
    );
    const status = statusAt(board, 10_000);
    expect(status.token).toMatchObject({ ageMs: 9000, expiresInMs: 40_000 });
    expect(status.playlist?.ageMs).toBe(9500);
    expect(status.clock.correctionMs).toBe(250);
  });

  it('lists the first hundred rejected ads and counts them all', () => {
    const rejected = Array.from({ length: 250 }, () => ({ id: null, code: 'malformed-ad', detail: '' }));
    const board = boardOf({ kind: 'playlist', playlist: { ads: 250, playable: 0, rejected, receivedAt: 0 } });
    const { playlist } = statusAt(board, 0);
    expect([playlist?.rejected.length, playlist?.rejectedTotal]).toEqual([MAX_REJECTED, 250]);
  });

  it('lists the plays of the last hour, a bounded number of them', () => {
    let board = emptyBoard(0);
    for (let i = 0; i < 10; i += 1) {
      board = withFact(board, { kind: 'play-settled', play: playAt(i * 600_000) }, i * 600_000);
    }
    expect(statusAt(board, 5_400_000).plays.map(({ at }) => Date.parse(at))).toEqual(
      [4, 5, 6, 7, 8, 9].map((i) => i * 600_000),
    );
    for (let i = 0; i < MAX_RECENT_PLAYS + 10; i += 1) {
      board = withFact(board, { kind: 'play-settled', play: playAt(5_400_000) }, 5_400_000);
    }
    expect(board.plays).toHaveLength(MAX_RECENT_PLAYS);
  });

  it('replaces a section told again, and an attention of the same code', () => {
    const again = { ...problem, message: 'Still no network' };
    const board = boardOf(
      { kind: 'section', name: 'network', value: { addresses: ['192.0.2.1'] } },
      { kind: 'section', name: 'network', value: { addresses: [] } },
      attention,
      { kind: 'attention', problem: again },
    );
    const status = statusAt(board, 0);
    expect(status.network).toEqual({ addresses: [] });
    expect(status.attention).toEqual([again]);
  });
});

describe('a media address in the status', () => {
  it.each([
    ['https://cdn.example/a.mp4', 'https://cdn.example/a.mp4'],
    ['https://cdn.example/a.mp4?key=hush', 'https://cdn.example/a.mp4?…'],
    ['https://cdn.example/a.mp4#hush', 'https://cdn.example/a.mp4?…'],
    ['https://user:hush@cdn.example/a@b.mp4', 'https://cdn.example/a@b.mp4'],
    ['not a url', 'not a url'],
  ])('%s is shown as %s', (url, shown) => {
    expect(withoutSecrets(url)).toBe(shown);
  });
});
