import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** An X display of this machine that the kiosk's compositor opens its one window on. */
export interface VirtualScreen {
  /** Its name, such as `:3`. */
  readonly name: string;
  /** What /etc/default/endcap says for a compositor on it. */
  readonly settings: string;
  close(): void;
}

/**
 * The headless backend of weston has no input devices, and its kiosk shell shows
 * nothing then; the x11 backend has both, and a display that can be captured.
 */
export async function startVirtualScreen(): Promise<VirtualScreen> {
  const server = spawn(
    'Xvfb',
    // The kiosk of a clean root has no cookie of ours: access is not asked for one.
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
