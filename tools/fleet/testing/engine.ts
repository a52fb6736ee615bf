import { clickHouseAt } from '../clickhouse-client';
import { startDebianServer } from '../debian-server';
import { tableStatement } from '../sql-files';

export type Engine = Awaited<ReturnType<typeof startEngine>>;

/** A real ClickHouse for a file of tests: Debian's server, or the one at `ENDCAP_TEST_CLICKHOUSE` (`npm run fleet-chdb` sets it). */
export async function startEngine() {
  const given = process.env.ENDCAP_TEST_CLICKHOUSE;
  const server = given === undefined ? await startDebianServer() : { url: given, close: async () => {} };
  const clickHouse = clickHouseAt(server.url);
  await clickHouse.run('DROP TABLE IF EXISTS plays');
  await clickHouse.run(tableStatement());
  // Otherwise it would depend on chance whether a repeated row is still there.
  await clickHouse.run('SYSTEM STOP MERGES');
  return {
    clickHouse,
    url: server.url,
    /** Removes all rows from the table `plays`. */
    empty: () => clickHouse.run('TRUNCATE TABLE plays'),
    close: server.close,
  };
}
