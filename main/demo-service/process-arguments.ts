import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { KioskAddress } from './simulator/kiosk-relay';

export const USAGE =
  'usage: demo-service [--port N] [--signals-url http://127.0.0.1:9777 --signals-token-file FILE]';

/** Reads the command line. Throws an Error whose message says what was expected. */
export function processArguments(args: readonly string[]): { port: number; kiosk: KioskAddress | null } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '0' },
      'signals-url': { type: 'string' },
      'signals-token-file': { type: 'string' },
    },
  });
  const port = Number(values.port);
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535) {
    throw new Error(`--port: expected 0 to 65535, got "${values.port}"`);
  }
  const url = values['signals-url'];
  const file = values['signals-token-file'];
  if ((url === undefined) !== (file === undefined)) {
    throw new Error('--signals-url and --signals-token-file belong together');
  }
  if (url === undefined || file === undefined) return { port, kiosk: null };
  if (!URL.canParse(url)) throw new Error(`--signals-url: expected an address, got "${url}"`);
  // Read at each use: the file may not be there yet, and a restarted kiosk may write another.
  return { port, kiosk: { url, token: () => readFileSync(file, 'utf8').trim() } };
}
