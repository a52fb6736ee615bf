import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { type Schedule, timers } from '../../schedule';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { readBroker } from '../../settings/broker-address';
import { type BrokerConnection, type ConnectionError, connectToBroker } from './broker-connection';

/** Types of packets, and properties of a greeting (MQTT 5, 2.1.2 and 3.2.2.3). */
const [CONNECT, PUBLISH, PUBACK, SUBSCRIBE, DISCONNECT] = [1, 3, 4, 8, 14];
const RECEIVE_ONE = [0x21, 0, 1];
const AT_MOST_2000_BYTES = [0x27, 0, 0, 0x07, 0xd0];
const KEEP_ALIVE_1_S = [0x13, 0, 1];
const GREETING = packet(0x20, [0, 0, 0]);

const connections: BrokerConnection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.end();
});

function packet(header: number, body: readonly number[] | Buffer): Buffer {
  const length: number[] = [];
  for (let left = body.length; length.length === 0 || left > 0; left = Math.floor(left / 128))
    length.push((left % 128) | (left >= 128 ? 128 : 0));
  return Buffer.concat([Buffer.from([header, ...length]), Buffer.from(body)]);
}

/** The first packet of a client in these bytes; null: it is not whole yet. */
function firstPacket(bytes: Buffer) {
  let [at, length, factor] = [1, 0, 1];
  for (let byte = 0x80; byte >= 0x80; factor *= 128, at += 1) {
    if (at >= bytes.length) return null;
    byte = bytes[at] ?? 0;
    length += (byte & 0x7f) * factor;
  }
  if (bytes.length < at + length) return null;
  return {
    type: (bytes[0] ?? 0) >> 4,
    body: bytes.subarray(at, at + length),
    rest: bytes.subarray(at + length),
  };
}

