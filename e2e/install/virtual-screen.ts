import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** An X display of this machine on which the kiosk's compositor opens its one window. */
export interface VirtualScreen {
  /** Its name, such as `:3`. */
  readonly name: string;
  /** The lines of /etc/default/endcap for a compositor on this display. */
  readonly settings: string;
  close(): void;
}

/**
 * Starts an X display for weston's x11 backend. Weston's headless backend has no input devices, and then its
 * kiosk shell shows nothing.
 */
export async function startVirtualScreen(): Promise<VirtualScreen> {
  const server = spawn(
    'Xvfb',
    // The kiosk of a clean root does not have our X cookie, so access control is off.
    ['-displayfd', '3', '-screen', '0', '1280x720x24', '-ac', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const number = await new Promise<string>((resolve, reject) => {
    (server.stdio[3] as Readable).once('data', (text: Buffer) => resolve(text.toString().trim()));
    server.once('error', reject);
    server.once('exit', () => reject(new Error('Xvfb ended at once')));
  });
  const name = `:${number}`;
  const size = '--width=1280 --height=720';
  return {
    name,
    settings: `DISPLAY=${name}\nENDCAP_WESTON_ARGUMENTS="--backend=x11-backend.so --use-pixman ${size}"`,
    close: () => void server.kill(),
  };
}
