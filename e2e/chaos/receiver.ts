import { clickHouseAt } from '../../tools/fleet/clickhouse-client';
import { CLUSTER, startDebianCluster } from '../../tools/fleet/debian-cluster';
import { type DebianServer, debianServer } from '../../tools/fleet/debian-server';
import { freePort } from '../../tools/fleet/loopback-ports';
import { dataFolder } from '../kiosk';
import { schemaOf } from './fleet-commands';

/** ClickHouse with the table `plays`: shards of replicas, or one server. */
export interface Receiver {
  readonly shards: readonly (readonly DebianServer[])[];
  /** What follows a server's address in `proof.url`. */
  readonly insert: string;
  /** What follows a server's address where questions are asked. */
  readonly asking: string;
  /** Which shard holds the rows of this kiosk. */
  readonly shardOf: (kiosk: string) => Promise<number>;
  /** Whether every server works and knows all others of its shard. */
  readonly isWhole: () => Promise<boolean>;
  /** Of each shard, how many different rows each of its replicas holds. */
  readonly rowsByReplica: () => Promise<number[][]>;
  readonly close: () => Promise<void>;
}

const into = (table: string) => `query=INSERT%20INTO%20${table}%20FORMAT%20JSONEachRow`;
/** An answer of 200 means that two replicas have the rows (docs/fleet.md). The wait for the second one is short, ms. */
const ON_BOTH = 'insert_quorum=2&insert_distributed_sync=1&insert_quorum_timeout=10000';
/** Each shard counts its own kiosks: 18.16 loses nulls, or a server, when it merges some states of other servers. */
const BY_SHARD = '?distributed_group_by_no_merge=1';
const REPLICATED = "ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/plays', '{replica}')";
const DISTRIBUTED = `Distributed(${CLUSTER}, default, plays_local, cityHash64(kiosk))`;

/** Two shards of two replicas behind a distributed table, as on a real cluster. */
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
 * The columns that kiosks write. 18.16 takes no insert with `insert_distributed_sync` into a distributed table that
 * has `MATERIALIZED` columns, too (docs/fleet.md).
 */
async function writtenColumns(url: string): Promise<string> {
  const columns = await clickHouseAt(url).all(
    "SELECT name, type FROM system.columns WHERE table = 'plays_local' AND default_kind = ''",
  );
  return columns.map(({ name, type }) => `\`${name}\` ${type}`).join(', ');
}

/** @param database that holds the table; made where it is not there */
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
    ...{ shards, ...addresses, close },
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
