import type { Duplex } from 'node:stream';
import { type IClientOptions, MqttClient, type PacketCallback, ReasonCodes } from 'mqtt';
import { streamBuilder as openWebSocket } from 'mqtt/lib/connect/ws';
import { beforeDeadline, startDeadline } from '../../deadline';
import { messageOf } from '../../describe-error';
import type { OpenToOperator } from '../../egress/egress';
import { errorWords, isCertificateRefused, SendError, systemCode } from '../../egress/send-error';
import type { Schedule } from '../../schedule';
import type { BrokerAddress } from '../../settings/broker-address';
import type { Secret } from '../../settings/secret';
import type { AttemptEnd, MqttVersion } from './link-attempts';
import { GUARD_CODES, guarded, MAX_PACKET_BYTES } from './packet-guard';
import { createReceipts, MAX_RECEIPT_MS } from './receipts';

/** MQTT keep-alive, seconds. A broker that receives nothing for 1.5 times as long publishes the last will. */
const KEEP_ALIVE_SECONDS = 30;
/** How long a broker stores messages for a disconnected kiosk (MQTT 5), seconds. No command is valid for longer. */
const SESSION_SECONDS = 7 * 86_400;
/** Longest time for DNS, TCP, proxy and TLS together, and again for the broker's CONNACK, ms. */
const CONNECT_MS = 15_000;
/** The library's own limits come later, so that a slow broker is not taken for one without version 5, ms. */
const LIBRARY_MS = 2 * CONNECT_MS;
/** Reason codes of MQTT 5 from this one on are errors. */
const FIRST_ERROR = 0x80;
/** Longest time for an orderly end, ms. */
const END_MS = 1_000;
/** A PUBLISH is longer than its topic and payload by this much at most, bytes (MQTT 5, 3.3). */
const MAX_PUBLISH_HEADER = 10;

/** The code of the error with which `publish` rejects a message that is longer than the broker takes (MQTT 5). */
export const TOO_LONG_MESSAGE = 'too-long-message';

/** Why there is no connection. */
export interface ConnectionError {
  readonly at: AttemptEnd['at'];
  /**
   * `too-long-packet`, `qos-2`: see `packet-guard.ts`; `refused-N`: the broker's reason; `no-receipts`: it acknowledges
   * nothing; `client-certificate`: it refuses the kiosk's, or that there is none.
   */
  readonly code: string;
  readonly message: string;
}

export interface ConnectionListener {
  /** Never called after `onEnded`. */
  onConnected(): void;
  /** The next message is read, and this one acknowledged, only after this resolves. It must never reject. */
  onMessage(topic: string, payload: Uint8Array): Promise<void>;
  /** Called once: the connection could not be made, or it closed. */
  onEnded(error: ConnectionError): void;
}

export type BrokerConnection = ReturnType<typeof connectToBroker>;

export interface ConnectionParts {
  readonly open: OpenToOperator;
  readonly clientId: string;
  readonly username: string | null;
  readonly password: Secret | null;
  readonly schedule: Schedule;
}

export interface ConnectionPlan {
  readonly address: BrokerAddress;
  readonly version: MqttVersion;
  readonly will: { readonly topic: string; readonly payload: string };
  /** Clean start: the broker discards the session that it stored for this kiosk. */
  readonly isFresh: boolean;
}

