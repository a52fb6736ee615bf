import { expect, test } from 'vitest';
import type { Showing } from '../../../shared/play';
import { type KnownFacts, noFacts } from '../../status/status-board';
import {
  nowMessage,
  offlineMessage,
  type PublishingKiosk,
  proofMessage,
  stateMessage,
} from './build-messages';
import { NowMessage, ProofMessage, StateMessage } from './messages';

const AT = Date.UTC(2026, 10, 29, 12);
const publishing: PublishingKiosk = {
  kiosk: '00112233aabbccdd',
  groups: ['berlin'],
  versions: { endcap: '1.2.3', electron: null },
  store: { storeId: 'store-17', zone: 'north', screenId: 'left', labels: { aisle: '4' } },
};
const stateOf = (told: Partial<KnownFacts>) =>
  StateMessage.parse(stateMessage(publishing, { ...noFacts(AT), ...told }, { all: 3 }, 12.4, AT + 1_000));

test.each<[KnownFacts['state'], KnownFacts['hold'], string]>([
  ['playing', null, 'playing'],
  ['playing-from-store', null, 'playing'],
  ['held', 'maintenance', 'paused'],
  ['held', 'closed', 'closed'],
  ['held', 'overlay', 'held'],
  ['no-content', null, 'no-content'],
])('a kiosk that is %s (%s) is published as %s', (state, hold, published) => {
  expect(stateOf({ state, hold }).state).toBe(published);
});

test('a state has what an operator needs to find the kiosk, and no more problems than readers take', () => {
  const attention = Array.from({ length: 30 }, (_, n) => ({ code: `c${n}`, message: 'm', advice: null }));
  const state = stateOf({ attention });
  expect(state).toMatchObject({
    ...{
      kiosk: '00112233aabbccdd',
      online: true,
      groups: ['berlin'],
      blocks: { all: 3 },
      clockCorrectionMs: 12,
    },
    ...publishing.store,
    ...{ at: '2026-11-29T12:00:01.000Z', since: '2026-11-29T12:00:00.000Z' },
  });
  expect(state.problems.map(({ code }) => code)).toEqual(attention.slice(0, 20).map(({ code }) => code));
});

test('the last will says only which kiosk is gone', () => {
  const { kiosk, groups, store } = publishing;
  expect(StateMessage.parse(offlineMessage(publishing, AT))).toMatchObject({
    ...{ kiosk, groups, ...store, online: false, state: null, since: null, sentence: null },
    ...{ problems: [], startedAt: null, clockCorrectionMs: null, blocks: {} },
  });
});

test('what is on the screen is an announcement while one covers the ad', () => {
  const showing: Showing = {
    ...{ delivery: 'offline', adId: 'ad', flightId: 'flight', campaignId: null, sourceId: 'source' },
    ...{ mediaUrl: 'https://cdn.example/a.mp4', at: AT, durationMs: 8_000 },
  };
  const told = { now: showing, next: { ...showing, delivery: null, adId: null } };
  const [ads, covered] = [false, true].map((isAnnouncing) =>
    NowMessage.parse(nowMessage(publishing, told, isAnnouncing, AT)),
  );
  expect(ads).toMatchObject({
    now: {
      kind: 'ad',
      adId: 'ad',
      flightId: 'flight',
      durationMs: 8_000,
      startedAt: '2026-11-29T12:00:00.000Z',
    },
    next: { kind: 'card', adId: null },
  });
  expect(covered).toMatchObject({ now: { kind: 'announcement', adId: null }, next: { kind: 'card' } });
  expect(nowMessage(publishing, { now: null, next: null }, false, AT)).toMatchObject({
    now: null,
    next: null,
  });
});

test('what waits of proof of play is published with its times, and as unknown before the books were read', () => {
  const proof = { waiting: 3, oldestAt: AT - 60_000, lastSentAt: AT, setAside: 2, lastError: null };
  expect(ProofMessage.parse(proofMessage(publishing, proof, AT))).toMatchObject({
    ...{
      waiting: 3,
      oldestAt: '2026-11-29T11:59:00.000Z',
      lastSentAt: '2026-11-29T12:00:00.000Z',
      setAside: 2,
    },
  });
  const unknown = { waiting: null, oldestAt: null, lastSentAt: null, setAside: 0 };
  expect(ProofMessage.parse(proofMessage(publishing, undefined, AT))).toMatchObject(unknown);
});
