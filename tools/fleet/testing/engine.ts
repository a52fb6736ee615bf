import { type ClickHouse, clickHouseAt } from '../clickhouse-client';
import { startDebianServer } from '../debian-server';
import { tableStatement } from '../sql-files';

/** A real ClickHouse for a file of tests. */
export interface Engine {
  readonly clickHouse: ClickHouse;
  readonly url: string;
  /** Removes all rows from the table `plays`. */
  readonly empty: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Debian's server, or the one at `ENDCAP_TEST_CLICKHOUSE` (`npm run fleet-chdb` sets it). */
export async function startEngine(): Promise<Engine> {
  const given = process.env.ENDCAP_TEST_CLICKHOUSE;
  const server = given === undefined ? await startDebianServer() : { url: given, close: async () => {} };
  const clickHouse = clickHouseAt(server.url);
  await clickHouse.run('DROP TABLE IF EXISTS plays');
  await clickHouse.run(
    tableStatement({ table: 'plays', engine: 'ReplacingMergeTree()', cluster: null, ttlMonths: null }),
  );
  // Otherwise it would depend on chance whether a repeated row is still there.
  await clickHouse.run('SYSTEM STOP MERGES');
  return {
    clickHouse,
    url: server.url,
    empty: () => clickHouse.run('TRUNCATE TABLE plays'),
    close: server.close,
  };
}
