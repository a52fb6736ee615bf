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
import { ErrorWithReasonCode } from 'mqtt';
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

/** `fails`: it closes the connection; `closesAt`: only at a message on this topic, and takes none after it. */
interface PretendBroker {
  readonly fails?: boolean;
  readonly refuses?: string;
  readonly closesAt?: string;
}

/** Starts a kiosk with the setting on or off; the result connects it, and returns what it publishes. */
function start(isOn: boolean, kiosk = KIOSK, others: readonly string[] = []) {
  const announce = announceToHomeAssistant({
    isOn,
    kiosk,
    note: join(folder, 'home-assistant.json'),
    isOfAnotherMachine: (name) => others.includes(name),
    log: silentLog,
    document: () => documentOf(),
  });
  return async ({ fails = false, refuses, closesAt }: PretendBroker = {}) => {
    const sent: Array<readonly [topic: string, payload: string, retain: boolean]> = [];
    let isClosed = fails;
    await announce(async (...message) => {
      sent.push(message);
      isClosed ||= message[0] === closesAt;
      if (isClosed) throw new Error('the broker closed the connection');
      if (message[0] === refuses) throw new ErrorWithReasonCode('Publish error: Not authorized', 135);
    });
    return sent;
  };
}

/** Starts a kiosk and connects it once. */
const connect = (isOn: boolean, broker: PretendBroker = {}, kiosk = KIOSK, others: readonly string[] = []) =>
  start(isOn, kiosk, others)(broker);
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

test('a kiosk with a new key takes the old device away', async () => {
  await connect(true);
  const other = 'ffeeddccbbaa9988';
  const sent = await connect(true, {}, other);
  expect(sent.map(([topic, payload]) => [topic, payload !== ''])).toEqual([
    [TOPIC, false],
    [`homeassistant/device/${other}/endcap/config`, true],
  ]);
});

test('a kiosk with a new key that may not write the old topic is announced all the same', async () => {
  await connect(true);
  const other = 'ffeeddccbbaa9988';
  const topic = `homeassistant/device/${other}/endcap/config`;
  const sent = await connect(true, { refuses: TOPIC }, other);
  expect(sent.map(([to, payload]) => [to, payload !== ''])).toEqual([
    [TOPIC, false],
    [topic, true],
  ]);
  expect(JSON.parse(readFileSync(note(), 'utf8'))).toEqual({ topic });
  expect(await connect(true, {}, other)).toHaveLength(1);
});

test('a kiosk with a new key takes the old device away even if the connection is lost meanwhile', async () => {
  await connect(true);
  const other = 'ffeeddccbbaa9988';
  const toBroker = start(true, other);
  await toBroker({ closesAt: TOPIC });
  expect(JSON.parse(readFileSync(note(), 'utf8'))).toEqual({ topic: TOPIC });
  expect((await toBroker()).map(([to, payload]) => [to, payload !== ''])).toEqual([
    [TOPIC, false],
    [`homeassistant/device/${other}/endcap/config`, true],
  ]);
});

test('a broker that closes the connection instead of refusing the old topic keeps no kiosk from its own', async () => {
  await connect(true);
  const other = 'ffeeddccbbaa9988';
  const toBroker = start(true, other);
  const topics: string[] = [];
  for (let connection = 0; connection < 4; connection += 1)
    topics.push(...(await toBroker({ closesAt: TOPIC })).map(([to]) => to));
  expect(topics.filter((to) => to === TOPIC)).toHaveLength(2);
  expect(topics.at(-1)).toBe(`homeassistant/device/${other}/endcap/config`);
});

test('a refusal of the old topic is final, even after a lost connection', async () => {
  await connect(true);
  const other = 'ffeeddccbbaa9988';
  const topic = `homeassistant/device/${other}/endcap/config`;
  const toBroker = start(true, other);
  await toBroker({ closesAt: TOPIC });
  expect((await toBroker({ refuses: TOPIC })).map(([to]) => to)).toEqual([TOPIC, topic]);
  expect((await toBroker()).map(([to]) => to)).toEqual([topic]);
});

test("a copied disk does not take the original's device away, whether the setting is on or off", async () => {
  const other = 'ffeeddccbbaa9988';
  await connect(true);
  expect(await connect(false, {}, other, [KIOSK])).toEqual([]);
  expect(existsSync(note())).toBe(false);
  await connect(true);
  const topic = `homeassistant/device/${other}/endcap/config`;
  expect((await connect(true, {}, other, [KIOSK])).map(([to]) => to)).toEqual([topic]);
  expect(JSON.parse(readFileSync(note(), 'utf8'))).toEqual({ topic });
});

test('the old device is taken away even if the note could not be read for a moment', async () => {
  await connect(true);
  renameSync(note(), `${note()}.good`);
  // A link to itself: reading fails, as from a bad disk.
  symlinkSync(note(), note());
  expect(await connect(true, {}, 'ffeeddccbbaa9988')).toEqual([]);
  renameSync(`${note()}.good`, note());
  expect(await connect(true, {}, 'ffeeddccbbaa9988')).toHaveLength(2);
});

test('a kiosk that was never announced publishes nothing, whatever its note file holds', async () => {
  for (const text of [null, '', '{"topic":5}', '{"topic":"endcap/all/command"}']) {
    if (text !== null) writeFileSync(note(), text);
    expect(await connect(false)).toEqual([]);
  }
});
