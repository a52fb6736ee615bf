import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { debianServer } from './debian-server';
import { freePort } from './loopback-ports';
import { serverProcess } from './server-process';

/** Name of the cluster in the servers' configuration. */
export const CLUSTER = 'fleet';
/** Timeout of ZooKeeper sessions, ms: a killed server can start again only after its old session has expired. */
const SESSION_MS = 3_000;
const ANSWER_MS = 500;

/** Starts a cluster of Debian's ClickHouse (18.16) and one ZooKeeper on free ports of loopback. */
export async function startDebianCluster(shards: number, replicas: number) {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-cluster-'));
  const keeper = await zooKeeper(join(folder, 'keeper'));
  const places: Place[][] = [];
  for (let shard = 0; shard < shards; shard += 1) {
    const place = async () => ({ http: await freePort(), tcp: await freePort(), parts: await freePort() });
    places.push(await Promise.all(Array.from({ length: replicas }, place)));
  }
  const cluster = places.map((shard, index) =>
    shard.map((place, replica) => {
      const more = configuration(places, place, { shard: index, replica }, keeper.port);
      return debianServer(join(folder, `shard-${index}-${replica}`), place.http, more);
    }),
  );
  /** Kills all processes and removes their folder. */
  const close = async () => {
    for (const server of cluster.flat()) await server.kill();
    await keeper.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await keeper.start();
    await Promise.all(cluster.flat().map(({ start }) => start()));
  } catch (error) {
    await close();
    throw error;
  }
  return { shards: cluster, close };
}

interface Place {
  readonly http: number;
  readonly tcp: number;
  /** Port from which other replicas fetch parts. */
  readonly parts: number;
}

function configuration(
  places: readonly (readonly Place[])[],
  { tcp, parts }: Place,
  { shard, replica }: { readonly shard: number; readonly replica: number },
  keeper: number,
): string {
  const host = '<host>127.0.0.1</host>';
  const shardOf = (servers: readonly Place[]) =>
    servers.map((each) => `<replica>${host}<port>${each.tcp}</port></replica>`).join('');
  const shards = places.map(
    (servers) => `<shard><internal_replication>true</internal_replication>${shardOf(servers)}</shard>`,
  );
  return `<tcp_port>${tcp}</tcp_port>
  <interserver_http_host>127.0.0.1</interserver_http_host><interserver_http_port>${parts}</interserver_http_port>
  <remote_servers><${CLUSTER}>${shards.join('')}</${CLUSTER}></remote_servers>
  <zookeeper><node>${host}<port>${keeper}</port></node><session_timeout_ms>${SESSION_MS}</session_timeout_ms></zookeeper>
  <macros><shard>${shard}</shard><replica>${replica}</replica></macros>`;
}

/** A single ZooKeeper of Debian: ZooKeeper itself is not tested. */
async function zooKeeper(folder: string) {
  const port = await freePort();
  mkdirSync(join(folder, 'data'), { recursive: true });
  const settings = [
    ...[`dataDir=${join(folder, 'data')}`, `clientPort=${port}`, 'clientPortAddress=127.0.0.1'],
    ...['tickTime=500', 'maxClientCnxns=0', 'admin.enableServer=false', ''],
  ];
  writeFileSync(join(folder, 'zoo.cfg'), settings.join('\n'));
  const jars = ['zookeeper', 'slf4j-simple'].map((name) => `/usr/share/java/${name}.jar`);
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';
  const options = ['-Xmx256m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', jars.join(':')];
  const command = ['java', ...options, main, join(folder, 'zoo.cfg')] as const;
  return { port, ...serverProcess(command, () => serves(port), { debian: 'zookeeper' }) };
}

/** Whether ZooKeeper serves: it listens on its port before that. */
async function serves(port: number): Promise<boolean> {
  const asking = connect(port, '127.0.0.1').end('srvr');
  // A request that comes while it starts is never answered.
  asking.setTimeout(ANSWER_MS, () => asking.destroy());
  return text(asking).then(
    (told) => told.includes('Mode: standalone'),
    () => false,
  );
}
