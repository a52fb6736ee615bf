import { randomBytes } from 'node:crypto';
import { anOperator } from '../main/fleet/link/testing/operator';
import { addressTopic, fleetTopics } from '../main/fleet/link/topics';
import { expect } from './expect';
import { LITTLE_JITTER, nameOf, startBroker } from './fleet-operator';
import { folder, keep, launch, service, test } from './kiosk-test';
import { type Lie, lengthOf, message, startLyingBroker, taken } from './lying-broker';
import { type SignalsCaller, signalsCaller } from './signals-caller';
import {
  BLUE,
  expectMorePlays,
  expectOnScreen,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';

// What a person can do to a kiosk who controls its broker, but has no key that the kiosk obeys
// (docs/fleet.md).

/** Claimed length of a packet, bytes; the kiosk must accept no more than the buffers on the way hold. */
const HUGE = 200_000_000;

/** Sends the same bytes repeatedly, as fast as the socket accepts them. */
function pour(socket: Parameters<Lie>[0], bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes)) {
      // `write` returns false once the buffer is full.
    }
  };
  socket.on('drain', more);
  more();
}

const anotherProtocol: Lie = (socket) =>
  pour(socket, Buffer.from('HTTP/1.1 400 Bad Request\r\n'.repeat(2_000)));
const garbageBehindTheGreeting: Lie = (socket, version) => {
  socket.write(taken(version));
  // Packet type 15 does not exist in 3.1.1, and a broker may not send it in 5.
  socket.write(Buffer.concat([Buffer.from([0xff, 0x7f]), randomBytes(65_536)]));
};
const hugePacket: Lie = (socket, version) => {
  socket.write(Buffer.concat([taken(version), Buffer.from([0x30]), lengthOf(HUGE)]));
  pour(socket, Buffer.alloc(65_536, 0xff));
};
const hugeReceipt: Lie = (socket, version) => {
  // SUBACK for two million topics, all of them refused.
  const codes = Buffer.alloc(2_000_000, 0x80);
  socket.write(Buffer.concat([taken(version), Buffer.from([0x90]), lengthOf(3 + codes.length)]));
  socket.write(Buffer.concat([Buffer.from([0, 1, 0]), codes]));
};
const closesBehindTheGreeting: Lie = (socket, version) => {
  socket.end(taken(version));
};

