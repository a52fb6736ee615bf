import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Whether no other process of this machine has called this for a folder and still runs. Linux only. It holds a name for a
 * socket that is no file (an abstract one), so it needs neither room nor rights on a disk. True if there is no such folder.
 */
export function isOnlyStart(folder: string): boolean {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    const name = `endcap/${dev}/${ino}/`;
    const server = createServer((caller) => caller.destroy()).on('error', () => {});
    // Bound when this returns; `unref`: it keeps no process alive.
    server.listen(`\0${name}`).unref();
    // No other error may keep the kiosk from starting.
    return server.listening || !readFileSync('/proc/net/unix', 'utf8').includes(`@${name}`);
  } catch {
    return true;
  }
}
