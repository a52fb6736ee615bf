import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { type Mosquitto, startMosquitto } from '../../../tools/fleet/brokers/mosquitto';
import { listening } from '../../../tools/fleet/loopback-ports';
import { systemLookup } from '../../egress/bounded-lookup';
import { createEgress } from '../../egress/egress';
import { forwardProxy } from '../../egress/testing/forward-proxy';
import { testCa } from '../../egress/testing/test-ca';
import { type Schedule, timers } from '../../schedule';
import { readBroker } from '../../settings/broker-address';
import { readProxy } from '../../settings/proxy-address';
import { Secret } from '../../settings/secret';
import {
  type BrokerConnection,
  type ConnectionError,
  type ConnectionPlan,
  connectToBroker,
} from './broker-connection';
import type { AttemptEnd } from './link-attempts';
import { websocketRelay } from './testing/websocket-relay';

const open: AsyncDisposable[] = [];
const connections: BrokerConnection[] = [];
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.end();
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});
async function keep<T extends AsyncDisposable>(one: Promise<T>): Promise<T> {
  const kept = await one;
  open.push(kept);
  return kept;
}

interface Options {
  readonly plan?: Partial<ConnectionPlan>;
  readonly network?: { proxy?: ReturnType<typeof readProxy>; additionalCas?: readonly string[] };
  readonly certificate?: { cert: string; key: Secret };
  readonly account?: readonly [string, string];
  readonly clientId?: string;
  readonly schedule?: Schedule;
}

/** Tries to connect; returns the result, the messages that came, and what the listener heard in order. */
async function tryTo(address: string, { schedule = timers, ...options }: Options = {}) {
  const { plan, network, certificate, account, clientId } = options;
  const broker = readBroker(address);
  if (broker === null) throw new Error(address);
  const egress = createEgress(
    {
      network: { allowPrivateHosts: [], noProxy: [], additionalCas: [], proxy: null, ...network },
      service: { baseUrl: 'http://127.0.0.1:1', authUrl: null, nativeUrl: null, headers: [] },
    } as unknown as Parameters<typeof createEgress>[0],
    {
      lookup: async (name) =>
        name.endsWith('.example') ? [{ address: '127.0.0.1', family: 4 }] : systemLookup(name),
      systemProxy: async () => 'DIRECT',
      schedule: timers,
      clock: { now: Date.now, monotonic: () => performance.now() },
      userAgent: 'test',
    },
  );
  const messages: Array<[string, string]> = [];
  const heard: Array<'connected' | 'ended'> = [];
  let resolve = (_result: 'connected' | ConnectionError) => {};
  const promise = new Promise<'connected' | ConnectionError>((done) => {
    resolve = done;
  });
  let end = (_error: ConnectionError) => {};
  const ended = new Promise<ConnectionError>((done) => {
    end = done;
  });
  const connection = connectToBroker(
    {
      open: egress.connectionsTo(certificate ?? null),
      clientId: clientId ?? 'endcap-test',
      username: account?.[0] ?? null,
      password: account ? new Secret(account[1]) : null,
      schedule,
    },
    { address: broker, version: 5, will: { topic: 'will', payload: 'gone' }, isFresh: false, ...plan },
    {
      onConnected() {
        heard.push('connected');
        resolve('connected');
      },
      async onMessage(topic, payload) {
        messages.push([topic, Buffer.from(payload).toString()]);
      },
      onEnded(error) {
        heard.push('ended');
        end(error);
        resolve(error);
      },
    },
  );
  connections.push(connection);
  return { connection, result: await promise, messages, heard, ended };
}

const anonymous = () => keep(startMosquitto());

