import { z } from 'zod';
import type { Log } from '../../../shared/log';
import { createWholeFile, readJsonIfThere } from '../../whole-file';
import type { PublishingKiosk } from './build-messages';
import { KioskState } from './messages';
import type { Send } from './publisher';
import type { FleetTopics } from './topics';

/** Home Assistant's default discovery prefix. */
const PREFIX = 'homeassistant';

/** The topic under which the kiosk was announced. */
const Note = z.object({ topic: z.string().startsWith(`${PREFIX}/`) });

/** The kiosk's id is a topic level of its own, so that a broker's access rules can restrict the kiosk to its topic. */
const discoveryTopic = (kiosk: string) => `${PREFIX}/device/${kiosk}/endcap/config`;

/**
 * The kiosk as a device of Home Assistant (MQTT device discovery, since version 2024.11): its entities read the
 * retained topics. None accepts commands, because Home Assistant cannot sign them (rule 30).
 */
export function discoveryDocument(
  { kiosk, store, versions }: PublishingKiosk,
  { state, now, proof, inventory }: FleetTopics,
  hostName: string,
): object {
  const { storeId, zone, screenId } = store;
  const isOnline = (yes: string, no: string) => `{{ '${yes}' if value_json.online else '${no}' }}`;
  const entity = (id: string, name: string, topic: string, value: string) => ({
    platform: 'sensor',
    unique_id: `endcap_${kiosk}_${id}`,
    name,
    state_topic: topic,
    value_template: `{{ ${value} }}`,
    availability: [{ topic: state, value_template: isOnline('online', 'offline') }],
  });
  /** @param value a template of the attributes, from the message on the topic */
  const attributes = (topic: string, value: string) => ({
    json_attributes_topic: topic,
    json_attributes_template: `{{ (${value}) | tojson }}`,
  });
  const diagnostic = { entity_category: 'diagnostic' };
  const { availability: _always, ...connection } = entity('connection', 'Connection', state, '');
  return {
    device: {
      identifiers: [`endcap_${kiosk}`],
      name: [storeId, zone, screenId].filter((part) => part !== null).join(' ') || hostName,
      manufacturer: 'Endcap',
      model: 'Kiosk',
      serial_number: kiosk,
      sw_version: versions.endcap,
      ...(storeId !== null && { suggested_area: storeId }),
    },
    origin: { name: 'Endcap', sw_version: versions.endcap },
    components: {
      state: {
        ...entity('state', 'State', state, 'value_json.state'),
        ...attributes(state, "{'sentence': value_json.sentence}"),
        device_class: 'enum',
        options: KioskState.options,
        icon: 'mdi:television-play',
      },
      problem: {
        ...entity('problem', 'Problem', state, "'ON' if value_json.problems else 'OFF'"),
        ...attributes(state, "{'problems': value_json.problems}"),
        platform: 'binary_sensor',
        device_class: 'problem',
      },
      connection: {
        ...connection,
        ...diagnostic,
        platform: 'binary_sensor',
        device_class: 'connectivity',
        value_template: isOnline('ON', 'OFF'),
      },
      now: {
        ...entity('now', 'On the screen', now, "value_json.now.kind if value_json.now else 'nothing'"),
        ...attributes(now, 'value_json.now or {}'),
        icon: 'mdi:image-outline',
      },
      proof: {
        ...entity('proof', 'Plays waiting', proof, 'value_json.waiting'),
        ...diagnostic,
        state_class: 'measurement',
      },
      version: {
        ...entity('version', 'Version', inventory, 'value_json.versions.endcap'),
        ...diagnostic,
        ...attributes(inventory, "{'os': value_json.os, 'versions': value_json.versions}"),
      },
    },
  };
}

export type Discovery = ReturnType<typeof announceToHomeAssistant>;

/**
 * Announces this kiosk to Home Assistant, or withdraws the announcement. The result is to be called at each new
 * connection, and never rejects: after an error the next connection tries again. The document of another key stays, as
 * the other retained messages of that key do: the broker's rules let a kiosk write its own topics only.
 *
 * @param parts.note file that stores the announced topic, so that it can be withdrawn after a restart
 */
export function announceToHomeAssistant(parts: {
  readonly isOn: boolean;
  readonly kiosk: string;
  readonly document: () => object;
  readonly note: string;
  readonly log: Log;
}) {
  const { isOn, document, log } = parts;
  const topic = discoveryTopic(parts.kiosk);
  const file = createWholeFile(parts.note, 0o600);
  return async (send: Send): Promise<void> => {
    try {
      const told = (await readJsonIfThere(parts.note, Note))?.topic ?? null;
      if (isOn) {
        // Stored before it is sent, because an announcement without a note could not be withdrawn.
        if (told !== topic) await file.write(`${JSON.stringify({ topic })}\n`);
        await send(topic, JSON.stringify(document()), true);
      } else if (told !== null) {
        if (told === topic) await send(topic, '', true);
        await file.remove();
      }
    } catch (error) {
      log.warn('the discovery document for Home Assistant could not be published', { error });
    }
  };
}
