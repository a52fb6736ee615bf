import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Asks a kiosk's local API once, with the port and token in its data folder. Rejects while the API is not
 * open.
 */
export async function askKiosk(dataDir: string, path: string, options: RequestInit = {}): Promise<Response> {
  const told = (name: string) => readFileSync(join(dataDir, name), 'utf8').trim();
  return fetch(`http://127.0.0.1:${told('signals-port')}${path}`, {
    ...options,
    headers: { authorization: `Bearer ${told('signals-token')}`, 'content-type': 'application/json' },
  });
}

/** The plays of an answer of `GET /v1/plays`; throws for another answer. */
export async function playsOf<Row>(answer: Response): Promise<Row[]> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(`/v1/plays answered ${answer.status}: ${text.slice(0, 200)}`);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