describe('a connection to a real broker', () => {
  test.each([5, 4] as const)(
    'publishes a message that another client receives later only if it is retained, by MQTT version %d',
    async (version) => {
      const broker = await anonymous();
      const address = `mqtt://127.0.0.1:${broker.port}`;
      const one = await tryTo(address, { plan: { version } });
      expect(one.result).toBe('connected');
      await one.connection.publish('a/reply', 'once', false);
      await one.connection.publish('a/state', 'hello', true);
      const other = await tryTo(address, { clientId: 'other', plan: { version } });
      other.connection.subscribe(['a/+']);
      await expect.poll(() => other.messages).toContainEqual(['a/state', 'hello']);
      await one.connection.publish('a/reply', 'again', false);
      await expect.poll(() => other.messages.at(-1)).toEqual(['a/reply', 'again']);
      expect(other.messages).toEqual([
        ['a/state', 'hello'],
        ['a/reply', 'again'],
      ]);
    },
  );

  test('has its last will sent when it is cut off, but not when it ends in order', async () => {
    const broker = await anonymous();
    const address = `mqtt://127.0.0.1:${broker.port}`;
    const watcher = await tryTo(address, {
      clientId: 'watcher',
      plan: { will: { topic: 'other', payload: '' } },
    });
    watcher.connection.subscribe(['will']);
    const orderly = await tryTo(address);
    await orderly.connection.end();
    const relay = await cutOff(broker);
    const cut = await tryTo(`mqtt://127.0.0.1:${relay.port}`, {
      clientId: 'cut',
      plan: { will: { topic: 'will', payload: 'cut' } },
    });
    expect(cut.result).toBe('connected');
    relay.cut();
    await expect.poll(() => watcher.messages).toEqual([['will', 'cut']]);
    expect((await cut.ended).at).toBe('network');
    const later = await tryTo(address, { clientId: 'later' });
    later.connection.subscribe(['will']);
    await expect.poll(() => later.messages).toEqual([['will', 'cut']]);
  });

  /** A kiosk that subscribed to `c` left, and then somebody sent a message there. */
  async function missedMessage() {
    const broker = await anonymous();
    const address = `mqtt://127.0.0.1:${broker.port}`;
    const first = await tryTo(address);
    first.connection.subscribe(['c']);
    await first.connection.publish('c', 'one', false);
    await expect.poll(() => first.messages.length).toBe(1);
    await first.connection.end();
    const sender = await tryTo(address, { clientId: 'sender' });
    await sender.connection.publish('c', 'two', false);
    return { broker, address, sender };
  }

  test('gets messages that waited at the broker while it was away, even if the broker restarted meanwhile', async () => {
    const { broker, address, sender } = await missedMessage();
    await broker.stop();
    expect((await sender.ended).at).toBe('network');
    await broker.start();
    const again = await tryTo(address);
    await expect.poll(() => again.messages).toEqual([['c', 'two']]);
  });

  test('gets nothing of before if it begins a session anew', async () => {
    const { address } = await missedMessage();
    const fresh = await tryTo(address, { plan: { isFresh: true } });
    fresh.connection.subscribe(['d']);
    await fresh.connection.publish('d', 'three', false);
    await expect.poll(() => fresh.messages).toEqual([['d', 'three']]);
  });

  test('works over WebSocket', async () => {
    const broker = await anonymous();
    const relay = await keep(websocketRelay(broker.port));
    const { connection, result, messages } = await tryTo(`ws://127.0.0.1:${relay.port}/mqtt?key=7`);
    expect(result).toBe('connected');
    connection.subscribe(['x']);
    await connection.publish('x', 'y'.repeat(200_000), true);
    await expect.poll(() => messages.map(([topic, text]) => [topic, text.length])).toEqual([['x', 200_000]]);
    expect(relay.asked).toEqual(['/mqtt?key=7 mqtt']);
  });

  const ca = testCa('A store');
  const server = ca.issue('broker.example');
  const files = { 'ca.pem': ca.cert, 'server.pem': server.cert, 'server.key': server.key };
  const TLS = ['cafile FOLDER/ca.pem', 'certfile FOLDER/server.pem', 'keyfile FOLDER/server.key'];

  test('works over TLS with a CA from the settings and through the proxy, and fails without', async () => {
    const broker = await keep(startMosquitto([...TLS, 'allow_anonymous true'], files));
    const proxy = await keep(forwardProxy({ routes: { 'broker.example:8883': broker.port } }));
    const network = { proxy: readProxy(`http://127.0.0.1:${proxy.port}`), additionalCas: [ca.cert] };
    expect((await tryTo('mqtts://broker.example', { network })).result).toBe('connected');
    expect(proxy.asked).toEqual(['CONNECT broker.example:8883']);
    expect(
      (await tryTo('mqtts://broker.example', { network: { proxy: network.proxy } })).result,
    ).toMatchObject({
      at: 'network',
      code: 'tls',
    });
    expect((await tryTo('mqtts://other.example', { network })).result).toMatchObject({
      code: 'proxy-refused',
    });
  });

  test('works with a client certificate', async () => {
    const mutual = [
      ...TLS,
      'require_certificate true',
      'use_identity_as_username true',
      'allow_anonymous false',
    ];
    const broker = await keep(startMosquitto(mutual, files));
    const kiosk = ca.issue('kiosk-7');
    const network = { additionalCas: [ca.cert] };
    const certificate = { cert: kiosk.cert, key: new Secret(kiosk.key) };
    const address = `mqtts://broker.example:${broker.port}`;
    expect((await tryTo(address, { network, certificate })).result).toBe('connected');
    // Over TLS 1.3 the broker refuses it only after the handshake.
    const expired = ca.issue('kiosk-7', ['200101', '211231']);
    const foreign = testCa('Another').issue('kiosk-7');
    for (const refused of [undefined, expired, foreign]) {
      const shown = refused && { certificate: { cert: refused.cert, key: new Secret(refused.key) } };
      expect((await tryTo(address, { network, ...shown })).result).toMatchObject({
        at: 'refused',
        code: 'client-certificate',
      });
    }
  });

  test('reports over TLS 1.2, too, that the broker wants a client certificate', async () => {
    const options = { ...server, ca: ca.cert, requestCert: true, maxVersion: 'TLSv1.2' } as const;
    const broker = await keep(listening(createTlsServer(options).on('tlsClientError', () => {})));
    const { result } = await tryTo(`mqtts://broker.example:${broker.port}`, {
      network: { additionalCas: [ca.cert] },
    });
    expect(result).toMatchObject({ at: 'refused', code: 'client-certificate' });
  });

  test('reports a wrong password as refused, not as an unsupported version', async () => {
    const broker = await keep(startMosquitto(['allow_anonymous false']));
    for (const version of [5, 4] as const) {
      const { result } = await tryTo(`mqtt://127.0.0.1:${broker.port}`, {
        account: ['kiosk', 'wrong'],
        plan: { version },
      });
      expect(result).toMatchObject({ at: 'refused', code: expect.stringMatching(/^refused-/) });
    }
  });

  test('shows its user name and password', async () => {
    let shown = '';
    const server = await keep(
      serving((socket) => {
        socket.once('data', (bytes) => {
          shown = bytes.toString('latin1');
          socket.destroy();
        });
      }),
    );
    await tryTo(`mqtt://127.0.0.1:${server.port}`, { account: ['kiosk-7', 'open sesame'] });
    expect(shown).toContain('kiosk-7\0\x0bopen sesame');
  });

  test('reports a network error if no broker listens', async () => {
    expect((await tryTo('mqtt://127.0.0.1:1')).result).toMatchObject({ at: 'network', code: 'connection' });
  });
});

