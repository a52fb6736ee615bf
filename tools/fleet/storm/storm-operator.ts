import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import mqtt from 'mqtt';
import { signCommand } from '../../../main/cli/fleet-documents';
import { addressTopic, fleetTopics } from '../../../main/fleet/link/topics';
import { signingKeyOf } from '../../../main/fleet/signing-key';

const MAX_MS = 600_000;

/** An operator that follows all kiosks and commands them, and measures how long that takes. */
export async function startStormOperator(url: string) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { publicKey, fingerprint } = signingKeyOf(privateKey);
  const online = new Set<string>();
  const replies = new Map<string, number>();
  let heard = 0;
  let jti = '';
  const client = await mqtt.connectAsync(url, { protocolVersion: 4, reconnectPeriod: 500 });
  client.on('error', () => {});
  client.on('message', (topic, payload) => {
    heard += 1;
    const [, kiosk = '', name] = topic.split('/');
    const text = payload.toString();
    if (name === 'state') {
      if (text.includes('"online":true')) online.add(kiosk);
      else online.delete(kiosk);
    }
    if (name === 'reply' && text.includes(jti) && text.includes('"state":"done"'))
      replies.set(kiosk, performance.now());
  });
  const { state, now, reply } = fleetTopics('endcap', '+');
  await client.subscribeAsync([state, now, reply], { qos: 1 });
  const until = async (isDone: () => boolean): Promise<number> => {
    const begun = performance.now();
    while (!isDone() && performance.now() - begun < MAX_MS) await wait(20);
    return performance.now() - begun;
  };
  return {
    publicKey,
    /** Number of messages received from kiosks. */
    heard: () => heard,
    /** Resolves when this many kiosks are online, with the time that it took, ms; `Infinity`: not within 10 minutes. */
    untilOnline: async (count: number) => {
      const tookMs = await until(() => online.size >= count);
      return online.size >= count ? tookMs : Number.POSITIVE_INFINITY;
    },
    /** Counts all kiosks as offline until they report again. */
    forget: () => online.clear(),
    /** Sends a command to all. Resolves with the ms from sending to each answer "done", ascending. */
    command: async (count: number) => {
      jti = randomUUID();
      replies.clear();
      const iat = Math.floor(Date.now() / 1_000);
      const command = { iat, exp: iat + 300, jti, aud: 'all', command: { name: 'refresh' as const } };
      const jws = await signCommand(command, { privateKey, publicKey, fingerprint });
      const sent = performance.now();
      client.publish(addressTopic('endcap', 'all', 'command'), jws, { qos: 1 });
      await until(() => replies.size >= count);
      return [...replies.values()].map((at) => at - sent).sort((a, b) => a - b);
    },
    close: () => client.endAsync(true),
  };
}
