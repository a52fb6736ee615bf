import { type Clock, instant } from '../../../shared/clock';
import type { Schedule } from '../../schedule';
import type { KnownFacts } from '../../status/status-board';
import type { AnnouncementStore } from './announcement';
import type { BlockList } from './block-list';
import {
  type MachineInventory,
  nowMessage,
  type PublishingKiosk,
  proofMessage,
  stateMessage,
} from './build-messages';
import type { InventoryMessage } from './messages';
import type { Publisher } from './publisher';
import type { FleetTopics } from './topics';

/** How often the messages are made, ms. No retained topic gets messages more often over one connection. */
const LOOK_MS = 1_000;
/** How often an unchanged state is repeated, and the machine's inventory is read, ms. */
const REPEAT_MS = 300_000;
/** Shortest time between two proof messages, ms: the number of waiting plays changes with every play. */
const PROOF_MS = 30_000;

export interface StatusParts {
  readonly publishingKiosk: PublishingKiosk;
  readonly publicKey: string;
  readonly machine: () => MachineInventory;
  readonly told: () => KnownFacts;
  readonly correctionMs: () => number;
  readonly blocks: Pick<BlockList, 'versions'>;
  readonly announcement: Pick<AnnouncementStore, 'current'>;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly schedule: Schedule;
}

/** Publishes the kiosk's status when it changes. `onLook`: called every second, before the status is read. */
export function publishStatus(parts: StatusParts, topics: FleetTopics, onLook: () => void) {
  const { publishingKiosk, publisher, clock } = parts;
  let cancelLook = () => {};
  let repeatAt = clock.monotonic() + REPEAT_MS;
  let inventory = inventoryNow();

  function inventoryNow(): InventoryMessage {
    const { publicKey } = parts;
    return { kiosk: publishingKiosk.kiosk, at: instant(clock.now()), publicKey, ...parts.machine() };
  }

  function look(): void {
    cancelLook();
    cancelLook = parts.schedule(LOOK_MS, look);
    if (clock.monotonic() >= repeatAt) {
      repeatAt = clock.monotonic() + REPEAT_MS;
      inventory = inventoryNow();
      publisher.repeat(topics.state);
    }
    onLook();
    const told = parts.told();
    const now = clock.now();
    const state = stateMessage(publishingKiosk, told, parts.blocks.versions(), parts.correctionMs(), now);
    publisher.retain(topics.state, state);
    const isAnnouncing = parts.announcement.current() !== null;
    publisher.retain(topics.now, nowMessage(publishingKiosk, told, isAnnouncing, now));
    publisher.retain(topics.proof, proofMessage(publishingKiosk, told.proof, now), PROOF_MS);
    publisher.retain(topics.inventory, inventory);
  }

  look();
  return {
    /** Publishes all of it now, if the connection is new. */
    look,
    end: () => cancelLook(),
  };
}
