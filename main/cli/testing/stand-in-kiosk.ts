import { setTimeout as wait } from 'node:timers/promises';
import { compactVerify, decodeProtectedHeader } from 'jose';
import mqtt, { type IConnackPacket } from 'mqtt';
import {
  BLOCKS_TYPE,
  COMMAND_TYPE,
  type Reply,
  SignedBlocks,
  SignedCommand,
} from '../../fleet/link/commands';
import type { StateMessage } from '../../fleet/link/messages';
import { addresseesOf, addressTopic, fleetTopics } from '../../fleet/link/topics';
import { readPublicKey } from '../../fleet/signing-key';

const AT = '2026-11-22T10:00:00.000Z';

/** A `state` message of a playing kiosk. */
export function exampleState(kiosk: string, more: Partial<StateMessage> = {}): StateMessage {
  return {
    kiosk,
    online: true,
    at: AT,
    storeId: 'store-17',
    zone: 'door',
    screenId: null,
    labels: {},
    groups: ['north'],
    state: 'playing',
    sentence: 'Plays ads.',
    problems: [],
    versions: { endcap: '0.1.0', electron: '42.0.0' },
    startedAt: AT,
    clockCorrectionMs: 0,
    blocks: {},
    ...more,
  };
}

/** How a kiosk answers a command; null: not at all. */
export type Answer = (signed: SignedCommand) => Partial<Reply> | null;

export type StandInKiosk = Awaited<ReturnType<typeof startStandIn>>;

/**
 * A fake kiosk: it speaks a kiosk's side of the contract and plays nothing.
 *
 * @param url of a broker, or of the nodes of one
 */
export async function startStandIn(
  url: string | readonly string[],
  kiosk: string,
  {
    publicKey,
    answer = () => ({ state: 'done' }),
    state = {},
  }: {
    readonly publicKey: string;
    readonly answer?: Answer;
    readonly state?: Partial<StateMessage>;
  },
) {
  const topics = fleetTopics('endcap', kiosk);
  const will = { ...exampleState(kiosk, state), online: false, state: null, sentence: null, problems: [] };
  const urls = (typeof url === 'string' ? [url] : url).map((each) => new URL(each));
  const client = mqtt.connect({
    servers: urls.map(({ hostname, port }) => ({
      host: hostname,
      port: Number(port),
      protocol: 'mqtt' as const,
    })),
    ...(urls[0]?.username ? { username: urls[0].username, password: urls[0].password } : {}),
    protocolVersion: 4,
    clientId: kiosk,
    clean: false,
    reconnectPeriod: 100,
    will: { topic: topics.state, payload: Buffer.from(JSON.stringify(will)), qos: 1, retain: true },
  });
  let told = exampleState(kiosk, state);
  /** Publishes anything as this kiosk. */
  const say = async (name: string, payload: string, retain = true) => {
    await client.publishAsync(`endcap/${kiosk}/${name}`, payload, { qos: 1, retain });
  };
  const tell = async (more: Partial<StateMessage>) => {
    told = { ...told, ...more };
    await say('state', JSON.stringify(told));
  };
  const [commands, blocks]: [SignedCommand[], SignedBlocks[]] = [[], []];
  const obey = async (jws: string) => {
    const key = readPublicKey(publicKey);
    if (!key || decodeProtectedHeader(jws).kid !== key.fingerprint) {
      const unread = { kiosk, to: null, command: null, state: 'refused', reason: 'unknown-key', at: AT };
      return say('reply', JSON.stringify(unread), false);
    }
    const { payload, protectedHeader } = await compactVerify(jws, key.key);
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    if (protectedHeader.typ === BLOCKS_TYPE) {
      const read = SignedBlocks.parse(claims);
      blocks.push(read);
      return tell({ blocks: { ...told.blocks, [read.aud]: read.version } });
    }
    if (protectedHeader.typ !== COMMAND_TYPE) return;
    const signed = SignedCommand.parse(claims);
    commands.push(signed);
    const final = answer(signed);
    const reply = { kiosk, to: signed.jti, command: signed.command.name, at: AT };
    if (final === null) return;
    await say('reply', JSON.stringify({ ...reply, state: 'accepted' }), false);
    await say('reply', JSON.stringify({ ...reply, ...final }), false);
  };
  client.on('message', (_topic, payload) => {
    if (payload.length > 0) obey(payload.toString()).catch(() => {});
  });
  const { sessionPresent } = await new Promise<IConnackPacket>((resolve, reject) => {
    client.once('connect', resolve);
    client.once('error', reject);
  });
  // A session that the broker has kept still has its subscriptions, and waiting messages come at once.
  if (!sessionPresent) await subscribe();
  await tell({});

  async function subscribe(): Promise<void> {
    const obeyed = addresseesOf(kiosk, told.groups).flatMap((to) => [
      addressTopic('endcap', to, 'command'),
      addressTopic('endcap', to, 'blocks'),
    ]);
    // A cluster that has just lost a node refuses some of them for a while.
    for (let left = 60; ; left -= 1) {
      const isTaken = await client.subscribeAsync(obeyed, { qos: 1 }).then(
        () => true,
        () => false,
      );
      if (isTaken) return;
      if (left === 0) throw new Error(`${kiosk}: the broker refuses the subscriptions`);
      await wait(500);
    }
  }

  const inventory = {
    kiosk,
    at: AT,
    publicKey: 'ed25519:x',
    hostName: `host-${kiosk.slice(0, 4)}`,
    addresses: [],
    os: 'Debian',
    cpu: 'x',
    cores: 2,
    memoryBytes: 1,
    displays: [],
    versions: { endcap: '0.1.0', electron: null, chromium: null, node: '24' },
  };
  await say('inventory', JSON.stringify(inventory));
  return {
    commands,
    blocks,
    tell,
    say,
    /** Drops the connection, so that the broker publishes the last will. */
    die: () => {
      client.options.reconnectPeriod = 0;
      client.stream.destroy();
    },
    close: () => client.endAsync(true),
  };
}
