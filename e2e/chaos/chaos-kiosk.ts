import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signingKeyOf } from '../../main/admin/signing-key';
import type { DemoService } from '../../main/demo-service/demo-service';
import { type Relay, startRelay } from '../../tools/fleet/relay';
import { startVictim } from '../kills/victim';
import { dataFolder } from '../kiosk';
import { signalsCaller } from '../signals-caller';
import { kioskSettings } from '../two-creatives';
import type { KioskPlay } from './judgement';
import type { Receiver } from './receiver';

/** A real kiosk with a relay of its own between it and the receiver. */
export interface ChaosKiosk {
  /** Fingerprint of its key. */
  readonly kiosk: string;
  /** `ed25519:…` */
  readonly publicKey: string;
  readonly shard: number;
  readonly relay: Relay;
  /** `isOpen` false: the store is closed, so the kiosk plays nothing and only ships. */
  start(isOpen: boolean): void;
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  terminate(): Promise<number | null>;
  /** Whether it runs and is ready. Rejects while it does not answer. */
  isUp(): Promise<boolean>;
  /** Whether no plays and no beacons wait to be sent. Rejects while it does not answer. */
  isShipped(): Promise<boolean>;
  /** The plays in its own books. */
  plays(): Promise<KioskPlay[]>;
  /** The end of what it wrote to its terminal. */
  output(): string;
  close(): Promise<void>;
}

/**
 * @param shard the shard whose servers must store its rows
 * @param display environment variables of its display; absent: the test's display
 * @param broker address of the broker to which it reports; absent: none
 */
export async function openChaosKiosk(
  service: DemoService,
  receiver: Receiver,
  shard: number,
  display: Readonly<Record<string, string>> = {},
  broker?: string,
): Promise<ChaosKiosk> {
  const folder = dataFolder();
  const { publicKey, fingerprint } = await makeKeyFor(receiver, shard, join(folder.path, 'signing-key.pem'));
  const relay = await startRelay(receiver.shards.flat().map(({ url }) => Number(new URL(url).port)));
  const settings = {
    ...kioskSettings(service),
    store: { storeId: `store-${shard}` },
    proof: { url: `http://127.0.0.1:${relay.port}${receiver.insert}`, everySeconds: 1 },
    ...(broker !== undefined && { fleet: { brokers: [broker] } }),
  };
  // Opening hours without any hours: the store is always closed.
  const closed = { ...settings, playback: { openHours: { timeZone: 'UTC' } } };
  const api = signalsCaller(folder.path);
  let victim: ReturnType<typeof startVictim> | null = null;
  const running = () => {
    if (victim === null) throw new Error('the kiosk was not started');
    return victim;
  };
  return {
    kiosk: fingerprint,
    publicKey,
    shard,
    relay,
    start(isOpen) {
      victim = startVictim(folder.path, isOpen ? settings : closed, display);
    },
    kill: () => running().killTree(),
    terminate: () => running().terminate(),
    output: () => running().output(),
    async isUp() {
      return (await api.get('/v1/status')).ok;
    },
    async isShipped() {
      const status = await api.status();
      return status.proof?.waiting === 0 && status.beacons.pending === 0;
    },
    async plays() {
      const lines = (await (await api.get('/v1/plays')).text()).split('\n');
      return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
    },
    async close() {
      await victim?.killTree();
      await relay.close();
      folder.remove();
    },
  };
}

/** The key decides the shard, so keys are made until one belongs to `shard`. */
async function makeKeyFor({ shardOf }: Receiver, shard: number, file: string) {
  for (;;) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = signingKeyOf(privateKey);
    if ((await shardOf(key.fingerprint)) !== shard) continue;
    writeFileSync(file, String(privateKey.export({ type: 'pkcs8', format: 'pem' })), { mode: 0o600 });
    return key;
  }
}
