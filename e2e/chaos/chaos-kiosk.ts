import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoService } from '../../main/demo-service/demo-service';
import { signingKeyOf } from '../../main/fleet/signing-key';
import { startRelay } from '../../tools/fleet/relay';
import { startVictim, type Victim } from '../kills/victim';
import { dataFolder } from '../kiosk';
import { signalsCaller } from '../signals-caller';
import { kioskSettings } from '../two-creatives';
import type { KioskPlay } from './judgement';
import type { Receiver } from './receiver';

export type ChaosKiosk = Awaited<ReturnType<typeof openChaosKiosk>>;

/**
 * Prepares a real kiosk with a relay of its own between it and the receiver.
 *
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
) {
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
  let victim: Victim | null = null;
  const running = () => {
    if (victim === null) throw new Error('the kiosk was not started');
    return victim;
  };
  return {
    /** Fingerprint of its key. */
    kiosk: fingerprint,
    /** `ed25519:…` */
    publicKey,
    shard,
    relay,
    /** `isOpen` false: the store is closed, so the kiosk plays nothing and only ships. */
    start(isOpen: boolean): void {
      victim = startVictim(folder.path, isOpen ? settings : closed, display);
    },
    kill: () => running().killTree(),
    /** Asks it to end; resolves with the exit code, null when it had to be killed. */
    terminate: () => running().terminate(),
    /** The end of what it wrote to its terminal. */
    output: () => running().output(),
    /** Whether it runs and is ready. Rejects while it does not answer. */
    async isUp(): Promise<boolean> {
      return (await api.get('/v1/status')).ok;
    },
    /** Whether no plays and no beacons wait to be sent. Rejects while it does not answer. */
    async isShipped(): Promise<boolean> {
      const status = await api.status();
      return status.proof?.waiting === 0 && status.beacons.pending === 0;
    },
    /** The plays in its own books. */
    plays: () => api.plays<KioskPlay>(),
    async close(): Promise<void> {
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
