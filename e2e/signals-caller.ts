import type { StatusJson } from '../main/status/status';
import { askKiosk, playsOf } from './ask-kiosk';
import { expect } from './expect';

/**
 * Calls a kiosk's local API as a sensor or an operator's tool does, with the port and token in its data
 * folder.
 */
export function signalsCaller(dataDir: string) {
  /** Asks until the API is open, a moment after the first picture; an earlier run's file may name another port. */
  async function call(method: string, path: string, body?: object): Promise<Response> {
    let answer: Response | null = null;
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const isAnswered = async () => {
      answer = await askKiosk(dataDir, path, { method, ...given }).catch(() => null);
      return answer !== null && answer.status !== 401;
    };
    await expect.poll(isAnswered).toBe(true);
    return answer as unknown as Response;
  }
  return {
    async put(kind: 'shopper' | 'cart' | 'weather', body: object): Promise<void> {
      expect((await call('PUT', `/v1/signals/${kind}`, body)).status).toBe(204);
    },
    async remove(kind: 'shopper' | 'cart' | 'weather'): Promise<void> {
      expect((await call('DELETE', `/v1/signals/${kind}`)).status).toBe(204);
    },
    get: (path: string) => call('GET', path),
    status: async () => (await (await call('GET', '/v1/status')).json()) as StatusJson,
    /** The plays of `GET /v1/plays`. */
    plays: async <Row = Record<string, unknown>>() => playsOf<Row>(await call('GET', '/v1/plays')),
    /** The value of the `/metrics` line that begins with `line`; null when there is none. */
    async metric(line: string): Promise<number | null> {
      const lines = (await (await call('GET', '/metrics')).text()).split('\n');
      const found = lines.find((one) => one.startsWith(`${line} `));
      return found === undefined ? null : Number(found.slice(line.length + 1));
    },
  };
}

export type SignalsCaller = ReturnType<typeof signalsCaller>;
