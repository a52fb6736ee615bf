import { compactVerify } from 'jose';
import mqtt, { type MqttClient } from 'mqtt';
import { exampleState } from '../../../main/cli/testing/stand-in-kiosk';
import { SignedCommand } from '../../../main/fleet/link/commands';
import type { NowMessage } from '../../../main/fleet/link/messages';
import { addressTopic, fleetTopics } from '../../../main/fleet/link/topics';
import { readPublicKey } from '../../../main/fleet/signing-key';

/** The simulated kiosks of one process. */
export interface StormShare {
  readonly url: string;
  readonly names: readonly string[];
  readonly publicKey: string;
  /** How often each kiosk tells what is on its screen, ms. */
  readonly nowEveryMs: number;
  /** Span of the random wait before the first try, ms. It doubles with each further try. */
  readonly firstSpanMs: number;
}

const MAX_SPAN_MS = 120_000;

/**
 * Starts simulated kiosks: they connect, publish, obey and reconnect as a kiosk does, but play nothing.
 * @returns a function that stops them
 */
export function runStormKiosks(share: StormShare): () => void {
  const key = readPublicKey(share.publicKey);
  if (!key) throw new Error('expected a public key');
  let isOver = false;
  const ends = share.names.map(simulate);
  return () => {
    isOver = true;
    for (const end of ends) end();
  };

  function simulate(kiosk: string): () => void {
    const topics = fleetTopics('endcap', kiosk);
    let failures = 0;
    let end = () => {};
    const retry = () => {
      if (isOver) return;
      const span = Math.min(MAX_SPAN_MS, share.firstSpanMs * 2 ** Math.min(failures, 10));
      failures += 1;
      const due = setTimeout(open, Math.random() * span);
      end = () => clearTimeout(due);
    };
    retry();
    return () => end();

    function open(): void {
      const client = mqtt.connect(share.url, {
        protocolVersion: 4,
        clientId: kiosk,
        clean: false,
        keepalive: 60,
        reconnectPeriod: 0,
        connectTimeout: 30_000,
        will: { topic: topics.state, payload: Buffer.from(stateOf(kiosk, false)), qos: 1, retain: true },
      });
      let telling: NodeJS.Timeout | undefined;
      client.on('error', () => {});
      end = () => client.end(true);
      client.once('close', () => {
        clearInterval(telling);
        client.end(true);
        retry();
      });
      client.on('connect', () => {
        failures = 0;
        const obeyed = ['command', 'blocks'] as const;
        client.subscribe(
          obeyed.map((name) => addressTopic('endcap', 'all', name)),
          { qos: 1 },
        );
        tell(client, topics.state, stateOf(kiosk, true));
        telling = setInterval(() => tell(client, topics.now, nowOf(kiosk)), share.nowEveryMs);
      });
      client.on('message', (topic, payload) => {
        if (topic.endsWith('/command')) void obey(client, kiosk, payload.toString());
      });
    }
  }

  async function obey(client: MqttClient, kiosk: string, jws: string): Promise<void> {
    const { payload } = await compactVerify(jws, key?.key ?? new Uint8Array());
    const { jti, command } = SignedCommand.parse(JSON.parse(new TextDecoder().decode(payload)));
    const reply = { kiosk, to: jti, command: command.name, at: new Date().toISOString() };
    for (const state of ['accepted', 'done'])
      client.publish(fleetTopics('endcap', kiosk).reply, JSON.stringify({ ...reply, state }), { qos: 1 });
  }
}

const tell = (client: MqttClient, topic: string, payload: string) =>
  client.publish(topic, payload, { qos: 1, retain: true });

function stateOf(kiosk: string, online: boolean): string {
  const at = new Date().toISOString();
  return JSON.stringify(exampleState(kiosk, { at, online, ...(!online && { state: null, sentence: null }) }));
}

function nowOf(kiosk: string): string {
  const at = new Date().toISOString();
  const shown = {
    kind: 'ad' as const,
    adId: 'ad',
    flightId: 'flight',
    campaignId: 'campaign',
    sourceId: 'source',
    mediaUrl: 'https://media.example/creatives/spring-campaign-portrait-1080x1920.mp4',
  };
  const now: NowMessage = { kiosk, at, now: { ...shown, startedAt: at, durationMs: 10_000 }, next: shown };
  return JSON.stringify(now);
}
