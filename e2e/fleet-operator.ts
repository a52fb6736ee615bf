import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import type { Block } from '../main/fleet/link/block';
import type { Reply } from '../main/fleet/link/commands';
import type { NowMessage, StateMessage } from '../main/fleet/link/messages';
import { anOperator } from '../main/fleet/link/testing/operator';
import { type Addressee, addressTopic, fleetTopics } from '../main/fleet/link/topics';
import { startMosquitto } from '../tools/fleet/brokers/mosquitto';
import { expect } from './expect';
import type { Kiosk } from './kiosk';
import { keep } from './kiosk-test';

/** Shortens the delay before reconnecting, which grows while a broker is down and is not tested. */
export const LITTLE_JITTER = { requiredScript: join(__dirname, 'little-jitter.cjs') };

/** A real broker and an operator at it, until the end of the test. `more`: lines of the broker's configuration. */
export async function startBroker(more?: readonly string[]) {
  const broker = keep(await startMosquitto(more));
  return { broker, operator: keep(await operateAt(broker.port)) };
}

export type FleetOperator = Awaited<ReturnType<typeof operateAt>>;

/** An operator with a key, who receives all messages of kiosks to a broker on loopback, and sends documents. */
async function operateAt(port: number) {
  const signer = anOperator();
  const broker = `mqtt://127.0.0.1:${port}`;
  const latest = new Map<string, string>();
  const replies: Reply[] = [];
  const client = await connectAsync(broker, { clientId: 'watcher', clean: false });
  client.on('message', (topic, payload) => {
    latest.set(topic, payload.toString());
    if (topic.endsWith('/reply')) replies.push(JSON.parse(payload.toString()));
  });
  await client.subscribeAsync(['endcap/#', 'homeassistant/#'], { qos: 1 });
  const told = (topic: string): unknown => JSON.parse(latest.get(topic) || 'null');
  const repliesTo = (to: string) => replies.filter((reply) => reply.to === to);

  async function publish(topic: string, payload: string | Buffer, retain = false): Promise<void> {
    await client.publishAsync(topic, payload, { qos: 1, retain });
  }
  /** The last reply, once it is not `accepted` any more. */
  async function answerTo(to: string): Promise<Reply | undefined> {
    await expect.poll(() => repliesTo(to).at(-1)?.state).toMatch(/done|refused/);
    return repliesTo(to).at(-1);
  }
  /** Resolves when the broker has the command. `now`: time of its signature, ms. */
  async function send(aud: Addressee, command: object, jti: string, now = Date.now()): Promise<void> {
    await publish(addressTopic('endcap', aud, 'command'), await signer.command(aud, command, now, { jti }));
  }

  return {
    signer,
    client,
    replies,
    repliesTo,
    told,
    publish,
    answerTo,
    send,
    /** The latest message of each topic. */
    latest: latest as ReadonlyMap<string, string>,
    /** The setting of kiosks that use this broker and obey this operator. */
    fleet: { brokers: [broker], commandKeys: [signer.publicKey] },
    state: (kiosk: string) => told(fleetTopics('endcap', kiosk).state) as StateMessage | null,
    /** What the kiosk reports to be on its screen. */
    now: (kiosk: string) => (told(fleetTopics('endcap', kiosk).now) as NowMessage | null)?.now ?? null,
    /** Sends a command, and resolves with the last reply to it. */
    async order(aud: Addressee, command: object, jti: string = randomUUID()) {
      await send(aud, command, jti);
      return answerTo(jti);
    },
    /** Publishes a block list; resolves when a kiosk has applied it. */
    async block(aud: Addressee, version: number, blocks: readonly Block[], atOnce = false): Promise<void> {
      const signed = await signer.blocks(aud, version, blocks, { atOnce });
      await publish(addressTopic('endcap', aud, 'blocks'), signed, true);
      expect(await answerTo(`blocks:${version}`)).toMatchObject({ state: 'done' });
    },
    [Symbol.asyncDispose]: () => client.endAsync(true),
  };
}

/** Fingerprint of a kiosk's key, which names it in topics. */
export async function nameOf(kiosk: Kiosk): Promise<string> {
  let name: string | undefined;
  await expect
    .poll(async () => {
      name = (await kiosk.status()).kiosk?.id;
      return name;
    })
    .toBeDefined();
  return name ?? '';
}
