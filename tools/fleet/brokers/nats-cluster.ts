import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import mqtt from 'mqtt';
import { freePort, isListening } from '../loopback-ports';
import { serverProcess } from '../server-process';

export type NatsCluster = Awaited<ReturnType<typeof startNatsCluster>>;

const READY_MS = 90_000;

/**
 * Starts a cluster of Debian's nats-server (2.9) on free ports of loopback: nodes with JetStream that speak MQTT 3.1.1,
 * and store each message on all nodes.
 */
export async function startNatsCluster(count = 3) {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-nats-'));
  const ports = await Promise.all(
    Array.from({ length: count }, async () => ({
      client: await freePort(),
      route: await freePort(),
      mqtt: await freePort(),
    })),
  );
  const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`).join(', ');
  const nodes = ports.map(({ client, route, mqtt }, index) => {
    const file = join(folder, `${index}.conf`);
    const lines = [
      ...[`server_name: node${index}`, `listen: "127.0.0.1:${client}"`],
      `jetstream { store_dir: "${join(folder, String(index))}", max_mem: 256M, max_file: 1G }`,
      `cluster { name: fleet, listen: "127.0.0.1:${route}", routes: [${routes}] }`,
      `mqtt { host: "127.0.0.1", port: ${mqtt}, stream_replicas: ${count} }`,
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    const command = ['nats-server', '-c', file, '-l', join(folder, `${index}.log`)] as const;
    return { url: `mqtt://127.0.0.1:${mqtt}`, ...serverProcess(command, () => isListening(mqtt)) };
  });
  /** Kills all nodes and removes their folder. */
  const close = async () => {
    for (const node of nodes) await node.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  /** Resolves when each node takes a session with a subscription. */
  const ready = async () => {
    for (const { url } of nodes) await serves(url);
  };
  try {
    await Promise.all(nodes.map(({ start }) => start()));
    await ready();
  } catch (error) {
    await close();
    throw error;
  }
  return { nodes, ready, close };
}

/** Resolves when a node accepts a subscription: it listens before its cluster has a leader. */
async function serves(url: string): Promise<void> {
  for (const deadline = Date.now() + READY_MS; Date.now() < deadline; await wait(200)) {
    const client = mqtt.connect(url, { protocolVersion: 4, connectTimeout: 5_000, reconnectPeriod: 0 });
    const connected = new Promise<boolean>((resolve) => {
      client.once('connect', () => resolve(true));
      client.once('error', () => resolve(false));
      client.once('close', () => resolve(false));
    });
    const isServed =
      (await connected) &&
      (await Promise.race([
        client.subscribeAsync('endcap-ready', { qos: 1 }).then(
          () => true,
          () => false,
        ),
        wait(5_000, false),
      ]));
    client.end(true);
    if (isServed) return;
  }
  throw new Error(`${url}: the cluster does not take a subscription`);
}
