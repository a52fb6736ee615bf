import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { connectAsync } from 'mqtt';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../shared/log';
import { startMosquitto } from '../../../tools/fleet/brokers/mosquitto';
import { listening } from '../../../tools/fleet/loopback-ports';
import { timers } from '../../schedule';
import { readBroker } from '../../settings/broker-address';
import { noFacts } from '../../status/status-board';
import { type LinkParts, startFleetLink } from './link';
import { createPublisher } from './publisher';
import { exampleMachine } from './testing/example-machine';
import { fleetTopics } from './topics';

const KIOSK = '00112233aabbccdd';
const clock = { now: Date.now, monotonic: () => performance.now() };

const nothing = () => {};

type Handled = Pick<LinkParts, 'addressees' | 'commandHandler'>;

/** A kiosk with a link to this port of loopback, until the end of the test. */
function kioskAt(port: number, look: () => void = nothing, handled: Partial<Handled> = {}) {
  const link = startFleetLink({
    publishingKiosk: {
      kiosk: KIOSK,
      groups: [],
      versions: { endcap: '1.2.3', electron: null },
      store: { storeId: null, zone: null, screenId: null, labels: {} },
    },
    brokers: [readBroker(`mqtt://127.0.0.1:${port}`)].filter((broker) => broker !== null),
    topicPrefix: 'endcap',
    addressees: ['all'],
    async open(to) {
      const socket = connect(to.port, to.host);
      await once(socket, 'connect');
      return socket;
    },
    username: null,
    password: null,
    announceToHomeAssistant: async () => {},
    commandHandler: { command: async () => null, blocks: async () => null },
    ...handled,
    onConnected: nothing,
    report: {
      look,
      trying: nothing,
      connected: nothing,
      published: nothing,
      blocks: nothing,
      failed: nothing,
    },
    publisher: createPublisher({ schedule: timers, monotonic: clock.monotonic, tell: nothing }),
    publicKey: 'key',
    machine: () => exampleMachine,
    told: () => noFacts(0),
    correctionMs: () => 0,
    blocks: { versions: () => ({}) },
    announcement: { current: () => null },
    random: () => 0,
    tell: nothing,
    log: silentLog,
    clock,
    schedule: timers,
  });
  onTestFinished(link.dispose);
  return link;
}

test('a kiosk that ends in order leaves behind that it is offline', async () => {
  const broker = await startMosquitto();
  onTestFinished(broker.close);
  const watcher = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
  onTestFinished(() => watcher.endAsync(true));
  const online: boolean[] = [];
  watcher.on('message', (_topic, payload) => void online.push(JSON.parse(payload.toString()).online));
  await watcher.subscribeAsync(fleetTopics('endcap', KIOSK).state);
  const link = kioskAt(broker.port);
  await expect.poll(() => online).toEqual([true]);
  await link.dispose();
  await expect.poll(() => online).toEqual([true, false]);
  await watcher.unsubscribeAsync(fleetTopics('endcap', KIOSK).state);
  await watcher.subscribeAsync(fleetTopics('endcap', KIOSK).state);
  await expect.poll(() => online, { message: 'it is retained' }).toEqual([true, false, false]);
});

test('the report is looked at regularly, so that a lasting or lost connection is told in time', async () => {
  const broker = await startMosquitto();
  onTestFinished(broker.close);
  let looks = 0;
  kioskAt(broker.port, () => {
    looks += 1;
  });
  await expect.poll(() => looks).toBeGreaterThan(2);
});

test('a kiosk obeys nothing on the topics of a group that it has left, although its session has the subscription', async () => {
  const broker = await startMosquitto();
  onTestFinished(broker.close);
  const watcher = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
  onTestFinished(() => watcher.endAsync(true));
  const got: string[] = [];
  const take = (kind: string) => async (payload: Uint8Array) => {
    got.push(`${kind} ${Buffer.from(payload)}`);
    return null;
  };
  const commandHandler = { command: take('command'), blocks: take('blocks') };
  const publishAll = async (word: string) => {
    for (const topic of ['groups/north/command', 'groups/north/blocks', 'all/command'])
      await watcher.publishAsync(`endcap/${topic}`, word, { qos: 1, retain: topic.endsWith('blocks') });
  };
  const before = kioskAt(broker.port, nothing, { addressees: ['all', 'group:north'], commandHandler });
  await expect
    .poll(async () => {
      await publishAll('one');
      return [...new Set(got)].sort();
    })
    .toEqual(['blocks one', 'command one']);
  await before.dispose();
  await publishAll('two');
  kioskAt(broker.port, nothing, { commandHandler });
  const later = () => got.filter((each) => !each.endsWith('one'));
  await expect.poll(later).toEqual(['command two']);
  await publishAll('three');
  await expect.poll(later).toEqual(['command two', 'command three']);
});

/** A broker that does this on each connection, in their order; resolves with whether each began a session anew. */
async function brokerThat(...acts: ReadonlyArray<(socket: Socket) => void>) {
  const begins: boolean[] = [];
  const server = createServer((socket) => {
    socket.once('data', (packet) => {
      // Clean Start (MQTT 5, 3.1.2.4): behind the protocol's name and version.
      begins.push(((packet[packet.indexOf('MQTT') + 5] ?? 0) & 2) !== 0);
      // CONNACK.
      socket.write(Buffer.from([0x20, 3, 0, 0, 0]));
      acts[begins.length - 1]?.(socket);
    });
  });
  const { port, [Symbol.asyncDispose]: close } = await listening(server);
  onTestFinished(close);
  return { begins, port };
}

test('a session that holds a message which is not taken is discarded by the next connection, and by no other', async () => {
  const ofQos2 = Buffer.from([0x34, 6, 0, 1, 0x61, 0, 1, 0]);
  const { begins, port } = await brokerThat(
    (socket) => socket.write(ofQos2),
    // After the kiosk has subscribed.
    (socket) => socket.once('data', () => socket.destroy()),
  );
  kioskAt(port);
  await expect.poll(() => begins).toEqual([false, true, false]);
});
