import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from './loopback-ports';

/** A private ClickHouse server. */
export interface OwnServer {
  readonly url: string;
  /** Kills it and removes its folder. */
  readonly close: () => Promise<void>;
}

/** A ClickHouse server that can be killed and started again with the same data. */
export interface DebianServer {
  readonly url: string;
  /** Resolves when it answers. Rejects if it is not installed or does not start. */
  readonly start: () => Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  readonly kill: () => Promise<void>;
}

const START_MS = 60_000;

/** Starts the ClickHouse of Debian (18.16) on a free port of loopback, in a folder of its own under `parent`. */
export async function startDebianServer(parent = tmpdir()): Promise<OwnServer> {
  const folder = mkdtempSync(join(parent, 'endcap-clickhouse-'));
  const server = debianServer(folder, await freePort());
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

/** @param more further XML elements of its configuration */
export function debianServer(folder: string, port: number, more = ''): DebianServer {
  mkdirSync(join(folder, 'data/tmp'), { recursive: true });
  writeFileSync(join(folder, 'config.xml'), configuration(folder, port, more));
  writeFileSync(join(folder, 'users.xml'), USERS);
  const url = `http://127.0.0.1:${port}/`;
  let running: ChildProcess | null = null;
  return {
    url,
    start: async () => {
      running = spawn('clickhouse-server', [`--config-file=${join(folder, 'config.xml')}`], {
        cwd: folder,
        env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      await started(running, url);
    },
    kill: async () => {
      if (running?.pid === undefined || running.exitCode !== null || running.signalCode !== null) return;
      const ended = once(running, 'exit');
      running.kill('SIGKILL');
      await ended;
    },
  };
}

/** Resolves when the server answers. Otherwise rejects with an error that contains its last output. */
async function started(server: ChildProcess, url: string): Promise<void> {
  let said = '';
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const failed = once(server, 'error').then(([error]) => {
    throw new Error(
      `clickhouse-server cannot be started (${error}). Install it: apt-get install clickhouse-server`,
    );
  });
  failed.catch(() => {});
  for (const deadline = Date.now() + START_MS; Date.now() < deadline; ) {
    const answers = await Promise.race([
      failed,
      fetch(`${url}ping`).then(
        ({ ok }) => ok,
        () => false,
      ),
    ]);
    if (answers) return;
    if (server.exitCode !== null || server.signalCode !== null) break;
    await wait(50);
  }
  throw new Error(`clickhouse-server did not start:\n${said}`);
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
  <timezone>UTC</timezone>
  ${more}
</yandex>
`;
}