/** Connects to a broker once. Never throws: any error only closes this connection and calls `onEnded`. */
export function connectToBroker(parts: ConnectionParts, plan: ConnectionPlan, listener: ConnectionListener) {
  const { address, version } = plan;
  const calledOff = new AbortController();
  const noReceipts = () =>
    end({
      at: 'refused',
      code: 'no-receipts',
      message: 'the broker leaves a message or a subscription without a receipt',
    });
  const receipts = createReceipts(parts.schedule, noReceipts);
  let client: MqttClient | null = null;
  let isConnected = false;
  let hasEnded = false;
  let cancelWait = () => {};
  /** The first error is the cause; later ones only report that the stream closed. */
  let why: ConnectionError | null = null;

  function ended(error: ConnectionError): void {
    if (hasEnded) return;
    hasEnded = true;
    cancelWait();
    receipts.end(new Error(error.message));
    listener.onEnded(error);
  }

  function end(error: ConnectionError): void {
    why ??= error;
    client?.end(true);
  }

  function begin(socket: Duplex): void {
    cancelWait = parts.schedule(CONNECT_MS, () =>
      end({
        at: 'network',
        code: 'timeout',
        message: `the broker gave no answer within ${CONNECT_MS / 1_000} s`,
      }),
    );
    const failed = (error: Error) => end(errorOf(error, version, isConnected));
    // The library passes on errors of the stream only if they have a code.
    const stream = () => guarded(streamOver(socket, address), version).on('error', failed);
    client = new MqttClient(stream, optionsOf(parts, plan));
    client.on('error', failed);
    client.on('disconnect', ({ reasonCode = 0 }) => {
      if (reasonCode >= FIRST_ERROR) end(refusedBy(reasonCode));
    });
    client.on('connect', () => {
      // The library may emit it after `error` or `close`, if an invalid packet follows the broker's CONNACK.
      if (hasEnded || why !== null) return;
      isConnected = true;
      cancelWait();
      listener.onConnected();
    });
    client.on('close', () => ended(why ?? closedBy(isConnected)));
    client.handleMessage = (packet, done) => {
      if (packet.cmd !== 'publish') return done();
      const { topic, payload } = packet;
      void listener
        .onMessage(topic, typeof payload === 'string' ? Buffer.from(payload) : payload)
        .then(() => done());
    };
  }

  async function connect(): Promise<void> {
    const deadline = startDeadline(CONNECT_MS, parts.schedule, calledOff.signal);
    const { host, port, isSecure, isWebSocket } = address;
    try {
      const socket = await parts.open({ host, port, isSecure, isHttp: isWebSocket }, deadline.signal);
      if (calledOff.signal.aborted) socket.destroy();
      else begin(socket);
    } catch (error) {
      ended(notReached(error));
    } finally {
      deadline.release();
    }
  }
  void connect();

  return {
    /** Publishes with QoS 1: resolves at the broker's receipt. Rejects if the connection closes before that. */
    async publish(topic: string, payload: string, retain: boolean): Promise<void> {
      const open = client;
      if (open === null || !isConnected || hasEnded) throw new Error('there is no connection');
      const { receiveMaximum = 0xffff, maximumPacketSize = Number.POSITIVE_INFINITY } =
        open.serverProperties ?? {};
      const length = Buffer.byteLength(topic) + Buffer.byteLength(payload) + MAX_PUBLISH_HEADER;
      if (length > maximumPacketSize)
        throw Object.assign(new Error(`the broker takes at most ${maximumPacketSize} bytes`), {
          code: TOO_LONG_MESSAGE,
        });
      const send = (onReceipt: PacketCallback) =>
        void open.publish(topic, payload, { qos: 1, retain }, onReceipt);
      await receipts.of(send, receiveMaximum);
    },
    /** One packet for each topic: brokers take few in one (AWS IoT Core: eight), and only so is it known which they refuse. */
    subscribe(topics: readonly string[]): void {
      for (const topic of topics) {
        const cancel = parts.schedule(MAX_RECEIPT_MS, noReceipts);
        client?.subscribe(topic, { qos: 1 }, (error) => {
          cancel();
          if (!error) return;
          const message = `the broker refuses the topic ${topic}: ${messageOf(error)}`;
          end({ at: 'refused', code: 'refused-topics', message });
        });
      }
    },
    /** Waits at most a second for receipts, then disconnects in order, so that no last will is published. */
    async end(): Promise<void> {
      calledOff.abort();
      const ending = client;
      if (ending === null || hasEnded) return;
      const deadline = startDeadline(END_MS, parts.schedule);
      const inOrder = () => receipts.all().then(() => ending.endAsync());
      await beforeDeadline(deadline, inOrder).catch(() => ending.end(true));
    },
  };
}