describe('a broker that breaks the protocol', () => {
  const answers = async (bytes: readonly number[] | 'closes' | 'flood', over: 'mqtt' | 'ws' = 'mqtt') => {
    const server = await keep(
      serving((socket) => {
        socket.once('data', () => {
          if (bytes === 'closes') socket.destroy();
          else if (bytes === 'flood') {
            socket.write(Buffer.from([0x20, 0x03, 0, 0, 0]));
            // The header of a packet of 200 MB.
            socket.write(Buffer.from([0x30, 0x80, 0x84, 0xaf, 0x5f]));
            const more = () => {
              while (socket.writable && socket.write(Buffer.alloc(65_536))) {}
            };
            socket.on('drain', more);
            more();
          } else socket.write(Buffer.from(bytes));
        });
      }),
    );
    const { port } = over === 'ws' ? await keep(websocketRelay(server.port)) : server;
    return tryTo(`${over}://127.0.0.1:${port}`);
  };

  test.each<[string, AttemptEnd['at'], readonly number[] | 'closes']>([
    ['a greeting of MQTT 3.1.1: not this version', 'version', [0x20, 2, 0, 1]],
    ['version 5: not this version', 'version', [0x20, 3, 0, 132, 0]],
    ['nothing', 'handshake', 'closes'],
    ['no MQTT', 'handshake', [...Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')]],
  ])('if it answers with %s, is reported as failed at: %s', async (_name, at, bytes) => {
    expect((await answers(bytes)).result).toMatchObject({ at });
  });

  test('is reported as a network error if its greeting takes too long, and not as without version 5', async () => {
    let timesOut = () => {};
    const schedule: Schedule = (_ms, run) => {
      timesOut = run;
      return () => {};
    };
    const server = await keep(serving((socket) => socket.once('data', () => timesOut())));
    const { result } = await tryTo(`mqtt://127.0.0.1:${server.port}`, { schedule });
    expect(result).toMatchObject({ at: 'network', code: 'timeout' });
  });

  test('is not reported as connected after it ended, if an invalid packet follows its greeting', async () => {
    const { ended, heard } = await answers([0x20, 3, 0, 0, 0, 0, 0, 0]);
    expect(await ended).toMatchObject({ at: 'handshake' });
    await new Promise(setImmediate);
    expect(heard).toEqual(['ended']);
  });

  test('is disconnected if it sends a packet of 200 MB', async () => {
    const { ended } = await answers('flood');
    expect(await ended).toMatchObject({ code: 'too-long-packet' });
  });

  test('is disconnected if it sends a message of QoS 2, of which the client would keep thousands', async () => {
    const greeting = [0x20, 3, 0, 0, 0];
    const message = [0x34, 6, 0, 1, 0x61, 0, 1, 0];
    const { ended } = await answers([...greeting, ...message]);
    expect(await ended).toMatchObject({ at: 'network', code: 'qos-2' });
  });

  test('is disconnected if it acknowledges nothing, before its messages fill the memory', async () => {
    const server = await keep(
      serving((socket) => socket.once('data', () => socket.write(Buffer.from([0x20, 3, 0, 0, 0])))),
    );
    const { connection, ended, result } = await tryTo(`mqtt://127.0.0.1:${server.port}`);
    expect(result).toBe('connected');
    const sent = Array.from({ length: 200 }, (_, n) => connection.publish('a', `${n}`, true));
    const results = Promise.allSettled(sent);
    const isOpen = new Promise((resolve) => setImmediate(() => resolve('open')));
    expect(await Promise.race([ended, isOpen])).toBe('open');
    await expect(connection.publish('a', 'one more', true)).rejects.toThrow('acknowledges');
    expect(await ended).toMatchObject({ at: 'refused', code: 'no-receipts' });
    expect((await results).every(({ status }) => status === 'rejected')).toBe(true);
  });

  test('is disconnected likewise over WebSocket', async () => {
    const { ended } = await answers('flood', 'ws');
    expect(await ended).toMatchObject({ code: 'too-long-packet' });
  });
});

const serving = (onSocket: (socket: Socket) => void) => listening(createServer(onSocket));

/** A relay to the broker that can be cut without closing the MQTT connection in order. */
async function cutOff(broker: Mosquitto) {
  const sockets = new Set<Socket>();
  const { connect } = await import('node:net');
  const relay = await keep(
    serving((socket) => {
      const onward = connect(broker.port, '127.0.0.1');
      onward.on('error', () => {});
      sockets.add(socket).add(onward);
      socket.pipe(onward).pipe(socket);
    }),
  );
  return {
    port: relay.port,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