test('a hostile broker disturbs no slot and changes nothing, and its valid messages count again later', async () => {
  const { broker, operator } = await startBroker();
  const liar = keep(await startLyingBroker(broker.port));
  const { signer } = operator;
  serveTwoCreatives(service);
  const fleet = { ...operator.fleet, brokers: [`mqtt://127.0.0.1:${liar.port}`] };
  const kiosk = await launch({ ...kioskSettings(service, 3_600), fleet }, LITTLE_JITTER);
  const name = await nameOf(kiosk);
  const api = signalsCaller(folder);
  const to = `kiosk:${name}` as const;
  const commands = addressTopic('endcap', to, 'command');
  const both = ['red', 'blue'].map((id) => ({ kind: 'flight', id: `flight-${id}` }) as const);
  await expect.poll(() => operator.state(name)?.online).toBe(true);

  // Valid documents, which the broker stores to send them again.
  const paused = await signer.command(to, { name: 'pause', minutes: 60 }, Date.now());
  await operator.publish(commands, paused);
  await expect.poll(async () => (await kiosk.status()).state).toBe('held');
  await operator.order(to, { name: 'resume' });
  await operator.block('all', 1, []);
  await operator.block('all', 2, []);
  const documents = [...(await forgedBlocks(signer, both)), await signer.blocks('all', 1, both)];
  const forOthers = await signer.command(
    'kiosk:0000000000000000',
    { name: 'pause', minutes: 60 },
    Date.now(),
  );

  const forged: Lie = (socket, version) => {
    socket.write(taken(version));
    const blocks = addressTopic('endcap', 'all', 'blocks');
    for (const document of documents) socket.write(message(version, blocks, document, true));
    for (const command of [paused, forOthers]) socket.write(message(version, commands, command));
    const elsewhere = ['$SYS/x', 'endcap/0000000000000000/command', fleetTopics('endcap', name).state, '#'];
    for (const topic of elsewhere) socket.write(message(version, topic, paused, true));
  };
  const flood: Lie = (socket, version) => {
    socket.write(taken(version));
    pour(socket, message(version, commands, randomBytes(400).toString('hex')));
  };

  await expectMorePlays(kiosk, 1);
  const before = new Set((await kiosk.plays()).map(({ id }) => id));
  const [cards, received] = [await counted(api, CARDS), await counted(api, RECEIVED)];
  // Each of these connections is closed without the test's help.
  const brief = [anotherProtocol, garbageBehindTheGreeting, hugePacket, hugeReceipt, closesBehindTheGreeting];
  liar.lie([...brief, forged, flood]);
  await expect.poll(liar.heard).toBe(brief.length + 1);
  await expect.poll(() => counted(api, RECEIVED)).toBeGreaterThanOrEqual(received + documents.length + 2);
  await expectMorePlays(kiosk, 2);
  liar.relent();
  await expect.poll(liar.heard).toBe(brief.length + 2);
  await Promise.all([expectMorePlays(kiosk, 4), expectOnScreen(kiosk, RED, BLUE)]);
  expect((await api.status()).fleet?.blocks).toEqual({ all: 2 });
  liar.relent();
  await expect.poll(() => liar.lied().length).toBe(brief.length + 2);
  expect(Math.max(...liar.lied())).toBeLessThan(HUGE / 10);

  // Replies wait until a broker accepts them.
  const reasons = () => operator.replies.map(({ reason }) => reason);
  await expect
    .poll(reasons)
    .toEqual(
      expect.arrayContaining([
        ...['unreadable', 'unsigned', 'unknown-key', 'superseded', 'seen-before', 'wrong-addressee'],
        'too-many',
      ]),
    );
  await expect.poll(async () => (await operator.order(to, { name: 'refresh' }))?.state).toBe('done');
  const plays = (await kiosk.plays()).filter(({ id }) => !before.has(id));
  expect(plays.filter(({ outcome }) => !['completed', 'reserved'].includes(outcome))).toEqual([]);
  expect(await counted(api, CARDS)).toBe(cards);
  expect(kiosk.log()).not.toMatch(/^\S+ error /m);
});

test('a reply too long for the broker is replaced by an error, and the link stays connected', async () => {
  const { operator } = await startBroker(['allow_anonymous true', 'max_packet_size 6000']);
  serveTwoCreatives(service);
  const kiosk = await launch({ ...kioskSettings(service, 3_600), fleet: operator.fleet }, LITTLE_JITTER);
  const name = await nameOf(kiosk);
  await expect.poll(() => operator.state(name)?.online).toBe(true);
  expect(await operator.order(`kiosk:${name}`, { name: 'screenshot', width: 1_280 })).toMatchObject({
    command: 'screenshot',
    state: 'refused',
    reason: 'failed',
    message: expect.stringContaining('the broker does not take its result'),
  });
  expect(await operator.order(`kiosk:${name}`, { name: 'refresh' })).toMatchObject({ state: 'done' });
  expect(operator.state(name)?.online).toBe(true);
});

/** Blocks of everything without a valid signature: unsigned, signed with another key, or with a changed text. */
async function forgedBlocks(
  signer: ReturnType<typeof anOperator>,
  blocks: readonly object[],
): Promise<string[]> {
  const [head = '', body = '', signature = ''] = (await signer.blocks('all', 9, [])).split('.');
  const changed = { ...JSON.parse(Buffer.from(body, 'base64url').toString()), blocks };
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [
    JSON.stringify({ version: 9, blocks }),
    await anOperator().blocks('all', 9, blocks, { atOnce: true }),
    `${head}.${encoded(changed)}.${signature}`,
    `${encoded({ alg: 'none' })}.${encoded(changed)}.`,
  ];
}

/** Decisions that found nothing to show. */
const CARDS = 'endcap_decisions_total{result="card"}';
const RECEIVED = 'endcap_fleet_messages_total{result="received"}';

const counted = async (api: SignalsCaller, metric: string) => (await api.metric(metric)) ?? 0;
