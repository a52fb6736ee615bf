import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../loopback-ports';
import { type BrokerProcess, brokerProcess } from './broker-process';

export interface OwnBroker extends BrokerProcess {
  /** Kills it and removes its folder. */
  readonly close: () => Promise<void>;
}

/**
 * Starts Debian's mosquitto (MQTT 5 and 3.1.1) on a free port of loopback.
 * @param more further lines of its configuration, which apply to its only listener
 */
export async function startMosquitto(more: readonly string[] = ['allow_anonymous true']): Promise<OwnBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-mosquitto-'));
  const port = await freePort();
  const file = join(folder, 'mosquitto.conf');
  const lines = [
    // Without this line mosquitto, started as root, switches to a user that cannot read the folder.
    ...[`user ${userInfo().username}`, 'persistence false', 'log_type error', 'max_queued_messages 0'],
    ...[`listener ${port} 127.0.0.1`, ...more, ''],
  ];
  writeFileSync(file, lines.join('\n'));
  const broker = brokerProcess('mosquitto', ['-c', file], port);
  const close = async () => {
    await broker.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await broker.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { ...broker, close };
}
