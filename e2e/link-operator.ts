import { randomUUID } from 'node:crypto';
import { connectAsync } from 'mqtt';
import type { Block, Reply } from '../main/fleet/link/commands';
import type { NowMessage, StateMessage } from '../main/fleet/link/messages';
import { anOperator } from '../main/fleet/link/testing/operator';
import { type Addressee, addressTopic, fleetTopics } from '../main/fleet/link/topics';
import { expect } from './expect';
import type { Kiosk } from './kiosk';

/** A broker may be away, and a kiosk tries again after some seconds only, ms. */
const PATIENCE = { timeout: 60_000 };

/** An operator of all kiosks at a broker: hears what they tell, and signs what they obey. */
export interface LinkOperator extends AsyncDisposable {
  /** Its `publicKey` is for `fleet.commandKeys`. */
  readonly signer: ReturnType<typeof anOperator>;
  state(kiosk: string): StateMessage | null;
  /** What is on its screen. */
  now(kiosk: string): NowMessage['now'];
  replies(): readonly Reply[];
  publish(topic: string, payload: string | Buffer, retain?: boolean): Promise<void>;
  /** Sends a command, and resolves to the last word about it. */
  order(kiosk: string, command: object): Promise<Reply | undefined>;
  /** Publishes the next version of the blocks for all; resolves when the kiosk has them in force. */
  block(kiosk: string, blocks: readonly Block[], options?: { readonly atOnce?: boolean }): Promise<void>;
}

/** @param port of a broker on loopback */
export async function operateAt(port: number): Promise<LinkOperator> {
  const signer = anOperator();
  const latest = new Map<string, string>();
  const replies: Reply[] = [];
  let version = 0;
  const clientId = `operator-${signer.fingerprint}`;
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { clientId, clean: false });
  client.on('message', (topic, payload) => {
    latest.set(topic, payload.toString());
    if (topic.endsWith('/reply')) replies.push(JSON.parse(payload.toString()));
  });
  await client.subscribeAsync('endcap/#', { qos: 1 });
  const told = (topic: string): unknown => JSON.parse(latest.get(topic) || 'null');
  const publish = async (topic: string, payload: string | Buffer, retain = false) => {
    await client.publishAsync(topic, payload, { qos: 1, retain });
  };
  const lastWord = (kiosk: string, to: string) =>
    replies.filter((reply) => reply.kiosk === kiosk && reply.to === to).at(-1);
  return {
    signer,
    state: (kiosk) => told(fleetTopics('endcap', kiosk).state) as StateMessage | null,
    now: (kiosk) => (told(fleetTopics('endcap', kiosk).now) as NowMessage | null)?.now ?? null,
    replies: () => replies,
    publish,
    async order(kiosk, command) {
      const to: Addressee = `kiosk:${kiosk}`;
      const jti = randomUUID();
      const signed = await signer.command(to, command, Date.now(), { jti });
      await publish(addressTopic('endcap', to, 'command'), signed);
      await expect.poll(() => lastWord(kiosk, jti)?.state, PATIENCE).toMatch(/done|refused/);
      return lastWord(kiosk, jti);
    },
    async block(kiosk, blocks, { atOnce = false } = {}) {
      version += 1;
      const signed = await signer.blocks('all', version, blocks, { atOnce });
      await publish(addressTopic('endcap', 'all', 'blocks'), signed, true);
      await expect.poll(() => lastWord(kiosk, `blocks:${version}`)?.state, PATIENCE).toBe('done');
    },
    [Symbol.asyncDispose]: () => client.endAsync(true),
  };
}

/** Fingerprint of a kiosk's key, by which topics name it. */
export async function nameOf(kiosk: Kiosk): Promise<string> {
  let name = '';
  const told = async () => {
    name = ((await kiosk.status()).kiosk as { readonly id?: string } | undefined)?.id ?? '';
    return name;
  };
  await expect.poll(told).not.toBe('');
  return name;
}
