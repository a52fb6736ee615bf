import { randomUUID } from 'node:crypto';
import type { Block, Reply } from '../main/fleet/link/commands';
import type { NowMessage, StateMessage } from '../main/fleet/link/messages';
import { anOperator } from '../main/fleet/link/testing/operator';
import { addressTopic, fleetTopics } from '../main/fleet/link/topics';
import { expect } from './expect';
import { type FleetWatch, watchFleet } from './fleet-watch';
import type { Kiosk } from './kiosk';

/** An operator with a key, who receives all messages of kiosks to a broker. */
export interface LinkOperator extends AsyncDisposable {
  /** Its `publicKey` is for `fleet.commandKeys`. */
  readonly signer: ReturnType<typeof anOperator>;
  readonly replies: FleetWatch['replies'];
  state(kiosk: string): StateMessage | null;
  /** What the kiosk reports to be on its screen. */
  now(kiosk: string): NowMessage['now'];
  publish(topic: string, payload: string): Promise<void>;
  /** Sends a command, and resolves with the last reply to it. */
  order(kiosk: string, command: object): Promise<Reply | undefined>;
  /** Publishes the next version of the block list for all kiosks; resolves when a kiosk has applied it. */
  block(blocks: readonly Block[], options?: { readonly atOnce?: boolean }): Promise<void>;
}

/** @param port of a broker on loopback */
export async function operateAt(port: number): Promise<LinkOperator> {
  const signer = anOperator();
  const fleet = await watchFleet(port, signer);
  let version = 0;
  const told = (topic: string): unknown => JSON.parse(fleet.latest.get(topic) || 'null');
  const untilAnswered = async (to: string): Promise<Reply | undefined> => {
    const last = () => fleet.repliesTo(to).at(-1);
    await expect.poll(() => /done|refused/.test(last()?.state ?? '')).toBe(true);
    return last();
  };
  return {
    ...{ signer, replies: fleet.replies },
    state: (kiosk) => told(fleetTopics('endcap', kiosk).state) as StateMessage | null,
    now: (kiosk) => (told(fleetTopics('endcap', kiosk).now) as NowMessage | null)?.now ?? null,
    async publish(topic, payload) {
      await fleet.client.publishAsync(topic, payload, { qos: 1 });
    },
    async order(kiosk, command) {
      const jti = randomUUID();
      await fleet.send(`kiosk:${kiosk}`, command, jti);
      return untilAnswered(jti);
    },
    async block(blocks, { atOnce = false } = {}) {
      version += 1;
      const signed = await signer.blocks('all', version, blocks, { atOnce });
      const topic = addressTopic('endcap', 'all', 'blocks');
      await fleet.client.publishAsync(topic, signed, { qos: 1, retain: true });
      expect(await untilAnswered(`blocks:${version}`)).toMatchObject({ state: 'done' });
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  };
}

/** Fingerprint of a kiosk's key, which names it in topics. */
export async function nameOf(kiosk: Kiosk): Promise<string> {
  let name = '';
  const told = async () => {
    name = ((await kiosk.status()).kiosk as { readonly id?: string } | undefined)?.id ?? '';
    return name;
  };
  await expect.poll(told).not.toBe('');
  return name;
}
