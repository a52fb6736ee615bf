import { randomBytes } from 'node:crypto';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import mqtt, { type IClientOptions, type IClientPublishOptions, type MqttClient } from 'mqtt';
import { errorCode, messageOf } from '../describe-error';
import { errorWords, isCertificateRefused } from '../egress/send-error';
import { type ServiceErrorCode, tlsCode } from '../service/service-error';
import { type BrokerAddress, brokerName, brokerScheme } from '../settings/broker-address';
import { CommandError } from './command-result';

/** Most bytes of a message besides its topic and payload: fixed header, packet id, and the properties that are sent. */
const MAX_HEADER_BYTES = 24;

export interface FleetAccess {
  /** Nodes of one broker. */
  readonly brokers: readonly BrokerAddress[];
  /** Who the operator is to the broker, and which CA it has besides the usual ones. */
  readonly login: Pick<IClientOptions, 'username' | 'password' | 'ca' | 'cert' | 'key'>;
}

/** How long it must be quiet until a series of messages counts as complete, and how long an answer may take, ms. */
export const FLEET_QUIET = {
  /** Answer to a try to connect. */
  connectMs: 10_000,
  /** Retained messages: MQTT does not say which one is the last. */
  retainedMs: 700,
  /** Changes of blocks: after this an operator sees whether another one, who had not seen its change, overwrote it. */
  blocksMs: 1_000,
  /** Receipt of the broker for what was sent. In this time a cluster chooses a leader. */
  receiptMs: 30_000,
  /** Until a command that follows the fleet tries a lost connection again. */
  againMs: 1_000,
};
export type FleetQuiet = Readonly<typeof FLEET_QUIET>;

/** Longest packet that a broker may send; a screenshot is the longest answer, bytes. */
const MAX_PACKET_BYTES = 4 * 1024 * 1024;
/**
 * MQTT's return codes for a wrong user or password, or a missing right: 4 and 5 in MQTT 3.1.1, 134 and 135 in MQTT 5.
 */
const NOT_ALLOWED: readonly number[] = [4, 5, 134, 135];

/** Connects to the first broker that answers, with MQTT 5, else with 3.1.1. Rejects when `ended` is aborted. */
export async function connectToFleet(
  access: FleetAccess,
  quiet: Omit<FleetQuiet, 'blocksMs'>,
  ended: AbortSignal,
): Promise<FleetConnection> {
  const tried: FailedTry[] = [];
  for (const [index, broker] of access.brokers.entries()) {
    for (const version of [5, 4] as const) {
      try {
        const order = [...access.brokers.slice(index), ...access.brokers.slice(0, index)];
        const client = await opened(broker, order, access.login, version, quiet.connectMs, ended);
        return connectionOf(client, brokerName(broker), quiet, ended);
      } catch (error) {
        if (ended.aborted) throw new CommandError('ended before a broker answered');
        const code = error instanceof Error && 'code' in error ? error.code : null;
        if (typeof code === 'number' && NOT_ALLOWED.includes(code))
          throw new CommandError(
            `${brokerName(broker)}: the broker refuses the user, password or certificate. Check --username, --password-file, --cert-file and --key-file`,
          );
        if (version === 4 || errorCode(error) !== null) {
          const said = `${brokerName(broker)}: ${errorCode(error) ?? messageOf(error)}`;
          tried.push({ said, advice: adviceOf(errorWords(error)) });
          break;
        }
      }
    }
  }
  const advice = [...new Set(tried.map((failed) => failed.advice))].join('. ');
  throw new CommandError(
    `expected a broker that answers, got ${tried.map(({ said }) => said).join('; ')}. ${advice}`,
  );
}

interface FailedTry {
  /** The broker and its error. */
  readonly said: string;
  /** What to check. */
  readonly advice: string;
}

/** What is shown of a broker that closed the connection and gave no reason. */
const CLOSED = 'it closed the connection';

