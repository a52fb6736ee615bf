import { clickHouseAt } from '../../tools/fleet/clickhouse-client';
import { CLUSTER, startDebianCluster } from '../../tools/fleet/debian-cluster';
import { type DebianServer, debianServer } from '../../tools/fleet/debian-server';
import { freePort } from '../../tools/fleet/loopback-ports';
import { dataFolder } from '../kiosk';
import { schemaOf } from './fleet-commands';

/** ClickHouse with the table `plays`: shards of replicas, or one server. */
export interface Receiver {
  readonly shards: readonly (readonly DebianServer[])[];
  /** The path and query that `proof.url` has after a server's address. */
  readonly insert: string;
  /** The query that follows a server's address for SELECT statements. */
  readonly asking: string;
  /** The index of the shard that holds the rows of this kiosk. */
  readonly shardOf: (kiosk: string) => Promise<number>;
  /** Whether every server works and is connected to all others of its shard. */
  readonly isWhole: () => Promise<boolean>;
  /** For each shard, the number of distinct rows on each replica. */
  readonly rowsByReplica: () => Promise<number[][]>;
  readonly close: () => Promise<void>;
}

const into = (table: string) => `query=INSERT%20INTO%20${table}%20FORMAT%20JSONEachRow`;
/**
 * With a quorum, an answer of 200 means that two replicas have the rows (docs/fleet.md). The timeout is
 * short, ms.
 */
const ON_BOTH = 'insert_quorum=2&insert_distributed_sync=1&insert_quorum_timeout=10000';
/**
 * Each shard aggregates its own kiosks: 18.16 reads nulls as empty texts, or crashes, when it merges some
 * states of other servers.
 */
const BY_SHARD = '?distributed_group_by_no_merge=1';
const REPLICATED = "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/plays', '{replica}')";
const DISTRIBUTED = `Distributed(${CLUSTER}, default, plays_local, cityHash64(kiosk))`;

/** Starts two shards of two replicas behind a distributed table, as on a real cluster. */
export async function startCluster(): Promise<Receiver> {
  const { shards, close } = await startDebianCluster(2, 2);
  try {
    const local = await schemaOf('--table', 'plays_local', '--engine', REPLICATED);
    for (const { url } of shards.flat()) {
      await clickHouseAt(url).run(local);
      await clickHouseAt(url).run(`CREATE TABLE plays AS plays_local ENGINE = ${DISTRIBUTED}`);
      const written = `(${await writtenColumns(url)})`;
      await clickHouseAt(url).run(`CREATE TABLE plays_in ${written} ENGINE = ${DISTRIBUTED}`);
    }
    const insert = `/?${ON_BOTH}&${into('plays_in')}`;
    return receiverOn(shards, 'plays_local', { insert, asking: BY_SHARD }, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The columns that kiosks write. With `insert_distributed_sync`, 18.16 rejects inserts into a distributed
 * table that also has `MATERIALIZED` columns (docs/fleet.md).
 */
async function writtenColumns(url: string): Promise<string> {
  const columns = await clickHouseAt(url).all(
    "SELECT name, type FROM system.columns WHERE table = 'plays_local' AND default_kind = ''",
  );
  return columns.map(({ name, type }) => `\`${name}\` ${type}`).join(', ');
}

/** @param database the database of the table; created when it is missing */
export async function startOneServer(database = 'default'): Promise<Receiver> {
  const folder = dataFolder();
  const server = debianServer(folder.path, await freePort());
  const close = async () => {
    await server.kill();
    folder.remove();
  };
  try {
    await server.start();
    await clickHouseAt(server.url).run(`CREATE DATABASE IF NOT EXISTS ${database}`);
    await clickHouseAt(server.url, database).run(await schemaOf());
    const insert = `/?database=${database}&${into('plays')}`;
    return receiverOn([[server]], `${database}.plays`, { insert, asking: '' }, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param table that holds a server's own rows */
function receiverOn(
  shards: Receiver['shards'],
  table: string,
  addresses: Pick<Receiver, 'insert' | 'asking'>,
  close: () => Promise<void>,
): Receiver {
  const number = async ({ url }: DebianServer, sql: string) => {
    const [row] = await clickHouseAt(url).all(`SELECT ${sql} AS number`);
    return Number(row?.number);
  };
  const [[first] = []] = shards;
  if (first === undefined) throw new Error('expected a server');
  return {
    shards,
    ...addresses,
    close,
    shardOf: (kiosk) => number(first, `cityHash64('${kiosk}') % ${shards.length}`),
    isWhole: async () => {
      const replicas = shards[0]?.length ?? 1;
      const broken = `(SELECT count() FROM system.replicas WHERE is_readonly OR is_session_expired OR active_replicas < ${replicas})`;
      const counts = await Promise.all(shards.flat().map((server) => number(server, broken)));
      return counts.every((count) => count === 0);
    },
    rowsByReplica: () => {
      const rows = `(SELECT uniqExact(kiosk, epoch, seq, kind, digest) FROM ${table})`;
      return Promise.all(
        shards.map((replicas) => Promise.all(replicas.map((server) => number(server, rows)))),
      );
    },
  };
}