/** The library adds the WebSocket layer where it is needed; the socket below is always ours. */
function streamOver(socket: Duplex, address: BrokerAddress): Duplex {
  if (!address.isWebSocket) return socket;
  const { host, port, path } = address;
  // 'ws', not 'wss', because the socket is connected and secured already. The library does not use the client here.
  return openWebSocket(undefined as never, {
    protocol: 'ws',
    hostname: host,
    port,
    path,
    protocolId: 'MQTT',
    protocolVersion: 4,
    wsOptions: {
      createConnection: () => socket,
      maxPayload: MAX_PACKET_BYTES,
      perMessageDeflate: false,
      handshakeTimeout: LIBRARY_MS,
    },
  }) as unknown as Duplex;
}

function optionsOf({ clientId, username, password }: ConnectionParts, plan: ConnectionPlan): IClientOptions {
  const { version, will, isFresh } = plan;
  return {
    protocolId: 'MQTT',
    protocolVersion: version,
    clientId,
    clean: isFresh,
    keepalive: KEEP_ALIVE_SECONDS,
    connectTimeout: LIBRARY_MS,
    // `link-attempts.ts` decides when to reconnect.
    reconnectPeriod: 0,
    resubscribe: false,
    ...(username !== null && { username }),
    ...(password !== null && { password: password.reveal() }),
    will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true },
    ...(version === 5 && {
      properties: {
        sessionExpiryInterval: SESSION_SECONDS,
        receiveMaximum: 20,
        maximumPacketSize: MAX_PACKET_BYTES,
      },
    }),
  };
}

function errorOf(error: Error, version: MqttVersion, isConnected: boolean): ConnectionError {
  const code = 'code' in error ? error.code : null;
  const message = error.message.slice(0, 300);
  const refused = certificateRefused(error);
  if (refused !== null) return refused;
  if (typeof code === 'string' && GUARD_CODES.has(code)) return { at: 'network', code, message };
  // A frame of WebSocket that is too long: the guard sees nothing of it.
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return { at: 'network', code: 'too-long-packet', message };
  if (typeof code === 'number' && !isConnected) {
    // Codes below 128 come from a broker of MQTT 3.1.1; 132 (version 5) and 1 (3.1.1): unsupported version.
    const isOfVersion = version === 5 ? code < 128 || code === 132 : code === 1;
    return { at: isOfVersion ? 'version' : 'refused', code: `refused-${code}`, message };
  }
  // The library's words for an answer to a ping that is missing.
  if (message === 'Keepalive timeout')
    return { at: 'network', code: 'timeout', message: 'nothing came from the broker any more' };
  const isOfSystem = typeof code === 'string' && !code.startsWith('WS_ERR');
  return {
    at: isConnected ? 'network' : 'handshake',
    code: isOfSystem ? 'connection' : 'protocol',
    message,
  };
}

/** A DISCONNECT of the broker (MQTT 5, 3.14.2.1). */
function refusedBy(reason: number): ConnectionError {
  const words = (ReasonCodes as Readonly<Record<number, string>>)[reason] ?? `reason ${reason}`;
  return { at: 'refused', code: `refused-${reason}`, message: `the broker ended the connection: ${words}` };
}

const closedBy = (isConnected: boolean): ConnectionError => ({
  at: isConnected ? 'network' : 'handshake',
  code: 'closed',
  message: 'the broker closed the connection',
});

/** Null: the error says nothing about the kiosk's certificate. */
function certificateRefused(error: unknown): ConnectionError | null {
  const words = errorWords(error);
  if (!isCertificateRefused(words)) return null;
  const message = `the broker refuses the kiosk's certificate, or that it shows none (${systemCode(words)})`;
  return { at: 'refused', code: 'client-certificate', message };
}

function notReached(error: unknown): ConnectionError {
  const refused = error instanceof SendError && error.code === 'tls' ? certificateRefused(error) : null;
  if (refused !== null) return refused;
  const code = error instanceof SendError ? error.code : 'connection';
  return { at: 'network', code, message: messageOf(error).slice(0, 300) };
}
