import type { Log } from '../../../shared/log';
import { beforeDeadline, startDeadline } from '../../deadline';
import { type BrokerAddress, brokerName } from '../../settings/broker-address';
import type { Tell } from '../../status/facts';
import { type BrokerConnection, type ConnectionParts, connectToBroker } from './broker-connection';
import { offlineMessage } from './build-messages';
import type { CommandHandler } from './command-handler';
import type { Discovery } from './home-assistant';
import { type Attempt, firstAttempt, nextAttempt } from './link-attempts';
import { GUARD_CODES } from './packet-guard';
import { publishStatus, type StatusParts } from './publish-status';
import type { LinkReport } from './report-link';
import { type Addressee, addressTopic, fleetTopics } from './topics';

/** Pause after each message from a broker, ms. */
const TAKEN_PAUSE_MS = 5;
/** Longest wait at the end for the receipts of answers, ms. */
const ANSWERS_MS = 1_000;

const INCOMING = ['command', 'blocks'] as const;
type Incoming = (typeof INCOMING)[number];

export interface LinkParts
  extends StatusParts,
    Pick<ConnectionParts, 'open' | 'username' | 'password' | 'schedule'> {
  readonly brokers: readonly BrokerAddress[];
  readonly topicPrefix: string;
  readonly addressees: readonly Addressee[];
  readonly announceToHomeAssistant: Discovery;
  readonly commandHandler: Pick<CommandHandler, Incoming>;
  /** Called at each connection, before a message of it is taken. */
  readonly onConnected: () => void;
  readonly report: LinkReport;
  readonly random: () => number;
  readonly tell: Tell;
  readonly log: Log;
}

/** Keeps a connection to one of the brokers, publishes the kiosk's status, and passes on commands and blocks. */
export function startFleetLink(parts: LinkParts) {
  const { publishingKiosk, brokers, publisher, report, clock, schedule, log } = parts;
  const topics = fleetTopics(parts.topicPrefix, publishingKiosk.kiosk);
  /** The topics to subscribe to, and the kind of document that each carries. */
  const incoming: ReadonlyMap<string, Incoming> = new Map(
    parts.addressees.flatMap((to) =>
      INCOMING.map((kind) => [addressTopic(parts.topicPrefix, to, kind), kind]),
    ),
  );
  const status = publishStatus(parts, topics, report.look);
  const world = { brokers: brokers.length, random: parts.random };
  let connection: BrokerConnection | null = null;
  /** Monotonic time, ms; null: not connected. */
  let connectedAt: number | null = null;
  let isStopped = false;
  let cancelWait = () => {};
  /** The session stored at the broker holds a packet that is not taken: the next connection discards that session. */
  let isFresh = false;

  function prepare(attempt: Attempt): void {
    cancelWait = schedule(attempt.waitMs, () => connect(attempt));
  }

  function connect(attempt: Attempt): void {
    const { version } = attempt;
    const address = brokers[attempt.broker];
    if (address === undefined) return;
    report.trying(address);
    const payload = JSON.stringify(offlineMessage(publishingKiosk, clock.now()));
    const mine = connectToBroker(
      { ...parts, clientId: `endcap-${publishingKiosk.kiosk}` },
      { address, version, will: { topic: topics.state, payload }, isFresh },
      {
        onConnected() {
          if (isStopped) return;
          isFresh = false;
          connectedAt = clock.monotonic();
          log.info('the live link is connected', { broker: brokerName(address), mqtt: version });
          parts.onConnected();
          report.connected(version);
          mine.subscribe([...incoming.keys()]);
          publisher.connected(mine.publish);
          status.look();
          void parts.announceToHomeAssistant(mine.publish);
        },
        onMessage: received,
        onEnded(error) {
          if (isStopped) return;
          const connectedMs = connectedAt === null ? null : clock.monotonic() - connectedAt;
          connectedAt = null;
          publisher.connected(null);
          if (GUARD_CODES.has(error.code)) isFresh = true;
          log.warn('the live link has no connection', { broker: brokerName(address), ...error });
          report.failed(error);
          prepare(nextAttempt(attempt, { at: error.at, connectedMs }, world));
        },
      },
    );
    connection = mine;
  }

  async function received(topic: string, payload: Uint8Array): Promise<void> {
    parts.tell({ kind: 'fleet-message', result: 'received' });
    // Undefined: a topic of a group that the kiosk has left. The session stored at the broker still has the subscription.
    const kind = incoming.get(topic);
    if (kind === 'command') await parts.commandHandler.command(payload);
    else if (kind === 'blocks') report.blocks(topic, await parts.commandHandler.blocks(payload));
    // Limits how fast a flooding broker is read: later messages wait at the broker.
    await new Promise<void>((resolve) => void schedule(TAKEN_PAUSE_MS, resolve));
  }

  prepare(firstAttempt(world));
  return {
    /** Publishes that the kiosk is offline, and disconnects in order. */
    async dispose(): Promise<void> {
      status.end();
      cancelWait();
      isStopped = true;
      // The answer to the command that ends this process may wait for the receipt of the one before it.
      await beforeDeadline(startDeadline(ANSWERS_MS, schedule), publisher.answersSent).catch(() => {});
      publisher.connected(null);
      if (connectedAt !== null) {
        // After an orderly disconnect the broker does not publish the last will.
        const payload = JSON.stringify(offlineMessage(publishingKiosk, clock.now()));
        void connection?.publish(topics.state, payload, true).catch(() => {});
      }
      await connection?.end();
    },
  };
}