async function portOf(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

type OnPacket = (type: number, body: Buffer, socket: Socket) => void;

/** A broker of MQTT 5 that greets with these properties; `onPacket` gets what a client sends after `onConnect`. */
const brokerWith = (
  properties: readonly number[],
  onPacket: OnPacket = () => {},
  onConnect = (_body: Buffer) => {},
): Promise<number> =>
  portOf(
    createServer((socket) => {
      let bytes: Buffer = Buffer.alloc(0);
      socket.on('error', () => {});
      socket.on('data', (chunk) => {
        bytes = Buffer.concat([bytes, chunk]);
        for (let next = firstPacket(bytes); next !== null; next = firstPacket(bytes)) {
          bytes = next.rest;
          if (next.type === CONNECT) {
            onConnect(next.body);
            socket.write(packet(0x20, [0, 0, properties.length, ...properties]));
          } else onPacket(next.type, next.body, socket);
        }
      });
    }),
  );

async function connectTo(
  address: string | number,
  schedule: Schedule = timers,
  onMessage: () => Promise<void> = async () => {},
) {
  const broker = readBroker(typeof address === 'string' ? address : `mqtt://127.0.0.1:${address}`);
  if (broker === null) throw new Error(`${address}`);
  let [greeted, end] = [() => {}, (_error: ConnectionError) => {}];
  const greeting = new Promise<void>((resolve) => {
    greeted = resolve;
  });
  const ended = new Promise<ConnectionError>((resolve) => {
    end = resolve;
  });
  const connection = connectToBroker(
    {
      open: async ({ port }) => {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        await once(socket, 'connect');
        return socket;
      },
      clientId: 'endcap-test',
      username: null,
      password: null,
      schedule,
    },
    { address: broker, version: 5, will: { topic: 'will', payload: 'gone' }, isFresh: false },
    { onConnected: () => greeted(), onMessage, onEnded: (error) => end(error) },
  );
  connections.push(connection);
  await Promise.race([greeting, ended]);
  return { connection, ended };
}

/** Topic and packet id of a PUBLISH. */
function published(body: Buffer) {
  const end = 2 + body.readUInt16BE(0);
  return { topic: body.toString('utf8', 2, end), id: [...body.subarray(end, end + 2)] };
}
const acknowledge = (body: Buffer, socket: Socket) => void socket.write(packet(0x40, published(body).id));

/** Packet id and topics of a SUBSCRIBE. */
function subscribed(body: Buffer) {
  const topics: string[] = [];
  for (let at = 3; at < body.length; ) {
    const end = at + 2 + body.readUInt16BE(at);
    topics.push(body.toString('utf8', at + 2, end));
    at = end + 1;
  }
  return { id: [...body.subarray(0, 2)], topics };
}

/** The receipt of a SUBSCRIBE, for each of its topics. */
function grant(body: Buffer, socket: Socket): void {
  const { id, topics } = subscribed(body);
  socket.write(packet(0x90, [...id, 0, ...topics.map(() => 1)]));
}

describe('a broker', () => {
  test('learns how long it stores messages, how many it may send before a receipt, and how long they may be', async () => {
    let asked = '';
    const port = await brokerWith([], undefined, (body) => {
      asked = body.toString('hex');
    });
    await connectTo(port);
    // MQTT 5; a retained will of QoS 1, and no clean start; keep-alive of 30 s.
    expect(asked).toMatch(/^00044d515454052c001e/);
    for (const property of ['1100093a80', '210014', '2700200000']) expect(asked).toContain(property);
  });

  test('gets the receipt of a message, and has the next one read, only when that is carried out', async () => {
    const types: number[] = [];
    const port = await brokerWith([], (type, body, socket) => {
      types.push(type);
      if (type === PUBLISH) acknowledge(body, socket);
      if (type !== SUBSCRIBE) return;
      grant(body, socket);
      socket.write(Buffer.concat([1, 2].map((id) => packet(0x32, [0, 1, 0x61, 0, id, 0]))));
    });
    const carriedOut: Array<() => void> = [];
    const { connection } = await connectTo(port, timers, () => new Promise((done) => carriedOut.push(done)));
    connection.subscribe(['a']);
    await expect.poll(() => carriedOut.length).toBe(1);
    const later = connection.publish('later', '', false);
    await expect.poll(() => types.includes(PUBLISH)).toBe(true);
    expect([types, carriedOut.length]).toEqual([[SUBSCRIBE, PUBLISH], 1]);
    carriedOut[0]?.();
    await expect.poll(() => carriedOut.length).toBe(2);
    carriedOut[1]?.();
    await expect.poll(() => types).toEqual([SUBSCRIBE, PUBLISH, PUBACK, PUBACK]);
    await later;
  });

  test('that has answered everything is given no more time limits', async () => {
    const time = handTurnedTime();
    const port = await brokerWith([], (type, body, socket) => type === SUBSCRIBE && grant(body, socket));
    const { connection } = await connectTo(port, time.schedule);
    connection.subscribe(['a']);
    expect(time.waits()).toEqual([120_000]);
    await expect.poll(() => time.waits()).toEqual([]);
  });

  test('that acknowledges nothing is left by force a second after the beginning of an orderly end', async () => {
    const time = handTurnedTime();
    const { connection, ended } = await connectTo(await brokerWith([]), time.schedule);
    connection.publish('a', '', true).catch(() => {});
    const leaving = connection.end();
    await time.advance(1_000);
    await leaving;
    expect(await ended).toMatchObject({ at: 'network', code: 'closed' });
    await expect(connection.publish('a', '', true)).rejects.toThrow('there is no connection');
  });

  test('whose connection opens after it was called off is left at once, and heard no more', async () => {
    const heard: string[] = [];
    let [opened, signal] = [(_socket: Socket) => {}, new AbortController().signal];
    const open = (_to: unknown, given: AbortSignal) => {
      signal = given;
      return new Promise<Socket>((resolve) => {
        opened = resolve;
      });
    };
    const address = readBroker('mqtt://127.0.0.1');
    if (address === null) throw new Error('no address');
    const connection = connectToBroker(
      { open, clientId: 'endcap-test', username: null, password: null, schedule: timers },
      { address, version: 5, will: { topic: 'will', payload: 'gone' }, isFresh: false },
      {
        onConnected: () => heard.push('connected'),
        onMessage: async () => {},
        onEnded: () => heard.push('ended'),
      },
    );
    await connection.end();
    expect(signal.aborted).toBe(true);
    const socket = connect(await brokerWith([]), '127.0.0.1');
    await once(socket, 'connect');
    opened(socket);
    await expect.poll(() => socket.destroyed).toBe(true);
    expect(heard).toEqual([]);
  });
});

describe('a broker with limits of its own', () => {
  test('gets no more messages before its receipt than it takes at once', async () => {
    const topics: string[] = [];
    let unanswered = 0;
    const port = await brokerWith(RECEIVE_ONE, (type, body, socket) => {
      if (type !== PUBLISH) return;
      topics.push(published(body).topic);
      unanswered += 1;
      // 0x93: more than it takes at once.
      if (unanswered > 1) return void socket.end(packet(0xe0, [0x93, 0]));
      setImmediate(() => {
        unanswered -= 1;
        acknowledge(body, socket);
      });
    });
    const { connection } = await connectTo(port);
    const sent = ['a', 'b', 'c', 'd'].map((topic) => connection.publish(topic, '', true));
    await Promise.all(sent);
    expect(topics).toEqual(['a', 'b', 'c', 'd']);
  });

  test('gets all of them before an orderly end', async () => {
    const types: number[] = [];
    const port = await brokerWith(RECEIVE_ONE, (type, body, socket) => {
      types.push(type);
      if (type === PUBLISH) setImmediate(acknowledge, body, socket);
    });
    const { connection } = await connectTo(port);
    for (const topic of ['a', 'b', 'c']) connection.publish(topic, '', true).catch(() => {});
    await connection.end();
    await expect.poll(() => types).toEqual([PUBLISH, PUBLISH, PUBLISH, DISCONNECT]);
  });

  test('gets no message that is longer than it takes, and keeps the connection', async () => {
    const topics: string[] = [];
    const port = await brokerWith(AT_MOST_2000_BYTES, (type, body, socket) => {
      if (type !== PUBLISH) return;
      topics.push(published(body).topic);
      if (body.length > 2_000) return void socket.end(packet(0xe0, [0x95, 0]));
      acknowledge(body, socket);
    });
    const { connection } = await connectTo(port);
    await expect(connection.publish('long', 'x'.repeat(2_000), false)).rejects.toMatchObject({
      code: 'too-long-message',
    });
    await connection.publish('short', 'x'.repeat(1_900), false);
    expect(topics).toEqual(['short']);
  });

  // As AWS IoT Core, which then only closes the connection.
  test('is asked for any number of topics, even if it takes eight in one packet', async () => {
    const asked: string[] = [];
    const port = await brokerWith([], (type, body, socket) => {
      if (type !== SUBSCRIBE) return;
      const { id, topics } = subscribed(body);
      if (topics.length > 8) return void socket.destroy();
      asked.push(...topics);
      socket.write(packet(0x90, [...id, 0, ...topics.map(() => 1)]));
    });
    const { connection } = await connectTo(port);
    const topics = Array.from({ length: 36 }, (_, n) => `t${n}`);
    connection.subscribe(topics);
    await expect.poll(() => asked).toEqual(topics);
  });

  test('that refuses one topic is reported with that topic', async () => {
    const port = await brokerWith([], (type, body, socket) => {
      if (type !== SUBSCRIBE) return;
      const { id, topics } = subscribed(body);
      socket.write(packet(0x90, [...id, 0, ...topics.map((topic) => (topic === 'b/blocks' ? 0x87 : 1))]));
    });
    const { connection, ended } = await connectTo(port);
    connection.subscribe(['a/blocks', 'b/blocks', 'c/blocks']);
    expect(await ended).toMatchObject({
      at: 'refused',
      code: 'refused-topics',
      message: expect.stringMatching(/b\/blocks.*Not authorized/),
    });
  });
});

describe('the end of a connection is reported by its cause', () => {
  const endingBy = async (end: (socket: Socket) => void, properties: readonly number[] = []) => {
    const port = await brokerWith(properties, (type, _body, socket) => type === PUBLISH && end(socket));
    const { connection, ended } = await connectTo(port);
    connection.publish('a', '', true).catch(() => {});
    return ended;
  };

  test.each([
    ['another client took the session over', 0x8e, 'Session taken over'],
    ['no right to publish', 0x87, 'Not authorized'],
    ['it shuts down', 0x8b, 'Server shutting down'],
  ])('the broker says why: %s', async (_why, reason, words) => {
    expect(await endingBy((socket) => void socket.end(packet(0xe0, [reason, 0])))).toEqual({
      at: 'refused',
      code: `refused-${reason}`,
      message: expect.stringContaining(words),
    });
  });

  test('the broker ends it in order, without a reason', async () => {
    expect(await endingBy((socket) => void socket.end(packet(0xe0, [0, 0])))).toMatchObject({
      at: 'network',
      code: 'closed',
    });
  });

  test('the network broke it', async () => {
    expect(await endingBy((socket) => void socket.resetAndDestroy())).toMatchObject({
      at: 'network',
      code: 'connection',
    });
  });

  test('nothing came any more, as where a router forgot the connection', async () => {
    expect(await endingBy(() => {}, KEEP_ALIVE_1_S)).toMatchObject({ at: 'network', code: 'timeout' });
  });

  test('a web server has no WebSocket at this path', async () => {
    const server = createHttpServer();
    server.on('upgrade', (_request, socket) => void socket.end('HTTP/1.1 404 Not Found\r\n\r\n'));
    const { ended } = await connectTo(`ws://127.0.0.1:${await portOf(server)}/mqtt`);
    expect(await ended).toMatchObject({ code: 'protocol', message: expect.stringContaining('404') });
  });

  test.each(['publish', 'subscribe'] as const)('the broker acknowledges nothing (%s)', async (what) => {
    const time = handTurnedTime();
    let got = 0;
    const port = await brokerWith([], () => {
      got += 1;
    });
    const { connection, ended } = await connectTo(port, time.schedule);
    if (what === 'publish') connection.publish('a', '', true).catch(() => {});
    else connection.subscribe(['a']);
    await expect.poll(() => got).toBe(1);
    await time.advance(120_000);
    expect(await ended).toMatchObject({ at: 'refused', code: 'no-receipts' });
  });
});

// The library reads such packets byte by byte, for seconds, in which main stands still (rule 31).
describe('a packet that takes long to read ends the connection unread', () => {
  const MILLION = 1_000_000;
  const answering = async (answer: (id: readonly number[]) => Buffer) => {
    const port = await brokerWith([], (type, body, socket) => {
      if (type === SUBSCRIBE) socket.write(answer(subscribed(body).id));
    });
    const { connection, ended } = await connectTo(port);
    connection.subscribe(['a']);
    return ended;
  };

  test('a receipt for a million topics', async () => {
    const ended = await answering((id) =>
      packet(0x90, Buffer.from([...id, 0, ...new Array(MILLION).fill(0x80)])),
    );
    expect(ended).toMatchObject({ code: 'too-long-packet' });
  });

  test('a message with very many properties', async () => {
    const property = Buffer.from([0x26, 0, 1, 0x61, 0, 1, 0x62]);
    const properties = Buffer.concat(new Array(MILLION / 10).fill(property));
    const length = packet(0, properties).subarray(1);
    const ended = await answering(() => packet(0x30, Buffer.concat([Buffer.from([0, 1, 0x61]), length])));
    expect(ended).toMatchObject({ code: 'too-long-packet' });
  });

  test('a frame of WebSocket with a packet that is too long', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    server.on('connection', (socket) => {
      socket.once('message', () => {
        socket.send(GREETING);
        socket.send(packet(0x30, Buffer.alloc(3 * MILLION)));
      });
    });
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { ended } = await connectTo(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(await ended).toMatchObject({ code: 'too-long-packet' });
  });
});
