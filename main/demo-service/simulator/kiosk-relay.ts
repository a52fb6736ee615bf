import { type Answer, bareAnswer, jsonAnswer, type ServiceRequest } from '../http-answer';

/**
 * The local API of a running kiosk. `token` may be a function, called for each request: a restarted kiosk
 * may have a new one.
 */
export interface KioskAddress {
  readonly url: string;
  readonly token: string | (() => string);
}

const ANSWER_WITHIN_MS = 3000;
const SIGNALS = ['shopper', 'cart', 'weather'];

/**
 * `/simulator/api/signals/<name>` and `/simulator/api/status`: forwarded to the
 * kiosk's own local API, whose token never reaches the page. 503 without a kiosk, 502
 * when it does not answer.
 */
export async function relayToKiosk(request: ServiceRequest, kiosk: KioskAddress | null): Promise<Answer> {
  const path = kioskPath(request);
  if (path === null) return bareAnswer(404);
  if (kiosk === null) return jsonAnswer(503, { error: 'no kiosk is connected' });
  try {
    const token = typeof kiosk.token === 'string' ? kiosk.token : kiosk.token();
    const answer = await fetch(new URL(path, kiosk.url), {
      method: request.method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(request.method === 'PUT' && { 'Content-Type': 'application/json' }),
      },
      ...(request.method === 'PUT' && { body: new Uint8Array(request.body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    });
    return {
      status: answer.status,
      headers: {
        'Content-Type': answer.headers.get('content-type') ?? 'text/plain',
        'Cache-Control': 'no-store',
      },
      body: Buffer.from(await answer.arrayBuffer()),
    };
  } catch (error) {
    return jsonAnswer(502, { error: error instanceof Error ? error.message : 'the kiosk does not answer' });
  }
}

function kioskPath({ path, method }: ServiceRequest): string | null {
  if (path === '/simulator/api/status' && method === 'GET') return '/v1/status';
  const [, signal] = /^\/simulator\/api\/signals\/([a-z]+)$/.exec(path) ?? [];
  const known = signal !== undefined && SIGNALS.includes(signal);
  return known && (method === 'PUT' || method === 'DELETE') ? `/v1/signals/${signal}` : null;
}
