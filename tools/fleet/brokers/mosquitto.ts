import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { freePort, isListening } from '../loopback-ports';
import { serverProcess } from '../server-process';

export type Mosquitto = Awaited<ReturnType<typeof startMosquitto>>;

/** Lines for a broker that holds as many messages for a client as there are. */
export const HOLDS_ALL = ['allow_anonymous true', 'max_queued_messages 0'];

/**
 * Starts Debian's mosquitto (MQTT 5 and 3.1.1) on a free port of loopback. It keeps its sessions when it is stopped and
 * started.
 *
 * @param more further lines of its configuration, which apply to its only listener; FOLDER stands for its folder
 * @param files by name, written into its folder
 */
export async function startMosquitto(
  more: readonly string[] = ['allow_anonymous true'],
  files: Readonly<Record<string, string>> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-mosquitto-'));
  const port = await freePort();
  const lines = [
    // Without this line mosquitto, started as root, switches to a user that cannot read the folder.
    ...[`user ${userInfo().username}`, 'persistence true', 'persistence_location FOLDER/', 'log_type error'],
    ...[`listener ${port} 127.0.0.1`, ...more, ''],
  ];
  const configuration = lines.join('\n').replaceAll('FOLDER', folder);
  for (const [name, content] of Object.entries({ ...files, 'mosquitto.conf': configuration }))
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  const broker = serverProcess(['mosquitto', '-c', join(folder, 'mosquitto.conf')], () => isListening(port));
  /** Kills it and removes its folder. */
  const close = async () => {
    await broker.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  await broker.start().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { ...broker, port, url: `mqtt://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}
