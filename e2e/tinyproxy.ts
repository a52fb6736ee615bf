import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isListening } from '../tools/fleet/loopback-ports';
import { expect } from './expect';

/**
 * Starts Debian's tinyproxy on loopback.
 *
 * @param options.folder for its configuration and log
 * @param options.credentials `user:password` that clients must send
 * @param options.upstream loopback port of the proxy to which it forwards everything
 */
export async function startTinyproxy(options: {
  readonly folder: string;
  readonly credentials: string;
  readonly upstream: number;
}) {
  const { folder, credentials, upstream } = options;
  const port = await freePort();
  const config = join(folder, 'tinyproxy.conf');
  const log = join(folder, 'tinyproxy.log');
  await writeFile(
    config,
    [
      ...[`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 60', 'MaxClients 50', 'Allow 127.0.0.1'],
      ...[`BasicAuth ${credentials.replace(':', ' ')}`, `LogFile "${log}"`, 'LogLevel Connect'],
      `Upstream http 127.0.0.1:${upstream}`,
      '',
    ].join('\n'),
  );
  const running = spawn('tinyproxy', ['-d', '-c', config], { stdio: 'ignore' });
  await expect.poll(() => isListening(port)).toBe(true);
  return { port, log: () => readFileSync(log, 'utf8'), stop: () => void running.kill() };
}