/** What to check of a broker's certificate. */
const CERTIFICATE_ADVICE: Partial<Record<ServiceErrorCode, string>> = {
  'certificate-date':
    "The broker's certificate has ended or is not valid yet. Check it, and the clock of this machine",
  'certificate-name': "The broker's certificate is for another name. Check the host in --broker",
  'unknown-ca':
    "A CA that you do not trust issued the broker's certificate. Check --ca-file: it has to hold that CA",
};

/** What to check of a connection, by the words of the error; the first one counts. */
const ADVICE: ReadonlyArray<readonly [RegExp, string]> = [
  [/ECONNREFUSED/, 'No broker listens there. Check the host and the port in --broker'],
  [/ENOTFOUND|EAI_AGAIN/, "The host's name is not known. Check its spelling in --broker, and your DNS"],
  [
    new RegExp(`ECONNRESET|EPROTO|WRONG_VERSION_NUMBER|${CLOSED}`),
    'Where the broker listens with TLS, use mqtts: or wss:, else mqtt: without TLS or ws:. Check --broker',
  ],
];

const adviceOf = (words: string): string =>
  isCertificateRefused(words)
    ? 'The broker refuses your certificate, or that you show none. Check --cert-file and --key-file'
    : (CERTIFICATE_ADVICE[tlsCode(words)] ??
      ADVICE.find(([pattern]) => pattern.test(words))?.[1] ??
      'Check --broker and your network');

/** The client, after its first connection. */
async function opened(
  broker: BrokerAddress,
  order: FleetAccess['brokers'],
  login: FleetAccess['login'],
  protocolVersion: 5 | 4,
  connectTimeout: number,
  ended: AbortSignal,
): Promise<MqttClient> {
  ended.throwIfAborted();
  const options: IClientOptions = {
    servers: order.map((each) => ({
      host: each.host.replace(/^\[|\]$/g, ''),
      port: each.port,
      protocol: brokerScheme(each),
    })),
    // Without this, the library ignores the path, and refuses a certificate.
    protocol: brokerScheme(broker),
    ...(broker.isWebSocket ? { path: broker.path } : {}),
    clientId: `endcap-fleet-${randomBytes(8).toString('hex')}`,
    protocolVersion,
    clean: true,
    keepalive: 30,
    connectTimeout,
    reconnectPeriod: 0,
    // `follow` subscribes again: only so is it known whether the broker accepts that.
    resubscribe: false,
    ...(protocolVersion === 5 ? { properties: { maximumPacketSize: MAX_PACKET_BYTES } } : {}),
    ...login,
  };
  const client = mqtt.connect(options);
  const trying = new AbortController();
  try {
    await new Promise<void>((resolve, reject) => {
      ended.addEventListener('abort', reject, { once: true, signal: trying.signal });
      client.once('connect', () => resolve());
      client.once('error', reject);
      client.once('close', () => reject(new Error(CLOSED)));
    });
  } catch (error) {
    client.end(true);
    throw error;
  } finally {
    trying.abort();
  }
  return client;
}

export type FleetConnection = ReturnType<typeof connectionOf>;

type TakeMessage = (topic: string, payload: Uint8Array) => void;

