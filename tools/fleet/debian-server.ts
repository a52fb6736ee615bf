import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './loopback-ports';
import { answers, serverProcess } from './server-process';

/** Starts the ClickHouse of Debian (18.16) on a free port of loopback, in a folder of its own under `parent`. */
export async function startDebianServer(parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, 'endcap-clickhouse-'));
  const server = debianServer(folder, await freePort());
  /** Kills it and removes its folder. */
  const close = async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await server.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { url: server.url, close };
}

export type DebianServer = ReturnType<typeof debianServer>;

/**
 * A ClickHouse server that can be killed and started again with the same data.
 *
 * @param more further XML elements of its configuration
 */
export function debianServer(folder: string, port: number, more = '') {
  mkdirSync(join(folder, 'data/tmp'), { recursive: true });
  writeFileSync(join(folder, 'config.xml'), configuration(folder, port, more));
  writeFileSync(join(folder, 'users.xml'), USERS);
  const url = `http://127.0.0.1:${port}/`;
  const command = ['clickhouse-server', `--config-file=${join(folder, 'config.xml')}`] as const;
  return { url, ...serverProcess(command, () => answers(`${url}ping`), { cwd: folder }) };
}

const USERS = `<yandex>
  <profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></default></users>
  <quotas><default></default></quotas>
</yandex>
`;

function configuration(folder: string, port: number, more: string): string {
  return `<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>${port}</http_port><listen_host>127.0.0.1</listen_host>
  <path>${folder}/data/</path><tmp_path>${folder}/data/tmp/</tmp_path>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <timezone>America/New_York</timezone>
  ${more}
</yandex>
`;
}
