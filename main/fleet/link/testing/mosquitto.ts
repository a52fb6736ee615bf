import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort, isListening } from '../../../../tools/fleet/loopback-ports';

export interface Mosquitto extends AsyncDisposable {
  readonly port: number;
  /** Its folder, with its configuration and certificates. */
  readonly folder: string;
  log(): string;
  /** Stops it in order; `start` starts it again with what it had stored. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/**
 * A real mosquitto on loopback.
 *
 * @param more further lines of its configuration, for its only listener; FOLDER stands for its folder
 * @param files by name, written into its folder before it starts
 */
export async function startMosquitto(
  more: readonly string[] = ['allow_anonymous true'],
  files: Readonly<Record<string, string>> = {},
): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-mosquitto-'));
  const port = await freePort();
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  const lines = [
    ...['per_listener_settings false', 'persistence true', `persistence_location ${folder}/`],
    ...['log_dest stderr', 'log_type all'],
    // Without this line mosquitto, started as root, switches to a user that cannot read these files.
    ...[`user ${userInfo().username}`, `listener ${port}`, 'bind_interface lo'],
    ...more.map((line) => line.replaceAll('FOLDER', folder)),
  ];
  writeFileSync(join(folder, 'mosquitto.conf'), `${lines.join('\n')}\n`);
  let running: ChildProcess | null = null;
  let said = '';

  async function start(): Promise<void> {
    const child = spawn('mosquitto', ['-c', join(folder, 'mosquitto.conf')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
    running = child;
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const failed = new Promise<never>((_resolve, reject) => {
      child.once('error', (error) => reject(new Error(`mosquitto cannot be started: ${error.message}`)));
      child.once('exit', (code) => reject(new Error(`mosquitto ended (${code}):\n${said}`)));
    });
    failed.catch(() => {});
    await Promise.race([failed, untilItListens(port)]);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const child = running;
    running = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const over = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await over;
  }

  await start();
  return {
    port,
    folder,
    log: () => said,
    stop: () => end('SIGTERM'),
    start,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilItListens(port: number): Promise<void> {
  while (!(await isListening(port))) await new Promise((resolve) => setTimeout(resolve, 20));
}
