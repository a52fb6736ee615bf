import { type Answer, header, jsonAnswer, type ServiceRequest } from './exchange';

/**
 * Keeps foreign web pages away from the controls: the request must name this
 * service as its host (so no re-bound name reaches it), and a browser must not
 * say that another site sent it. Null when the request is our own.
 */
export function refuseForeign(request: ServiceRequest, port: number): Answer | null {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const host = header(request, 'host') ?? '';
  if (!hosts.includes(host)) return jsonAnswer(403, { error: 'unexpected host' });
  const origin = header(request, 'origin');
  if (origin !== null && origin !== `http://${host}`) return jsonAnswer(403, { error: 'unexpected origin' });
  const site = header(request, 'sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') {
    return jsonAnswer(403, { error: 'cross-site request' });
  }
  return null;
}
