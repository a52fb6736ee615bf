import { expect, test } from 'vitest';
import { instant } from '../../shared/clock';
import { stateMessage } from '../fleet/link/build-messages';
import { noFacts, withFact } from '../status/status-board';
import { createFleetView } from './fleet-kiosks';
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
