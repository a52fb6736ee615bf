import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../loopback-ports';
import { type BrokerProcess, brokerProcess } from './broker-process';

export interface OwnBroker extends BrokerProcess {
  /** Ends it and removes its folder. */
  readonly close: () => Promise<void>;
}

/**
 * Starts Debian's mosquitto (MQTT 5 and 3.1.1) on a free port of loopback.
 * @param more lines of its configuration, behind those of the listener
 */
export async function startMosquitto(more: readonly string[] = ['allow_anonymous true']): Promise<OwnBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-mosquitto-'));
  const port = await freePort();
  const file = join(folder, 'mosquitto.conf');
  const lines = [
    // Started as root it would become another user, who cannot read the folder.
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