function connectionOf(
  client: MqttClient,
  broker: string,
  { retainedMs, receiptMs, againMs }: Omit<FleetQuiet, 'blocksMs'>,
  ended: AbortSignal,
) {
  let lastRetainedAt = performance.now();
  let isReceiptMissing = false;
  const losing = new AbortController();
  const lost = losing.signal;
  /**
   * Whether the broker has not answered in time, or before the connection was lost or the command ended. Without a
   * limit, a command to a broker that went away would wait for ever, even after Ctrl+C.
   */
  async function isMissing(receipt: Promise<unknown>): Promise<boolean> {
    const waiting = new AbortController();
    const signal = AbortSignal.any([ended, lost, waiting.signal]);
    const late = wait(receiptMs, true, { signal }).catch(() => true);
    const received = receipt.then(
      () => false,
      (error: unknown) => {
        // The library rejects what waited for the broker.
        if (lost.aborted) return true;
        throw error;
      },
    );
    isReceiptMissing = (await Promise.race([received, late]).finally(() => waiting.abort())) || ended.aborted;
    return isReceiptMissing;
  }
  const until = () => {
    if (ended.aborted) return 'before the command was ended';
    return lost.aborted ? `before the connection to ${broker} was lost` : `within ${receiptMs / 1_000} s`;
  };
  const askFor = (topics: readonly string[]) => client.subscribeAsync([...topics], { qos: 1 });
  async function subscribe(topics: readonly string[], take: TakeMessage): Promise<void> {
    client.on('message', take);
    const granted = askFor(topics).catch(() => {
      throw new CommandError(
        `the broker refuses the subscription to ${topics.join(', ')}. ${RIGHTS}. A cluster that has just lost a node accepts it some seconds later`,
      );
    });
    if (await isMissing(granted))
      throw new CommandError(
        `the broker has not answered the subscription to ${topics.join(', ')} ${until()}. Check the broker, then try again`,
      );
    lastRetainedAt = performance.now();
  }
  // `close` reports a broken connection. Without a listener, an `error` event would be thrown.
  client.on('error', () => {});
  client.on('close', () => losing.abort());
  client.on('message', (_topic, _payload, packet) => {
    if (packet.retain) lastRetainedAt = performance.now();
  });
  return {
    broker,
    /** Aborted when the connection is lost for the first time. */
    lost,
    /** Resolves when the broker has accepted the subscription; `take` gets retained messages first. */
    subscribe,
    /**
     * Subscribes, and does so again on a new connection whenever the connection is lost. Calls `told` when it is lost and
     * when it is back, once each, however many tries lie between.
     */
    async follow(topics: readonly string[], take: TakeMessage, told: (isLost: boolean) => void) {
      await subscribe(topics, take);
      client.options.reconnectPeriod = againMs;
      let wasLost = false;
      const tell = (isLost: boolean) => {
        if (isLost === wasLost || ended.aborted) return;
        wasLost = isLost;
        told(isLost);
      };
      client.on('close', () => tell(true));
      // A cluster that has just lost a node refuses subscriptions for some seconds.
      const tryAgain = () => client.stream.destroy();
      client.on('connect', () => void askFor(topics).then(() => tell(false), tryAgain));
    },
    /** Resolves when the broker has acknowledged the message (QoS 1). MQTT 3.1.1 has no `properties`. */
    async publish(
      topic: string,
      payload: string,
      options: Pick<IClientPublishOptions, 'retain' | 'properties'>,
    ) {
      // The broker would only close the connection, and nobody would know why.
      const most = client.serverProperties?.maximumPacketSize ?? Number.POSITIVE_INFINITY;
      if (Buffer.byteLength(topic) + Buffer.byteLength(payload) + MAX_HEADER_BYTES > most)
        throw new CommandError(
          `the broker takes at most ${most} bytes, and what is sent to ${topic} is longer. Raise its limit, or send less`,
        );
      const receipt = client.publishAsync(topic, payload, { qos: 1, ...options }).catch((error: unknown) => {
        throw new CommandError(
          `the broker refuses what is sent to ${topic} (${messageOf(error)}). ${RIGHTS}`,
        );
      });
      if (await isMissing(receipt))
        throw new CommandError(
          `the broker has not acknowledged what was sent to ${topic} ${until()}, but may have passed it on. Check the broker, then what the kiosks do`,
        );
    },
    /** Resolves when no retained message has come for a while; a busy fleet's other messages do not count. */
    async settled() {
      for (;;) {
        if (ended.aborted) throw new CommandError('ended before all messages of the broker came');
        if (lost.aborted)
          throw new CommandError(
            `the connection to ${broker} was lost before all of its messages came. Check the broker, then try again`,
          );
        const left = lastRetainedAt + retainedMs - performance.now();
        if (left <= 0) return;
        await waitAndRead(Math.max(1, left));
      }
    },
    // An orderly end would wait for the broker.
    close: () => client.endAsync(isReceiptMissing || !client.connected),
  };
}

/**
 * Waits, and lets pending input be read. After the machine stood still, a timer fires before the messages that came
 * meanwhile are read.
 */
export async function waitAndRead(ms: number): Promise<void> {
  await wait(ms);
  await setImmediate();
}

const RIGHTS = "Look at the broker's access rules for this user";
