import { expect, it } from 'vitest';
import type { Play } from '../../shared/play';
import type { PlayerFact } from '../playback/player';
import { COUNTED_NAMES, type Counting } from './metric-list';
import { reportPlayback } from './report-playback';

/** What is counted, by name, in order. */
function counts(...facts: PlayerFact[]): unknown[] {
  const counted: unknown[] = [];
  const note = (name: string) => [name, (...told: unknown[]) => void counted.push([name, ...told])];
  const metrics = Object.fromEntries(COUNTED_NAMES.map(note)) as Counting;
  const clock = { now: () => 0, monotonic: () => 0 };
  const board = {
    tell: () => {},
    status: () => {
      throw new Error('nobody asks');
    },
  };
  const report = reportPlayback({ board, metrics, clock, screenChanged: () => {} });
  for (const fact of facts) report.tell(fact);
  return counted;
}

const play: Play = {
  ...{ id: 'p', environment: 'e', adId: 'a', requestId: 'r', flightId: null, campaignId: null },
  ...{ source: 'SOURCE_TYPE_SSP', sourceId: null, mediaUrl: 'u:a', delivery: 'offline', at: 0 },
  ...{ durationMs: 1, outcome: 'completed', shownAt: 0, viewedMs: 1, endReason: 'ended' },
  ...{ presentedFrames: null, droppedFrames: null, stalls: null },
};

it.each([
  ['offline', 'ad'],
  ['online', 'online'],
  ['native', 'native'],
  ['house', 'house'],
  ['card', 'card'],
  ['held', 'held'],
] as const)('a decision for %s is counted as %s', (next, result) => {
  expect(counts({ kind: 'decided', next })).toEqual([['decided', result]]);
});

it('the card and a hold are counted when they begin, an ad each time', () => {
  const decided = (next: 'offline' | 'card') => ({ kind: 'decided', next }) as const;
  const held = (reason: string | null) => ({ kind: 'held', reason }) as const;
  expect(
    counts(
      ...[decided('offline'), decided('offline'), decided('card'), decided('card')],
      ...[held('overlay'), held('closed'), held(null), decided('card')],
    ),
  ).toEqual(['ad', 'ad', 'card', 'held', 'card'].map((result) => ['decided', result]));
});

it('a reservation that uses a cap up has not hit it yet', () => {
  const facts = { ...play, durationMs: 1, frequencyCaps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 1 }] };
  expect(counts({ kind: 'reserved', play, facts })).toEqual([]);
});

it('frames and stalls are counted as the stage saw them, of what has frames', () => {
  const video = { ...play, presentedFrames: 250, droppedFrames: 3, stalls: 1 };
  expect(counts({ kind: 'settled', play: video, drawn: [] }, { kind: 'settled', play, drawn: [] })).toEqual([
    ['framesPresented', 250],
    ['framesDropped', 3],
    ['stalled', 1],
    ['playSettled', 'completed', 'SOURCE_TYPE_SSP'],
    ['playSettled', 'completed', 'SOURCE_TYPE_SSP'],
  ]);
});

it('the time of a choice and the overrun of a slot are taken in as they are told', () => {
  expect(counts({ kind: 'chosen', tookMs: 0.4 }, { kind: 'left-screen', overrunMs: 34 })).toEqual([
    ['choiceTook', 0.4],
    ['slotOverran', 34],
  ]);
});
