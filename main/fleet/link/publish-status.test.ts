import { expect, test } from 'vitest';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { noFacts } from '../../status/status-board';
import { publishStatus } from './publish-status';
import { createPublisher } from './publisher';
import { exampleMachine } from './testing/example-machine';
import { fleetTopics } from './topics';

function world() {
  const time = handTurnedTime();
  const topics = fleetTopics('endcap', '00112233aabbccdd');
  const sent: string[] = [];
  const publisher = createPublisher({ ...time, monotonic: time.clock.monotonic, tell: () => {} });
  let told = noFacts(time.clock.now());
  let looks = 0;
  const state = { correctionMs: 0, machine: exampleMachine };
  const status = publishStatus(
    {
      publisher,
      publicKey: 'key',
      clock: time.clock,
      schedule: time.schedule,
      publishingKiosk: {
        kiosk: '00112233aabbccdd',
        groups: [],
        versions: { endcap: '1.2.3', electron: null },
        store: { storeId: null, zone: null, screenId: null, labels: {} },
      },
      machine: () => state.machine,
      told: () => told,
      correctionMs: () => state.correctionMs,
      blocks: { versions: () => ({}) },
      announcement: { current: () => null },
    },
    topics,
    () => (looks += 1),
  );
  publisher.connected(async (topic) => void sent.push(topic.slice(topic.lastIndexOf('/') + 1)));
  status.look();
  return {
    time,
    sent,
    status,
    state,
    looks: () => looks,
    hold: () => (told = { ...told, hold: 'paused', state: 'held' }),
    wait: (waiting: number) =>
      (told = { ...told, proof: { waiting, oldestAt: 0, lastSentAt: null, setAside: 0, lastError: null } }),
  };
}

test('an unchanged state is repeated every five minutes, a changed one is published within a second', async () => {
  const { time, sent, status, looks, hold } = world();
  await time.settle();
  expect(sent.splice(0)).toEqual(['state', 'now', 'proof', 'inventory']);
  const before = looks();
  await time.advance(299_000);
  expect([sent, looks() - before]).toEqual([[], 299]);
  await time.advance(1_000);
  expect(sent.splice(0)).toEqual(['state']);
  hold();
  await time.advance(1_000);
  expect(sent.splice(0)).toEqual(['state']);
  status.end();
  hold();
  const atEnd = looks();
  await time.advance(600_000);
  expect([sent, looks()]).toEqual([[], atEnd]);
});

test('a topic gets the newest message at most once a second, and that of proof of play every 30 seconds', async () => {
  const { time, sent, hold, wait } = world();
  await time.settle();
  sent.length = 0;
  for (let waiting = 1; waiting <= 119; waiting += 1) {
    if (waiting === 10) for (const _again of [1, 2, 3]) hold();
    wait(waiting);
    await time.advance(500);
  }
  expect(sent.filter((topic) => topic === 'state')).toHaveLength(1);
  expect(sent.filter((topic) => topic === 'proof')).toHaveLength(1);
  await time.advance(500);
  expect(sent.filter((topic) => topic === 'proof')).toHaveLength(2);
});

test('a clock that is corrected slowly publishes nothing, and a new address of the machine comes with a repeat', async () => {
  const { time, sent, state } = world();
  await time.settle();
  sent.length = 0;
  state.machine = { ...exampleMachine, addresses: ['192.0.2.7'] };
  for (let second = 1; second < 300; second += 1) {
    state.correctionMs += 1;
    await time.advance(1_000);
  }
  expect(sent).toEqual([]);
  await time.advance(1_000);
  expect(sent).toEqual(['state', 'inventory']);
});
