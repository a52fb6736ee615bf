import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// ClickHouse 26 in a process of its own. Half a gigabyte: fetched only by the command that asks for it.
const PACKAGE = 'chdb@3.4.0';

/**
 * Starts it behind HTTP on a free port of loopback, as the server of Debian is.
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function startChdb() {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'endcap', PACKAGE);
  if (!existsSync(join(folder, 'node_modules/chdb'))) {
    process.stderr.write(`endcap: fetching ${PACKAGE} into ${folder}\n`);
    mkdirSync(folder, { recursive: true });
    const fetched = ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, PACKAGE];
    const { status } = spawnSync('npm', fetched, { stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error(`endcap: npm could not fetch ${PACKAGE}`);
  }
  const script = fileURLToPath(new URL('./chdb-server.mjs', import.meta.url));
  const server = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((/** @type {(url: string) => void} */ resolve, reject) => {
    server.stdout.setEncoding('utf8').once('data', (/** @type {string} */ line) => resolve(line.trim()));
    server.once('exit', (code) => reject(new Error(`endcap: chdb ended with ${code}`)));
  });
  return { url, close: () => server.kill() };
}
