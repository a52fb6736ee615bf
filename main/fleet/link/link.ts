import { type Clock, instant } from '../../../shared/clock';
import type { Log } from '../../../shared/log';
import { type BrokerAddress, brokerName } from '../../settings/broker-address';
import type { Tell } from '../../status/facts';
import type { KnownFacts } from '../../status/status-board';
import type { AnnouncementStore } from './announcement';
import type { BlockList } from './block-list';
import { type BrokerConnection, type ConnectionParts, connectToBroker } from './broker-connection';
import {
  type MachineInventory,
  nowMessage,
  offlineMessage,
  type PublishingKiosk,
  proofMessage,
  stateMessage,
} from './build-messages';
import type { CommandHandler } from './command-handler';
import type { Discovery } from './home-assistant';
import { type Attempt, firstAttempt, nextAttempt } from './link-attempts';
import type { InventoryMessage } from './messages';
import { GUARD_CODES } from './packet-guard';
import type { Publisher } from './publisher';
import type { LinkReport } from './report-link';
import { type Addressee, addressTopic, fleetTopics } from './topics';

/** How often the status is checked for changes, ms. No retained topic gets messages more often. */
const LOOK_MS = 1_000;
/** How often an unchanged state is repeated, and the machine's inventory is read, ms. */
const REPEAT_MS = 300_000;
/** Shortest time between two proof messages, ms: the number of waiting plays changes with every play. */
const PROOF_MS = 30_000;
/** Pause after each message from a broker, ms. */
const TAKEN_PAUSE_MS = 5;

const INCOMING = ['command', 'blocks'] as const;
type Incoming = (typeof INCOMING)[number];

export interface LinkParts extends Pick<ConnectionParts, 'open' | 'username' | 'password' | 'schedule'> {
  readonly brokers: readonly BrokerAddress[];
  readonly topicPrefix: string;
  readonly addressees: readonly Addressee[];
  readonly publishingKiosk: PublishingKiosk;
  readonly publicKey: string;
  readonly machine: () => MachineInventory;
  readonly told: () => KnownFacts;
  readonly correctionMs: () => number;
  readonly blocks: Pick<BlockList, 'versions'>;
  readonly announcement: Pick<AnnouncementStore, 'current'>;
  readonly publisher: Publisher;
  readonly announceToHomeAssistant: Discovery;
  readonly commandHandler: Pick<CommandHandler, Incoming>;
  readonly report: LinkReport;
  readonly clock: Clock;
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
  const world = { brokers: brokers.length, random: parts.random };
  let connection: BrokerConnection | null = null;
  /** Monotonic time, ms; null: not connected. */
  let connectedAt: number | null = null;
  let isStopped = false;
  let cancelWait = () => {};
  let cancelLook = () => {};
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
          report.connected(version);
          mine.subscribe([...incoming.keys()]);
          tellAll();
          publisher.connected(mine.publish);
          void parts.announceToHomeAssistant(mine.publish);
        },
        onMessage: (topic, payload) => received(mine, topic, payload),
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

  async function received(from: BrokerConnection, topic: string, payload: Uint8Array): Promise<void> {
    parts.tell({ kind: 'fleet-message', result: 'received' });
    const kind = incoming.get(topic);
    // A topic of a group that the kiosk has left: the broker still has the subscription.
    if (kind === undefined) from.unsubscribe(topic);
    else await parts.commandHandler[kind](payload);
    // Limits how fast a flooding broker is read: later messages wait at the broker.
    await new Promise<void>((resolve) => void schedule(TAKEN_PAUSE_MS, resolve));
  }

  let toldBefore: KnownFacts | null = null;
  let repeatAt = clock.monotonic() + REPEAT_MS;

  function tellAll(): void {
    const told = parts.told();
    const now = clock.now();
    const versions = parts.blocks.versions();
    const correction = parts.correctionMs();
    publisher.retain(topics.state, stateMessage(publishingKiosk, told, versions, correction, now), [
      'at',
      'clockCorrectionMs',
    ]);
    const isAnnouncing = parts.announcement.current() !== null;
    publisher.retain(topics.now, nowMessage(publishingKiosk, told, isAnnouncing, now), ['at']);
    publisher.retain(topics.proof, proofMessage(publishingKiosk, told.proof, now), ['at'], PROOF_MS);
    if (toldBefore === null || clock.monotonic() >= repeatAt) {
      const at = instant(now);
      const inventory = { kiosk: publishingKiosk.kiosk, at, publicKey: parts.publicKey, ...parts.machine() };
      publisher.retain(topics.inventory, inventory satisfies InventoryMessage, ['at']);
    }
    toldBefore = told;
  }

  function look(): void {
    cancelLook = schedule(LOOK_MS, look);
    const isRepeated = clock.monotonic() >= repeatAt;
    // The status is immutable: an equal reference means that nothing changed.
    if (!isRepeated && parts.told() === toldBefore) return;
    tellAll();
    if (!isRepeated) return;
    repeatAt = clock.monotonic() + REPEAT_MS;
    publisher.repeat(topics.state);
    report.look();
  }

  prepare(firstAttempt(world));
  look();
  return {
    /** Publishes that the kiosk is offline, and disconnects in order. */
    async dispose(): Promise<void> {
      cancelLook();
      cancelWait();
      isStopped = true;
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
