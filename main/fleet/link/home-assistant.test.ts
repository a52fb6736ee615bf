import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { silentLog } from '../../../shared/log';
import type { PublishingKiosk } from './build-messages';
import { announceToHomeAssistant, discoveryDocument } from './home-assistant';
import { fleetTopics } from './topics';

const KIOSK = '00112233aabbccdd';
const TOPIC = `homeassistant/device/${KIOSK}/endcap/config`;
const store = { storeId: 'store-17', zone: null, screenId: 'left', labels: {} };
const publishingKiosk: PublishingKiosk = {
  kiosk: KIOSK,
  store,
  groups: [],
  versions: { endcap: '1.2.3', electron: null },
};
const topics = fleetTopics('shop/screens', KIOSK);
const documentOf = (of = publishingKiosk) => discoveryDocument(of, topics, 'kiosk-host');

/** The fields that Home Assistant documents for MQTT entities; it rejects or ignores any other. */
const entity = {
  unique_id: z.string(),
  name: z.string(),
  state_topic: z.enum([topics.state, topics.now, topics.proof, topics.inventory]),
  value_template: z.string().regex(/^\{\{ .* \}\}$/),
  json_attributes_topic: z.string().optional(),
  json_attributes_template: z
    .string()
    .regex(/\| tojson \}\}$/)
    .optional(),
  availability: z
    .array(z.strictObject({ topic: z.literal(topics.state), value_template: z.string() }))
    .optional(),
  entity_category: z.literal('diagnostic').optional(),
  icon: z.string().startsWith('mdi:').optional(),
};
const Component = z.discriminatedUnion('platform', [
  z.strictObject({
    platform: z.literal('sensor'),
    ...entity,
    device_class: z.literal('enum').optional(),
    options: z.array(z.string()).optional(),
    state_class: z.literal('measurement').optional(),
  }),
  z.strictObject({
    platform: z.literal('binary_sensor'),
    ...entity,
    device_class: z.enum(['problem', 'connectivity']),
  }),
]);
const DeviceDiscovery = z.strictObject({
  device: z.strictObject({
    identifiers: z.array(z.string()).min(1),
    name: z.string().min(1),
    manufacturer: z.string(),
    model: z.string(),
    serial_number: z.string(),
    sw_version: z.string(),
    suggested_area: z.string().optional(),
  }),
  origin: z.strictObject({ name: z.string(), sw_version: z.string() }),
  components: z.record(z.string(), Component),
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'endcap-assistant-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a kiosk with the setting on or off, connects it once, and returns what it publishes. */
async function connect(isOn: boolean, { fails = false } = {}, kiosk = KIOSK) {
  const announce = announceToHomeAssistant({
    isOn,
    kiosk,
    note: note(),
    log: silentLog,
    document: () => documentOf(),
  });
  const sent: Array<readonly [topic: string, payload: string, retain: boolean]> = [];
  await announce(async (...message) => {
    sent.push(message);
    if (fails) throw new Error('the broker closed the connection');
  });
  return sent;
}
const note = () => join(folder, 'home-assistant.json');

test('the document is valid for Home Assistant, with entities that show but never command', () => {
  const { device, components } = DeviceDiscovery.parse(documentOf());
  expect(device.name).toBe('store-17 left');
  expect(Object.keys(components)).toEqual(['state', 'problem', 'connection', 'now', 'proof', 'version']);
  const ids = Object.values(components).map(({ unique_id }) => unique_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(JSON.stringify(documentOf())).not.toMatch(/command|set_/);
  const nameless = { ...publishingKiosk, store: { ...store, storeId: null, screenId: null } };
  expect(DeviceDiscovery.parse(documentOf(nameless)).device.name).toBe('kiosk-host');
});

test('the document is published as retained, and cleared after a restart with the switch off', async () => {
  expect(await connect(true)).toEqual([[TOPIC, JSON.stringify(documentOf()), true]]);
  expect(await connect(false)).toEqual([[TOPIC, '', true]]);
  expect(existsSync(note())).toBe(false);
});

test('the note is written once, not at each connection', async () => {
  await connect(true);
  const written = statSync(note()).ino;
  expect(await connect(true)).toHaveLength(1);
  expect(statSync(note()).ino).toBe(written);
});

test('the document is cleared at each connection until the broker acknowledges it', async () => {
  await connect(true);
  await connect(false, { fails: true });
  expect(readFileSync(note(), 'utf8')).toContain(TOPIC);
  expect(await connect(false)).toEqual([[TOPIC, '', true]]);
});

test('a kiosk with a new key announces itself, and leaves the document of the old key alone', async () => {
  const other = 'ffeeddccbbaa9988';
  await connect(true);
  expect(await connect(false, {}, other)).toEqual([]);
  expect(existsSync(note())).toBe(false);
  await connect(true);
  const topic = `homeassistant/device/${other}/endcap/config`;
  expect((await connect(true, {}, other)).map(([to]) => to)).toEqual([topic]);
  expect(JSON.parse(readFileSync(note(), 'utf8'))).toEqual({ topic });
  expect((await connect(false, {}, other)).map(([to, payload]) => [to, payload])).toEqual([[topic, '']]);
});

test('the document is withdrawn even if the note could not be read for a moment', async () => {
  await connect(true);
  renameSync(note(), `${note()}.good`);
  // A link to itself: reading fails, as from a bad disk.
  symlinkSync(note(), note());
  expect(await connect(false)).toEqual([]);
  renameSync(`${note()}.good`, note());
  expect(await connect(false)).toEqual([[TOPIC, '', true]]);
});

test('a kiosk that was never announced publishes nothing, whatever its note file holds', async () => {
  for (const text of [null, '', '{"topic":5}', '{"topic":"endcap/all/command"}']) {
    if (text !== null) writeFileSync(note(), text);
    expect(await connect(false)).toEqual([]);
  }
});
