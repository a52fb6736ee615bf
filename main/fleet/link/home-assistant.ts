import { readFile } from 'node:fs/promises';
import type { Log } from '../../../shared/log';
import { createWholeFile } from '../../whole-file';
import type { StateMessage } from './messages';
import type { Send } from './publisher';
import type { Teller } from './told';
import type { FleetTopics } from './topics';

/** Home Assistant looks here unless it is told otherwise. */
const PREFIX = 'homeassistant';

/** A level of its own for the kiosk's name, so that a broker's access rules can hold it to that. */
const discoveryTopic = (kiosk: string) => `${PREFIX}/device/${kiosk}/endcap/config`;

const STATES: readonly NonNullable<StateMessage['state']>[] = [
  ...(['starting', 'playing', 'paused', 'closed', 'held', 'no-content', 'attention'] as const),
];

/**
 * The kiosk as a device of Home Assistant (MQTT device discovery, from its version 2024.11 on): entities that show what
 * the retained topics say. None takes commands, because Home Assistant cannot sign them (rule 30).
 */
export function discoveryDocument(
  { kiosk, store, versions }: Teller,
  topics: FleetTopics,
  hostName: string,
): object {
  const { storeId, zone, screenId } = store;
  const name = [storeId, zone, screenId].filter((part) => part !== null).join(' ') || hostName;
  const available = {
    availability: [
      { topic: topics.state, value_template: "{{ 'online' if value_json.online else 'offline' }}" },
    ],
  };
  /** @param attributes of the topic's message, as a template */
  const entity = (
    id: string,
    platform: string,
    label: string,
    topic: string,
    value: string,
    attributes?: string,
  ) => ({
    platform,
    unique_id: `endcap_${kiosk}_${id}`,
    name: label,
    state_topic: topic,
    value_template: `{{ ${value} }}`,
    ...(attributes !== undefined && {
      json_attributes_topic: topic,
      json_attributes_template: `{{ (${attributes}) | tojson }}`,
    }),
  });
  return {
    device: {
      identifiers: [`endcap_${kiosk}`],
      name,
      manufacturer: 'Endcap',
      model: 'Kiosk',
      serial_number: kiosk,
      sw_version: versions.endcap,
      ...(storeId !== null && { suggested_area: storeId }),
    },
    origin: { name: 'Endcap', sw_version: versions.endcap },
    components: {
      state: {
        ...entity(
          'state',
          'sensor',
          'State',
          topics.state,
          'value_json.state',
          "{'sentence': value_json.sentence}",
        ),
        ...available,
        device_class: 'enum',
        options: STATES,
        icon: 'mdi:television-play',
      },
      problem: {
        ...entity(
          ...(['problem', 'binary_sensor', 'Problem', topics.state] as const),
          "'ON' if value_json.problems else 'OFF'",
          "{'problems': value_json.problems}",
        ),
        ...available,
        device_class: 'problem',
      },
      connection: {
        ...entity(
          ...(['connection', 'binary_sensor', 'Connection', topics.state] as const),
          "'ON' if value_json.online else 'OFF'",
        ),
        device_class: 'connectivity',
        entity_category: 'diagnostic',
      },
      now: {
        ...entity(
          ...(['now', 'sensor', 'On the screen', topics.now] as const),
          "value_json.now.kind if value_json.now else 'nothing'",
          'value_json.now or {}',
        ),
        ...available,
        icon: 'mdi:image-outline',
      },
      proof: {
        ...entity('proof', 'sensor', 'Plays waiting', topics.proof, 'value_json.waiting'),
        ...available,
        state_class: 'measurement',
        entity_category: 'diagnostic',
      },
      version: {
        ...entity(
          ...(['version', 'sensor', 'Version', topics.inventory] as const),
          'value_json.versions.endcap',
          "{'os': value_json.os, 'addresses': value_json.addresses, 'versions': value_json.versions}",
        ),
        ...available,
        entity_category: 'diagnostic',
      },
    },
  };
}

/** Tells Home Assistant of this kiosk, or takes back what it was told. */
export interface Discovery {
  /** To be called at each new connection. Never rejects: where it fails the next connection tries again. */
  connected(send: Send): Promise<void>;
}

/** @param parts.note a file that says under which topic it was told, so that it can be taken back after a restart */
export function announceToHomeAssistant(parts: {
  readonly isOn: boolean;
  readonly kiosk: string;
  readonly document: () => object;
  readonly note: string;
  readonly log: Log;
}): Discovery {
  const { isOn, kiosk, document, log } = parts;
  const file = createWholeFile(parts.note, 0o600);

  async function tell(send: Send): Promise<void> {
    const topic = discoveryTopic(kiosk);
    const told = await readTopic(parts.note);
    // Of a key that this kiosk had before, or of a switch that is off by now.
    if (told !== null && (!isOn || told !== topic)) {
      await send(told, '', true);
      await file.remove();
    }
    if (!isOn) return;
    // Before it is sent: what is not noted is not taken back.
    await file.write(`${JSON.stringify({ topic })}\n`);
    await send(topic, JSON.stringify(document()), true);
  }

  return {
    connected: (send) =>
      tell(send).catch((error: unknown) => log.warn('Home Assistant could not be told', { error })),
  };
}

async function readTopic(path: string): Promise<string | null> {
  try {
    const { topic } = JSON.parse(await readFile(path, 'utf8'));
    return typeof topic === 'string' && topic.startsWith(`${PREFIX}/`) ? topic : null;
  } catch {
    return null;
  }
}
