import { randomUUID } from 'node:crypto';
import { connectAsync, type MqttClient } from 'mqtt';
import type { Reply } from '../main/fleet/link/commands';
import type { anOperator } from '../main/fleet/link/testing/operator';
import { type Addressee, addressTopic } from '../main/fleet/link/topics';
import { expect } from './expect';

/** A client that receives all messages of kiosks to a broker, and sends them commands. */
export interface FleetWatch extends AsyncDisposable {
  readonly client: MqttClient;
  /** The latest message of each topic. */
  readonly latest: ReadonlyMap<string, string>;
  readonly replies: readonly Reply[];
  repliesTo(jti: string | null): readonly Reply[];
  /**
   * Resolves when the broker has the command.
   * @param now time of its signature, ms
   */
  send(aud: Addressee, command: object, jti: string, now?: number): Promise<void>;
  /** Sends a command, and resolves with the last reply to it. */
  order(aud: Addressee, command: object, jti?: string): Promise<Reply | undefined>;
}

export async function watchFleet(port: number, operator: ReturnType<typeof anOperator>): Promise<FleetWatch> {
  const latest = new Map<string, string>();
  const replies: Reply[] = [];
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`, { clientId: 'watcher', clean: false });
  client.on('message', (topic, payload) => {
    latest.set(topic, payload.toString());
    if (topic.endsWith('/reply')) replies.push(JSON.parse(payload.toString()));
  });
  await client.subscribeAsync(['endcap/#', 'homeassistant/#'], { qos: 1 });
  const watch: FleetWatch = {
    ...{ client, latest, replies },
    repliesTo: (jti) => replies.filter(({ to }) => to === jti),
    async send(aud, command, jti, now = Date.now()) {
      const signed = await operator.command(aud, command, now, { jti });
      await client.publishAsync(addressTopic('endcap', aud, 'command'), signed, { qos: 1 });
    },
    async order(aud, command, jti = randomUUID()) {
      await watch.send(aud, command, jti);
      await expect.poll(() => watch.repliesTo(jti).at(-1)?.state).toMatch(/done|refused/);
      return watch.repliesTo(jti).at(-1);
    },
    [Symbol.asyncDispose]: () => client.endAsync(true),
  };
  return watch;
}
