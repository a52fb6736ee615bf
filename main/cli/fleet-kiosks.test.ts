import { expect, test } from 'vitest';
import { instant } from '../../shared/clock';
import { stateMessage } from '../fleet/link/build-messages';
import { Reply } from '../fleet/link/commands';
import { noFacts, withFact } from '../status/status-board';
import { createFleetView, readMessage, stateOf } from './fleet-kiosks';
import { replyLines } from './fleet-send';
import { exampleState } from './testing/stand-in-kiosk';

const kiosk = 'aaaa000000000001';

/** Since when a list that begins now has this kiosk in its state. */
function sinceOf(message: object) {
  const view = createFleetView('endcap');
  view.take(`endcap/${kiosk}/state`, Buffer.from(JSON.stringify(message)));
  return view.kiosks.get(kiosk)?.since;
}

test('a list says since when a kiosk is in its state, although its message changed later', () => {
  const told = [1_000, 500_000].reduce((before, at) => {
    const problem = { message: `Proof of play waits. Error ${at}.`, advice: '' };
    return withFact(before, { kind: 'attention', code: 'proof-waiting', problem }, at);
  }, noFacts(0));
  const store = { storeId: null, zone: null, screenId: null, labels: {} };
  const publishing = { kiosk, store, groups: [], versions: { endcap: '1', electron: null } };
  expect(sinceOf(stateMessage(publishing, told, {}, 0, 500_001))).toBe(instant(1_000));
});

test('of a kiosk of an older version it knows when its message changed', () => {
  const message = exampleState(kiosk);
  expect(sinceOf(message)).toBe(message.at);
});

test('words of a newer version are shown as they are, without what a terminal obeys', () => {
  const view = createFleetView('endcap');
  const take = (name: string, message: object) =>
    view.take(`endcap/${kiosk}/${name}`, Buffer.from(JSON.stringify(message)));
  take('state', { ...exampleState(kiosk), state: 'rehearsing\u001b[2J' });
  const shown = {
    kind: 'game',
    adId: null,
    flightId: null,
    campaignId: null,
    sourceId: null,
    mediaUrl: null,
  };
  take('now', { kiosk, at: instant(0), now: { ...shown, startedAt: null, durationMs: null }, next: shown });
  expect(view.unreadable).toBe(0);
  const known = view.kiosks.get(kiosk);
  expect([known && stateOf(known), known?.now?.now?.kind]).toEqual(['rehearsing [2J', 'game']);
  const reply = {
    kiosk,
    to: 'a',
    command: 'dance',
    state: 'refused',
    at: instant(0),
    reason: 'too-tired\u001b',
  };
  const read = readMessage(Reply, Buffer.from(JSON.stringify(reply)));
  expect(read && replyLines(read, { view })).toMatch(/^aaaa000000000001 .*refused {2}too-tired\s*\n$/);
});
